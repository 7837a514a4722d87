/**
 * A market maker: one order on each side of the index price, moved once a second, shifted against the current position. Ctrl-C
 * cancels the orders.
 *
 *     npm start                         # in one terminal
 *     node examples/market-maker.mjs    # in another
 */
import { NetworkError, OrderImmediatelyFillable } from 'ccxt';
import { OpenPerp } from '../adapter/dist/openperp.js'; // in a project of your own: from 'ccxt-openperp'
import { giveUp, readSettings } from './settings.mjs';

const SYMBOL = 'ETH/USD.E:USD.E';
const AMOUNT = 0.05;
const LARGEST_POSITION = 0.5;
/** The distance from the index price to each order, as a fraction of it. */
const HALF_SPREAD = 0.0004;

const exchange = new OpenPerp(readSettings());
let isRunning = true;
process.once('SIGINT', () => {
  isRunning = false;
});

async function readPosition() {
  const { side, contracts } = await exchange.fetchPosition(SYMBOL);
  return side === 'short' ? -contracts : contracts;
}

/** With a long position both orders move down, which makes the sell order more attractive. */
function quotesFor(indexPrice, position) {
  const center = indexPrice * (1 - (position / LARGEST_POSITION) * HALF_SPREAD);
  return [
    { side: 'buy', price: center * (1 - HALF_SPREAD), isWanted: position < LARGEST_POSITION },
    { side: 'sell', price: center * (1 + HALF_SPREAD), isWanted: position > -LARGEST_POSITION },
  ].filter(({ isWanted }) => isWanted);
}

async function place({ side, price }) {
  try {
    const order = await exchange.createPostOnlyOrder(SYMBOL, 'limit', side, AMOUNT, price);
    return `${side} ${AMOUNT} at ${order.price}`;
  } catch (error) {
    // The market has moved through the price: the next round has another one.
    if (error instanceof OrderImmediatelyFillable) return `${side}: too close`;
    throw error;
  }
}

async function requote() {
  await exchange.cancelAllOrders(SYMBOL);
  const { indexPrice } = await exchange.fetchTicker(SYMBOL);
  const position = await readPosition();
  const placed = await Promise.all(quotesFor(indexPrice, position).map(place));
  console.log(`index ${indexPrice}, position ${position}: ${placed.join(', ')}`);
}

async function main() {
  await exchange.loadMarkets();
  try {
    while (isRunning) {
      try {
        await requote();
      } catch (error) {
        if (!(error instanceof NetworkError)) throw error;
        console.log(`the venue is unavailable: ${error.message}`);
      }
      await exchange.sleep(1_000);
    }
  } finally {
    const { length } = await exchange.cancelAllOrders(SYMBOL);
    console.log(`cancelled ${length} orders, position ${await readPosition()}`);
  }
}

main().catch(giveUp);
