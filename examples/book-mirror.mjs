/**
 * Mirrors a book over the socket: ccxt applies every update. Once a second the example reads the book over REST and looks it up
 * among the recent books of the mirror. A book that lasted less than 10 ms is not published, but REST may return it. Ctrl-C ends
 * it.
 *
 *     npm start                        # in one terminal
 *     node examples/book-mirror.mjs    # in another
 */
import { NetworkError } from 'ccxt';
import { OpenPerpPro } from '../adapter/dist/openperp.js'; // in a project of your own: from 'ccxt-openperp'
import { giveUp, readSettings } from './settings.mjs';

const SYMBOL = 'BTC/USD.E:USD.E';
const DEPTH = 10;
const KEPT = 1_000;

const exchange = new OpenPerpPro(readSettings());
/** The newest books of the mirror, as text. */
const mirrored = [];
let updates = 0;
let isRunning = true;
process.once('SIGINT', () => {
  isRunning = false;
});

function best({ bids, asks }) {
  return JSON.stringify([bids.slice(0, DEPTH), asks.slice(0, DEPTH)]);
}

async function follow() {
  mirrored.push(best(await exchange.watchOrderBook(SYMBOL)));
  if (mirrored.length > KEPT) mirrored.shift();
  updates += 1;
}

async function compare() {
  const polled = await exchange.fetchOrderBook(SYMBOL, DEPTH);
  await exchange.sleep(1_000);
  const verdict = mirrored.includes(best(polled)) ? 'matches the mirror' : 'between two updates';
  console.log(`${updates} updates; best ${polled.bids[0]?.[0]} / ${polled.asks[0]?.[0]} over REST, ${verdict}`);
}

/** A lost connection throws from one call; the next call starts with a whole book. */
async function keepOn(turn) {
  while (isRunning) {
    try {
      await turn();
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error;
      console.log(`connection lost: ${error.message}`);
      await exchange.sleep(1_000);
    }
  }
}

async function main() {
  await exchange.loadMarkets();
  await Promise.all([keepOn(follow), keepOn(compare)]);
  await exchange.close();
}

main().catch(giveUp);
