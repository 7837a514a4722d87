/**
 * Watches funding: the estimated rate of each market's current period, and the account's funding payments. Ctrl-C ends it.
 *
 *     npm start                            # in one terminal
 *     node examples/funding-watcher.mjs    # in another
 */
import { NetworkError } from 'ccxt';
import { OpenPerp } from '../adapter/dist/openperp.js'; // in a project of your own: from 'ccxt-openperp'
import { giveUp, readSettings } from './settings.mjs';

const EVERY_MS = 1_000;

const exchange = new OpenPerp(readSettings());
/** The printed payments by id, and the time of the newest one, from which to fetch. */
const printedIds = new Set();
let newestAt;
let isRunning = true;
process.once('SIGINT', () => {
  isRunning = false;
});

function percent(rate) {
  return rate === undefined ? 'unknown' : `${(rate * 100).toFixed(5)} %`;
}

/** Longs pay a positive rate, and receive a negative one. */
async function printRates() {
  const now = await exchange.fetchTime();
  for (const rate of Object.values(await exchange.fetchFundingRates())) {
    const { symbol, fundingRate, previousFundingRate, fundingTimestamp, interval } = rate;
    const seconds = Math.max(0, Math.round((fundingTimestamp - now) / 1_000));
    console.log(`${symbol}: ${percent(fundingRate)} in ${seconds} s, before ${percent(previousFundingRate)}, every ${interval}`);
  }
}

async function printPayments() {
  for (const { id, symbol, amount, code, timestamp, datetime } of await exchange.fetchFundingHistory(undefined, newestAt)) {
    newestAt = Math.max(newestAt, timestamp);
    if (printedIds.has(id)) continue;
    printedIds.add(id);
    console.log(`${datetime} ${symbol}: ${amount < 0 ? 'paid' : 'received'} ${Math.abs(amount)} ${code}`);
  }
}

async function main() {
  newestAt = await exchange.fetchTime();
  while (isRunning) {
    try {
      await printPayments();
      await printRates();
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error;
      console.log(`the venue is unavailable: ${error.message}`);
    }
    await exchange.sleep(EVERY_MS);
  }
  console.log(`printed ${printedIds.size} payments`);
}

main().catch(giveUp);
