/**
 * A first trade: a resting limit order, a market order that fills, the position, and its close with the PnL. A position from
 * before stays as it was.
 *
 *     npm start                        # in one terminal: a venue, and a demo account in openperp-data/demo.env
 *     node examples/first-trade.mjs    # in another: reads that file; OPENPERP_URL and OPENPERP_APIKEY take precedence
 */
import { Precise } from 'ccxt';
import { OpenPerp } from '../adapter/dist/openperp.js'; // in a project of your own: from 'ccxt-openperp'
import { giveUp, readSettings } from './settings.mjs';

const SYMBOL = 'BTC/USD.E:USD.E';
const AMOUNT = 0.01;

async function trade(exchange) {
  await exchange.loadMarkets();
  const { bid, ask } = await exchange.fetchTicker(SYMBOL);
  if (bid === undefined || ask === undefined)
    throw new Error(`there are no quotes for ${SYMBOL}: run "npm start" without --no-house`);
  console.log(`${SYMBOL}: bid ${bid}, ask ${ask}`);

  const resting = await exchange.createOrder(SYMBOL, 'limit', 'buy', AMOUNT, bid * 0.98, { leverage: 5 });
  console.log(`limit order ${resting.id}: buy ${resting.amount} at ${resting.price}, ${resting.status}`);
  const cancelled = await exchange.cancelOrder(resting.id, SYMBOL);
  console.log(`limit order ${cancelled.id}: ${cancelled.status}`);

  const before = await exchange.fetchPosition(SYMBOL);
  const opening = await exchange.createOrder(SYMBOL, 'market', 'buy', AMOUNT, undefined, { leverage: 5 });
  console.log(`market order ${opening.id}: bought ${fillText(opening)}`);
  if (opening.filled === 0) throw new Error('the market order found no seller: try again in a moment');

  const { side, contracts, entryPrice, leverage, unrealizedPnl } = await exchange.fetchPosition(SYMBOL);
  if (contracts > 0) {
    const entry = exchange.priceToPrecision(SYMBOL, entryPrice);
    console.log(`position: ${side} ${contracts} from ${entry} at ${leverage.toFixed(2)}x, unrealized PnL ${unrealizedPnl}`);
  }

  // Sells as much as was bought: an earlier short position is restored, and no other one can open.
  const params = { reduceOnly: before.side !== 'short' };
  const closing = await exchange.createOrder(SYMBOL, 'market', 'sell', opening.filled, undefined, params);
  console.log(`market order ${closing.id}: sold ${fillText(closing)}`);

  // The venue's amounts (info) are decimal strings: adding them as strings is exact.
  const orders = [opening, closing];
  const fills = (await Promise.all(orders.map(({ id }) => exchange.fetchOrderTrades(id, SYMBOL)))).flat();
  const realized = sum(fills.map(({ info }) => info.realizedPnl));
  const fees = sum(orders.map(({ info }) => info.feePaid));
  const after = await exchange.fetchPosition(SYMBOL);
  const state = after.contracts === 0 ? 'closed' : `${after.side} ${after.contracts}, as before`;
  console.log(`position ${state}: PnL ${realized}, fees ${fees}, net ${Precise.stringSub(realized, fees)} USD.E`);
}

function fillText({ info, status }) {
  return `${info.filledQuantity} at ${info.averagePrice}, ${status}, fee ${info.feePaid}`;
}

function sum(amounts) {
  return amounts.reduce((total, amount) => Precise.stringAdd(total, amount), '0');
}

trade(new OpenPerp(readSettings())).catch(giveUp);
