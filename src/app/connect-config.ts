/** The options of `connect`. */
import { parseArgs } from 'node:util';
import { DEFAULT_KEY_LIFETIME_DAYS, KEY_SCOPES, MAX_KEY_LIFETIME_DAYS } from '#contract/agent-connect.ts';
import { columns } from './command-help.ts';
import { UsageFault, usageFaultOf, venueUrlOf } from './config.ts';

type KeyScope = (typeof KEY_SCOPES)[number];

export interface ConnectConfig {
  /** The base URL of the venue, without a trailing slash. */
  readonly url: string;
  readonly scopes: readonly KeyScope[];
  /** How long the key is valid. */
  readonly days: number;
  /** The program's name for itself, which the owner sees. */
  readonly label: string;
  /** The key is written to it. */
  readonly file: string;
}

const HELP_COMMAND = 'npm run openperp -- connect --help';
const DEFAULT_LABEL = 'openperp-connect';
const DEFAULT_FILE = './openperp-key.env';
const MAX_LABEL_LENGTH = 64;

export const CONNECT_HELP = `Usage: npm run openperp -- connect --url <url> [options]

Asks the owner of an account for an API key: prints a code and a link, waits until the owner has approved it there, and writes the key to
a file that only this user can read, with the names that the examples use. The key itself is not printed.

${columns(
  [
    [
      '--url <url>',
      'the venue, such as https://venue.example: the key comes back over it, so use https on networks that others can read',
    ],
    ['--scope <scope>[,<scope>...]', `what the key permits: ${KEY_SCOPES.join(', ')} (read,trade)`],
    ['--days <days>', `how long the key is valid, at most ${MAX_KEY_LIFETIME_DAYS} (${DEFAULT_KEY_LIFETIME_DAYS})`],
    ['--label <text>', `the name of your program, as the owner sees it (${DEFAULT_LABEL})`],
    ['--out <file>', `the new file (${DEFAULT_FILE})`],
    ['--help', 'this text'],
  ],
  31,
)}`;

/** Reads the options; returns `help` if the caller should print {@link CONNECT_HELP}. Throws {@link UsageFault}. */
export function readConnectConfig(args: readonly string[]): ConnectConfig | 'help' {
  const values = parseOptions(args);
  if (values.help === true) return 'help';
  if (values.url === undefined) throw new UsageFault(`--url is missing: give the URL of the venue; see ${HELP_COMMAND}`);
  const { label = DEFAULT_LABEL, out = DEFAULT_FILE } = values;
  if (label === '' || [...label].length > MAX_LABEL_LENGTH || /\p{C}/u.test(label))
    throw new UsageFault(`--label: expected 1 to ${MAX_LABEL_LENGTH} characters in one line`);
  if (out === '') throw new UsageFault('--out is empty');
  const [scopes, days] = [scopesOf(values.scope ?? 'read,trade'), daysOf(values.days)];
  return { url: venueUrlOf('--url', values.url), scopes, days, label, file: out };
}

function daysOf(text = String(DEFAULT_KEY_LIFETIME_DAYS)): number {
  const days = /^[0-9]{1,3}$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > MAX_KEY_LIFETIME_DAYS) throw new UsageFault(`--days ${text}: expected 1 to ${MAX_KEY_LIFETIME_DAYS}`);
  return days;
}

function scopesOf(text: string): readonly KeyScope[] {
  const names = text.split(',');
  return names.map((name, index) => {
    const scope = KEY_SCOPES.find((known) => known === name);
    if (scope === undefined) throw new UsageFault(`--scope ${name}: expected some of ${KEY_SCOPES.join(', ')}`);
    if (names.indexOf(name) !== index) throw new UsageFault(`--scope names ${name} twice`);
    return scope;
  });
}

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        url: { type: 'string' },
        scope: { type: 'string' },
        days: { type: 'string' },
        label: { type: 'string' },
        out: { type: 'string' },
        help: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw usageFaultOf(error, HELP_COMMAND);
  }
}
