/**
 * Mirrors a book over the socket: ccxt applies every update, and once a second the book that the venue tells when it is asked is looked
 * up among those that the mirror has been. What lasted less than 10 ms is not sent, and may have been asked for. Ctrl-C ends it.
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
  const asked = await exchange.fetchOrderBook(SYMBOL, DEPTH);
  await exchange.sleep(1_000);
  const verdict = mirrored.includes(best(asked)) ? 'as it was mirrored' : 'between two updates';
  console.log(`${updates} updates; best ${asked.bids[0]?.[0]} / ${asked.asks[0]?.[0]} when asked, ${verdict}`);
}

/** A line that breaks is an error of one call; the next one begins with a whole book. */
async function keepOn(turn) {
  while (isRunning) {
    try {
      await turn();
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error;
      console.log(`the line is broken: ${error.message}`);
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
