/**
 * `npm run compat`: the checks on a venue of their own, or with `--url` and `--apikey` on one that is up.
 * Prints the table, or the same as JSON with `--json`. Exit status: 0, 1 when a method failed, 2 when none could be checked.
 */
import { parseArgs } from 'node:util';
import { bootVenue } from './booted-venue.ts';
import { renderReport } from './report.ts';
import { runChecks } from './run.ts';

const HELP = `Usage: npm run compat -- [options]

Runs ccxt's own unified-method tests, those that ccxt 2.9.8 ships, and ours against the class openperp. A method that
the class claims in has is one row: what ccxt's test says of it ("no module" where ccxt ships none), what ours say
("–" where there are none), and the result, which is a pass when neither fails. A method that it does not claim must be
refused before any request. The last line counts methods, each once.

  --json            the report as JSON: passed, failed, notClaimed (methods, each once), suites (the same for each),
                    methods, each { method, result, checks: { upstream, own }, reason }
  --url <address>   a venue that is up, instead of one booted for the run
  --apikey <key>    with --url: a key that may read and trade, of an account with funds and without orders or
                    positions, which is traded with; else OPENPERP_APIKEY
  --help            this text

Exit status: 0, 1 when a method failed, 2 when the checks could not be run.`;

interface Target {
  readonly url: string;
  readonly apiKey: string;
  stop(): Promise<void>;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { json: { type: 'boolean' }, url: { type: 'string' }, apikey: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  if (values.apikey !== undefined && values.url === undefined) throw new Error('--apikey goes with --url');
  const target = values.url === undefined ? await bootTarget() : namedTarget(values.url, values.apikey);
  try {
    const report = await runChecks(target.url, target.apiKey);
    console.log(values.json ? JSON.stringify(report, undefined, 2) : renderReport(report));
    return report.failed === 0 ? 0 : 1;
  } finally {
    await target.stop();
  }
}

async function bootTarget(): Promise<Target> {
  const venue = await bootVenue();
  const { apiKey } = await venue.openAccount('100000');
  return { url: venue.url, apiKey, stop: () => venue.stop() };
}

function namedTarget(url: string, given: string | undefined): Target {
  if (!/^https?:\/\//.test(url)) throw new Error('--url takes an address like http://localhost:8080');
  const apiKey = given ?? process.env.OPENPERP_APIKEY;
  if (apiKey === undefined) throw new Error('--url needs an API key: give --apikey, or set OPENPERP_APIKEY');
  return { url: url.replace(/\/+$/, ''), apiKey, stop: async () => undefined };
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`compat: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
}
