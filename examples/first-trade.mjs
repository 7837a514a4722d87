/**
 * A first trade: a limit order that rests, a market order that fills, the position, and its end with what it earned.
 *
 *     npm start                        # in one terminal: a venue, and a demo account in openperp-data/demo.env
 *     node examples/first-trade.mjs    # in another: reads that file, or OPENPERP_URL and OPENPERP_APIKEY
 */
import { existsSync, readFileSync } from 'node:fs';
import { NetworkError } from 'ccxt';
import { OpenPerp } from '../adapter/dist/openperp.js'; // in a project of your own: from 'ccxt-openperp'

const DEMO_FILE = new URL('../openperp-data/demo.env', import.meta.url);
const SYMBOL = 'BTC/USD.E:USD.E';
const AMOUNT = 0.01;

/** The lines KEY=value of the demo account's file, with what the environment says instead. */
function readSettings() {
  const lines = existsSync(DEMO_FILE) ? readFileSync(DEMO_FILE, 'utf8').split('\n') : [];
  const kept = Object.fromEntries(lines.filter((line) => /^\w+=/.test(line)).map((line) => line.split(/=(.*)/, 2)));
  const { OPENPERP_URL: url = 'http://localhost:8080', OPENPERP_APIKEY: apiKey } = { ...kept, ...process.env };
  if (!apiKey) throw new Error('there is no API key: run "npm start" first, or set OPENPERP_URL and OPENPERP_APIKEY');
  return { url, apiKey };
}

async function trade(exchange) {
  await exchange.loadMarkets();
  const { bid, ask } = await exchange.fetchTicker(SYMBOL);
  console.log(`${SYMBOL}: bid ${bid}, ask ${ask}`);

  const resting = await exchange.createOrder(SYMBOL, 'limit', 'buy', AMOUNT, bid * 0.98);
  console.log(`limit order ${resting.id}: buy ${resting.amount} at ${resting.price}, ${resting.status}`);
  const cancelled = await exchange.cancelOrder(resting.id, SYMBOL);
  console.log(`limit order ${cancelled.id}: ${cancelled.status}`);

  const filled = await exchange.createOrder(SYMBOL, 'market', 'buy', AMOUNT, undefined, { leverage: 5 });
  console.log(
    `market order ${filled.id}: bought ${filled.filled} at ${filled.average}, ${filled.status}, fee ${filled.fee.cost}`,
  );

  const position = await exchange.fetchPosition(SYMBOL);
  const { side, contracts, entryPrice, leverage, unrealizedPnl } = position;
  console.log(`position: ${side} ${contracts} from ${entryPrice} at ${leverage.toFixed(2)}x, unrealized PnL ${unrealizedPnl}`);

  const opposite = side === 'long' ? 'sell' : 'buy';
  const closing = await exchange.createOrder(SYMBOL, 'market', opposite, contracts, undefined, { reduceOnly: true });
  console.log(
    `market order ${closing.id}: ${opposite} ${closing.filled} at ${closing.average}, ${closing.status}, fee ${closing.fee.cost}`,
  );

  const after = await exchange.fetchPosition(SYMBOL);
  const fills = (await exchange.fetchMyTrades(SYMBOL)).filter((fill) => fill.info.positionId === position.id);
  const realized = fills.reduce((sum, fill) => sum + Number(fill.info.realizedPnl), 0);
  const fees = fills.reduce((sum, fill) => sum + fill.fee.cost, 0);
  const state = after.contracts === 0 ? 'closed' : `still open with ${after.contracts}`;
  console.log(
    `position ${state}: PnL ${realized.toFixed(6)}, fees ${fees.toFixed(6)}, net ${(realized - fees).toFixed(6)} USD.E`,
  );
}

try {
  const { url, apiKey } = readSettings();
  try {
    await trade(new OpenPerp({ apiKey, urls: { api: { rest: url } } }));
  } catch (error) {
    if (error instanceof NetworkError) throw new Error(`no venue answers at ${url}: is "npm start" running? (${error.message})`);
    throw error;
  }
} catch (error) {
  console.error(`first-trade: ${error.message}`);
  process.exitCode = 1;
}
