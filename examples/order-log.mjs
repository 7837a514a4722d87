/**
 * Logs the life of every order of the account over the socket: placed, partially or fully filled, cancelled, with the price and
 * fee of each fill. Ctrl-C ends it.
 *
 *     npm start                      # in one terminal
 *     node examples/order-log.mjs    # in another; then trade with the same key, for example with first-trade.mjs
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
  if (status === 'open') return `filled ${filled} of ${amount}, ${remaining} remaining`;
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

/** A lost connection throws from one call; the next call returns what was missed. */
async function keepOn(log) {
  while (isRunning) {
    try {
      await log();
    } catch (error) {
      if (error instanceof ExchangeClosedByUser) return;
      if (!(error instanceof NetworkError)) throw error;
      console.log(`connection lost: ${error.message}`);
      await exchange.sleep(1_000);
    }
  }
}

async function main() {
  await exchange.fetchBalance(); // fails at once if the key is invalid
  console.log('waiting for orders');
  await Promise.all([keepOn(logOrders), keepOn(logFills)]);
}

main().catch(giveUp);
