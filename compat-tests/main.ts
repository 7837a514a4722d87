/**
 * `npm run compat`: the checks on a venue of their own, or with `--url` and `--apikey` on one that is up.
 * Prints the table, or the same as JSON with `--json`. Exit status: 0, 1 when a check failed, 2 when none could be run.
 */
import { parseArgs } from 'node:util';
import { bootVenue } from './booted-venue.ts';
import { renderReport } from './report.ts';
import { runChecks } from './run.ts';

const HELP = `Usage: npm run compat -- [options]

Runs ccxt's own unified-method tests, and ours, against the class openperp.

  --json            the report as JSON
  --url <address>   a venue that is up, instead of one booted for the run
  --apikey <key>    with --url: a key that may read and trade, of an account with funds and without orders or
                    positions; else OPENPERP_APIKEY
  --help            this text`;

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
