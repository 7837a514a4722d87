/**
 * A grid: buy orders below the price and sell orders above it, a step apart. Each filled order is replaced by its opposite a step
 * away, so that every swing through a step earns it. Ctrl-C cancels the orders, and keeps the position.
 *
 *     npm start                 # in one terminal
 *     node examples/grid.mjs    # in another
 */
import { DuplicateOrderId, NetworkError } from 'ccxt';
import { OpenPerp } from '../adapter/dist/openperp.js'; // in a project of your own: from 'ccxt-openperp'
import { giveUp, readSettings } from './settings.mjs';

const SYMBOL = 'SOL/USD.E:USD.E';
const AMOUNT = 1;
const STEPS_EACH_SIDE = 4;
const STEP = 0.0003; // of the middle price

const exchange = new OpenPerp(readSettings());
const open = new Map(); // the open orders of the grid, by id
let isRunning = true;
process.once('SIGINT', () => {
  isRunning = false;
});

function keep(orders) {
  const refused = orders.find(({ status }) => status === 'rejected');
  if (refused !== undefined) throw new Error(`an order of the grid was refused: ${refused.info.safeMessage}`);
  for (const order of orders) open.set(order.id, order);
}

async function layOut() {
  const { last } = await exchange.fetchTicker(SYMBOL);
  const steps = Array.from({ length: STEPS_EACH_SIDE }, (_, index) => (index + 1) * STEP);
  const at = (side, price) => ({ symbol: SYMBOL, type: 'limit', side, amount: AMOUNT, price });
  const orders = steps.flatMap((step) => [at('buy', last * (1 - step)), at('sell', last * (1 + step))]);
  keep(await exchange.createOrders(orders));
  console.log(`${open.size} orders around ${last}`);
}

/** An order that is no longer open was filled, since nothing else cancels here. */
async function answerFills() {
  const openNow = new Set((await exchange.fetchOpenOrders(SYMBOL)).map(({ id }) => id));
  for (const [id, { side, price }] of [...open].filter(([it]) => !openNow.has(it))) {
    const ended = await exchange.fetchOrder(id, SYMBOL);
    if (ended.filled > 0) keep([await placeOpposite(ended)]);
    open.delete(id);
    console.log(`${side} at ${price}: ${ended.status}`);
  }
}

/** The client order id names the replaced order: after a lost response the second attempt finds the order of the first. */
async function placeOpposite({ id, side, price, filled }) {
  const [opposite, step] = side === 'buy' ? ['sell', 1 + STEP] : ['buy', 1 - STEP];
  const clientOrderId = `answers-${id}`;
  try {
    return await exchange.createLimitOrder(SYMBOL, opposite, filled, price * step, { clientOrderId });
  } catch (error) {
    if (!(error instanceof DuplicateOrderId)) throw error;
    return exchange.fetchOrderWithClientOrderId(clientOrderId, SYMBOL);
  }
}

async function main() {
  await exchange.loadMarkets();
  try {
    await layOut();
    while (isRunning) {
      await exchange.sleep(500);
      try {
        await answerFills();
      } catch (error) {
        if (!(error instanceof NetworkError)) throw error;
        console.log(`the venue is unavailable: ${error.message}`);
      }
    }
  } finally {
    console.log(`cancelled ${(await exchange.cancelAllOrders(SYMBOL)).length} orders`);
  }
}

main().catch(giveUp);
