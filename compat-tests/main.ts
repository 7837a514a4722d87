/**
 * `npm run compat`: every suite on a venue of its own, or with `--url` and `--apikey` on one that is up.
 * Prints the table, or the same as JSON with `--json`. Exit status: 0, 1 when something failed, 2 when nothing could be checked.
 */
import { parseArgs } from 'node:util';
import { bootVenue } from './booted-venue.ts';
import { findCheckout } from './modern/checkout.ts';
import { renderReport } from './report.ts';
import { runChecks } from './run.ts';
import { saidBy } from './watched.ts';

const HELP = `Usage: npm run compat -- [options]

Checks the ccxt class openperp and the interface /v2, method by method, on a venue that it starts for itself or on one that is up.
It takes about a minute, and longer with --ccxt.

Each key of has that is true, or that names no method (CORS, spot), is a row: what each suite says of it ("no module" where ccxt ships
no test of it, "–" where a suite does not ask), and the result. It passes where no suite finds a fault and at least one has tested it, and is skipped where a venue that is
up has nothing to check it by. A method whose key is false must be refused before any request. The last line counts the rows, and
the methods that are not claimed. Suites:

  ccxt 2.9.8        the tests that this version ships, the last to do so
  ours              what those are content with, and what they have no test of
  the checkout      with --ccxt: the tests of that tree, named by its version
  python sync       with --ccxt: the tree's transpiler makes Python and PHP of the class, both are linted (PHP where php is
  python async      installed), and the tree's Python tests are run against the venue, with and without asyncio and of the
  python sockets    sockets. It needs what the tree's build and its Python need: npm install there, aiohttp, requests, …
  fixtures          requests and answers in ccxt's static format, without a venue; with --ccxt by the tree's own runner too
  /v2 2.9.8, ours   the same against /v2 itself, by an exchange that returns its answers as they are
  /v1=/v2           what the class reads out of /v1 beside what /v2 answers, field by field

What a suite could not be asked or had to be helped with, for a fault of its own or for want of anything to see, is listed below the
table with the reason.

  --ccxt <path>     a source tree of ccxt, whose tests are run as well (its exchanges are not)
  --python <path>   with --ccxt: the interpreter of its Python tests (python3)
  --short           ccxt's own tests of the socket methods watch each until it has answered ten times, and not for ten seconds
  --json            the report as JSON: passed, failed, skipped, notClaimed (how many), suites (the same for each), faults, languages, and
                    methods, each { method, result, checks, reason }
  --url <address>   a venue that is up, instead of one booted for the run
  --apikey <key>    with --url: a key that may read and trade, of an account with some 1,000 USD.E and no orders or
                    positions. It is traded with, so nobody else may meanwhile. Else OPENPERP_APIKEY
  --help            this text

Exit status: 0, 1 when a method or a language failed, 2 when the checks could not be run.`;

interface Target {
  readonly url: string;
  readonly apiKey: string;
  readonly isBooted: boolean;
  stop(): Promise<void>;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      ccxt: { type: 'string' },
      python: { type: 'string' },
      short: { type: 'boolean' },
      json: { type: 'boolean' },
      url: { type: 'string' },
      apikey: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  if (values.apikey !== undefined && values.url === undefined) throw new Error('--apikey goes with --url');
  if (values.python !== undefined && values.ccxt === undefined) throw new Error('--python goes with --ccxt');
  const checkout = values.ccxt === undefined ? undefined : findCheckout(values.ccxt);
  const target = values.url === undefined ? await bootTarget() : namedTarget(values.url, values.apikey);
  try {
    if (process.stderr.isTTY) console.error(`compat: checks ${target.url}, which takes about a minute`);
    const report = await runChecks({ ...target, watch: values.short ? 'short' : 'whole', checkout, python: values.python });
    console.log(values.json ? JSON.stringify(report, undefined, 2) : renderReport(report));
    return report.failed === 0 && report.languages.every(({ result }) => result !== 'fail') ? 0 : 1;
  } finally {
    await target.stop();
  }
}

async function bootTarget(): Promise<Target> {
  const venue = await bootVenue();
  const { apiKey } = await venue.openAccount('100000');
  return { url: venue.url, apiKey, isBooted: true, stop: () => venue.stop() };
}

function namedTarget(url: string, given: string | undefined): Target {
  if (!/^https?:\/\//.test(url)) throw new Error('--url takes an address like http://localhost:8080');
  const apiKey = given ?? process.env.OPENPERP_APIKEY;
  if (apiKey === undefined) throw new Error('--url needs an API key: give --apikey, or set OPENPERP_APIKEY');
  return { url: url.replace(/\/+$/, ''), apiKey, isBooted: false, stop: async () => undefined };
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`compat: ${saidBy(error)}`);
  // What still waits for an update would keep the process.
  process.exit(2);
}
