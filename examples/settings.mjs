/**
 * The URL of the venue and the API key: from the environment, else from the file that `npm start` writes for its demo account.
 * Also explains errors in one line.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { AuthenticationError, NetworkError } from 'ccxt';

const DEMO_FILE = new URL('../openperp-data/demo.env', import.meta.url);

function environment() {
  const lines = existsSync(DEMO_FILE) ? readFileSync(DEMO_FILE, 'utf8').split('\n') : [];
  const settings = Object.fromEntries(lines.filter((line) => /^\w+=/.test(line)).map((line) => line.split(/=(.*)/, 2)));
  return { OPENPERP_URL: 'http://localhost:8080', ...settings, ...process.env };
}

/** The configuration of a ccxt exchange. */
export function readSettings() {
  const { OPENPERP_URL: rest, OPENPERP_APIKEY: apiKey } = environment();
  const { OPENPERP_REALTIME_URL: ws } = process.env; // otherwise the class reads it from the venue
  if (!apiKey) giveUp(new Error('there is no API key: run "npm start" first, or set OPENPERP_URL and OPENPERP_APIKEY'));
  return { apiKey, urls: { api: ws ? { rest, ws } : { rest } } };
}

/** Ends the program with one line: what is wrong, and what to do. */
export function giveUp(error) {
  console.error(`${basename(process.argv[1], '.mjs')}: ${explain(error)}`);
  process.exit(1);
}

function explain(error) {
  const { OPENPERP_URL: url } = environment();
  // A refusal of the venue is JSON within the message.
  const answer = /"safeMessage":("(?:[^"\\]|\\.)*")/.exec(error.message)?.[1];
  const reason = answer === undefined ? error.message.split('\n')[0] : JSON.parse(answer);
  if (error instanceof AuthenticationError)
    return process.env.OPENPERP_APIKEY
      ? `${url} refuses the API key in OPENPERP_APIKEY: ${reason} Set another one, or unset it to use the demo account of "npm start"`
      : `${url} refuses the API key in openperp-data/demo.env: ${reason} Does the file belong to another venue?`;
  if (error instanceof NetworkError && answer === undefined)
    return `no venue answers at ${url}: is "npm start" running? (${reason})`;
  return reason;
}
