/**
 * A market maker: one order on each side of the index price, moved once a second, leaning away from what is already held. Ctrl-C
 * takes the orders back.
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
/** From the index price to each order, as a share. */
const HALF_SPREAD = 0.0004;

const exchange = new OpenPerp(readSettings());
let isRunning = true;
process.once('SIGINT', () => {
  isRunning = false;
});

async function held() {
  const { side, contracts } = await exchange.fetchPosition(SYMBOL);
  return side === 'short' ? -contracts : contracts;
}

/** Long, both orders go down: the one that sells becomes the better one. */
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
    // The market has moved through the price: there is another one in a second.
    if (error instanceof OrderImmediatelyFillable) return `${side}: too close`;
    throw error;
  }
}

async function requote() {
  await exchange.cancelAllOrders(SYMBOL);
  const { indexPrice } = await exchange.fetchTicker(SYMBOL);
  const position = await held();
  const placed = await Promise.all(quotesFor(indexPrice, position).map(place));
  console.log(`index ${indexPrice}, held ${position}: ${placed.join(', ')}`);
}

async function main() {
  await exchange.loadMarkets();
  try {
    while (isRunning) {
      try {
        await requote();
      } catch (error) {
        if (!(error instanceof NetworkError)) throw error;
        console.log(`the venue is away: ${error.message}`);
      }
      await exchange.sleep(1_000);
    }
  } finally {
    const { length } = await exchange.cancelAllOrders(SYMBOL);
    console.log(`took back ${length} orders, and holds ${await held()}`);
  }
}

main().catch(giveUp);
