/**
 * Logs the life of every order of the account, over the socket: placed, filled in parts or whole, cancelled, with each fill's price and fee.
 * Ctrl-C ends it.
 *
 *     npm start                      # in one terminal
 *     node examples/order-log.mjs    # in another; then trade with the same key, by first-trade.mjs for one
 */
import { ExchangeClosedByUser, NetworkError } from 'ccxt';
import { OpenPerpPro } from '../adapter/dist/openperp.js'; // in a project of your own: from 'ccxt-openperp'
import { giveUp, readSettings } from './settings.mjs';

const exchange = new OpenPerpPro(readSettings());
let isRunning = true;
process.once('SIGINT', () => {
  isRunning = false;
  exchange.close();
});

function stateOf({ status, filled, amount, remaining, average }) {
  if (status === 'open' && filled === 0) return 'rests';
  if (status === 'open') return `filled ${filled} of ${amount}, ${remaining} to go`;
  return filled > 0 ? `${status}, filled ${filled} at ${average}` : status;
}

async function logOrders() {
  for (const order of await exchange.watchOrders()) {
    const { id, symbol, type, side, amount, price, lastUpdateTimestamp } = order;
    const terms = price === undefined ? amount : `${amount} at ${price}`;
    console.log(`${exchange.iso8601(lastUpdateTimestamp)} order ${id} ${symbol}: ${type} ${side} ${terms}: ${stateOf(order)}`);
  }
}

async function logFills() {
  for (const { datetime, order, symbol, side, amount, price, takerOrMaker, fee } of await exchange.watchMyTrades()) {
    const terms = `${side} ${amount} at ${price} as ${takerOrMaker}`;
    console.log(`${datetime} fill of ${order} ${symbol}: ${terms}, fee ${fee.cost} ${fee.currency}`);
  }
}

/** A line that breaks is an error of one call; the next one tells what has come meanwhile. */
async function keepOn(log) {
  while (isRunning) {
    try {
      await log();
    } catch (error) {
      if (error instanceof ExchangeClosedByUser) return;
      if (!(error instanceof NetworkError)) throw error;
      console.log(`the line is broken: ${error.message}`);
      await exchange.sleep(1_000);
    }
  }
}

async function main() {
  await exchange.fetchBalance(); // says at once where the key is not good
  console.log('waiting for orders');
  await Promise.all([keepOn(logOrders), keepOn(logFills)]);
}

main().catch(giveUp);
