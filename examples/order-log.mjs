/**
 * Logs the life of every order of the account, over the socket: placed, filled in parts or whole, cancelled, with each fill's price and fee.
 * Ctrl-C ends it.
 *
 *     npm start                      # in one terminal
 *     node examples/order-log.mjs    # in another; then trade with the same key, by first-trade.mjs for one
 */
import { ExchangeClosedByUser } from 'ccxt';
import { OpenPerpPro } from '../adapter/dist/openperp.js'; // in a project of your own: from 'ccxt-openperp'
import { readSettings } from './settings.mjs';

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
  while (isRunning) {
    for (const order of await exchange.watchOrders()) {
      const { id, symbol, type, side, amount, price } = order;
      const terms = price === undefined ? amount : `${amount} at ${price}`;
      console.log(`${order.datetime} order ${id} ${symbol}: ${type} ${side} ${terms}: ${stateOf(order)}`);
    }
  }
}

async function logFills() {
  while (isRunning) {
    for (const { datetime, order, symbol, side, amount, price, takerOrMaker, fee } of await exchange.watchMyTrades())
      console.log(
        `${datetime} fill of ${order} ${symbol}: ${side} ${amount} at ${price} as ${takerOrMaker}, fee ${fee.cost} ${fee.currency}`,
      );
  }
}

await exchange.loadMarkets();
console.log('waiting for orders');
try {
  await Promise.all([logOrders(), logFills()]);
} catch (error) {
  if (!(error instanceof ExchangeClosedByUser)) throw error;
}
