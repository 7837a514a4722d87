/**
 * `npm run compat` as a function: runs every suite on a venue of its own, or with `--url` and `--apikey` on a running one. Returns
 * a table, or JSON with `--json`. Exit status: 0, 1 if a check failed, 2 if nothing could be checked.
 */
import { parseArgs } from 'node:util';
import { bootVenue } from './booted-venue.ts';
import { findCheckout } from './modern/checkout.ts';
import { renderReport } from './report.ts';
import { runChecks } from './run.ts';
import { messageOf } from './watched.ts';

const HELP = `Usage: npm run compat -- [options]

Checks the ccxt class openperp and the interface /v2, method by method, on a venue that it starts for itself or on a running one.
It takes about a minute, and longer with --ccxt.

Each key of has that is true, or that names no method (CORS, spot), is a row: the result of each suite ("no module" if ccxt ships
no test of it, "–" if a suite does not check it), and the overall result. A row passes if no suite finds a fault and at least one
has tested it, and is skipped if a running venue has no data to check it with. A method whose key is false must throw before any
request. The last line counts the rows, and the methods that are not claimed. Suites:

  ccxt 2.9.8        the tests that this version ships, the last to do so
  ours              stricter checks, and checks of methods without a test
  the checkout      with --ccxt: the tests of that tree, named by its version
  python sync       with --ccxt: the tree's transpiler writes Python and PHP of the class, both are linted (PHP if php is
  python async      installed), and the tree's Python tests run against the venue: synchronous, asyncio and sockets. Needs the
  python sockets    dependencies of the tree's build and of its Python: npm install there, aiohttp, requests, …
  fixtures          requests and responses in ccxt's static format, without a venue; with --ccxt by the tree's own runner too
  /v2 2.9.8, ours   the same against /v2 itself, through an exchange that returns its responses unchanged
  /v1=/v2           what the class reads from /v1 compared with the responses of /v2, field by field

Skipped tests and workarounds for faults of a suite are listed below the table with the reason.

  --ccxt <path>     a source tree of ccxt, whose tests run too (not its exchanges)
  --python <path>   with --ccxt: the interpreter of its Python tests (python3)
  --short           ccxt's own tests of the socket methods watch each for ten updates instead of ten seconds
  --json            the report as JSON: passed, failed, skipped, notClaimed (counts), suites (the same for each), faults, languages, and
                    methods, each { method, result, checks, reason }
  --url <address>   a running venue, instead of one started for the run
  --apikey <key>    with --url: a key with the scopes read and trade, of an account with some 1,000 USD.E and no orders or
                    positions. The checks trade with it, so nothing else may meanwhile. Default: OPENPERP_APIKEY
  --help            this text

Exit status: 0, 1 when a method or a language failed, 2 when the checks could not be run.`;

export interface CompatOutput {
  readonly status: 0 | 1 | 2;
  readonly stdout: string;
  readonly stderr: string;
}

interface Target {
  readonly url: string;
  readonly apiKey: string;
  readonly isBooted: boolean;
  stop(): Promise<void>;
}

/** Checks that still wait for an update may remain after status 2: a process then ends itself. */
export async function compat(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<CompatOutput> {
  try {
    return await checked(args, environment);
  } catch (error) {
    return { status: 2, stdout: '', stderr: `compat: ${messageOf(error)}` };
  }
}

async function checked(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<CompatOutput> {
  const { values } = parseArgs({
    args: [...args],
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
  if (values.help) return { status: 0, stdout: HELP, stderr: '' };
  if (values.apikey !== undefined && values.url === undefined) throw new Error('--apikey goes with --url');
  if (values.python !== undefined && values.ccxt === undefined) throw new Error('--python goes with --ccxt');
  const checkout = values.ccxt === undefined ? undefined : findCheckout(values.ccxt);
  const target =
    values.url === undefined ? await bootTarget() : namedTarget(values.url, values.apikey ?? environment.OPENPERP_APIKEY);
  try {
    if (process.stderr.isTTY) console.error(`compat: checks ${target.url}, which takes about a minute`);
    const report = await runChecks({ ...target, watch: values.short ? 'short' : 'whole', checkout, python: values.python });
    const stdout = values.json ? JSON.stringify(report, undefined, 2) : renderReport(report);
    const hasPassed = report.failed === 0 && report.languages.every(({ result }) => result !== 'fail');
    return { status: hasPassed ? 0 : 1, stdout, stderr: '' };
  } finally {
    await target.stop();
  }
}

async function bootTarget(): Promise<Target> {
  const venue = await bootVenue();
  const { apiKey } = await venue.openAccount('100000');
  return { url: venue.url, apiKey, isBooted: true, stop: () => venue.stop() };
}

function namedTarget(url: string, apiKey: string | undefined): Target {
  if (!/^https?:\/\//.test(url)) throw new Error('--url takes an address like http://localhost:8080');
  if (apiKey === undefined) throw new Error('--url needs an API key: give --apikey, or set OPENPERP_APIKEY');
  return { url: url.replace(/\/+$/, ''), apiKey, isBooted: false, stop: async () => undefined };
}
