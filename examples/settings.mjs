/** Where the venue is and whose key to use: what the environment says, or else the file that `npm start` leaves for its demo account. */
import { existsSync, readFileSync } from 'node:fs';

const DEMO_FILE = new URL('../openperp-data/demo.env', import.meta.url);

/** What a ccxt exchange is made with. */
export function readSettings() {
  const lines = existsSync(DEMO_FILE) ? readFileSync(DEMO_FILE, 'utf8').split('\n') : [];
  const kept = Object.fromEntries(lines.filter((line) => /^\w+=/.test(line)).map((line) => line.split(/=(.*)/, 2)));
  const { OPENPERP_URL: rest = 'http://localhost:8080', OPENPERP_APIKEY: apiKey } = { ...kept, ...process.env };
  const { OPENPERP_REALTIME_URL: ws } = process.env; // else the venue is asked for it
  if (!apiKey) throw new Error('there is no API key: run "npm start" first, or set OPENPERP_URL and OPENPERP_APIKEY');
  return { apiKey, urls: { api: ws ? { rest, ws } : { rest } } };
}
