/**
 * Mirrors a book over the socket: every update is applied by ccxt, and once a second the mirror is held against the book that the venue
 * tells when it is asked. Ctrl-C ends it.
 *
 *     npm start                        # in one terminal
 *     node examples/book-mirror.mjs    # in another
 */
import { OpenPerpPro } from '../adapter/dist/openperp.js'; // in a project of your own: from 'ccxt-openperp'
import { readSettings } from './settings.mjs';

const SYMBOL = 'BTC/USD.E:USD.E';
const DEPTH = 10;

const exchange = new OpenPerpPro(readSettings());
/** Books of the last seconds by their place in the venue's sequence. */
const seen = new Map();
let updates = 0;
let isRunning = true;
process.once('SIGINT', () => {
  isRunning = false;
});

function top({ bids, asks }) {
  return JSON.stringify([bids.slice(0, DEPTH), asks.slice(0, DEPTH)]);
}

async function follow() {
  while (isRunning) {
    const book = await exchange.watchOrderBook(SYMBOL);
    seen.set(book.nonce, top(book));
    if (seen.size > 5_000) seen.delete(seen.keys().next().value);
    updates += 1;
  }
}

async function compare() {
  while (isRunning) {
    await exchange.sleep(1_000);
    const asked = await exchange.fetchOrderBook(SYMBOL, DEPTH);
    const mirrored = seen.get(asked.nonce);
    const verdict = mirrored === undefined ? 'between two updates' : mirrored === top(asked) ? 'the same' : 'DIFFERENT';
    console.log(`${updates} updates, best ${asked.bids[0]?.[0]} / ${asked.asks[0]?.[0]}, asked for: ${verdict}`);
  }
}

await exchange.loadMarkets();
await Promise.all([follow(), compare()]);
await exchange.close();
