/** The operator's commands as the command line has them: what each takes, what it asks of the venue, and its help. */
import { columns, type Term } from '#app/command-help.ts';
import { DEFAULT_DATA_DIRECTORY } from '#app/config.ts';

/** What the options of a command say, as text. */
export interface Wishes {
  readonly label?: string | undefined;
  readonly credit?: string | undefined;
  readonly scopes?: string | undefined;
  readonly 'expires-at'?: string | undefined;
  readonly party?: boolean | undefined;
  readonly reference?: string | undefined;
  readonly limit?: string | undefined;
  readonly after?: string | undefined;
  readonly key?: string | undefined;
}

export interface OperatorCommand {
  readonly meaning: string;
  /** What has to follow the command, in order. */
  readonly operands: readonly string[];
  /** The options that it takes, beyond those that all take. */
  readonly options: readonly (keyof Wishes)[];
  /** Fields go by the names of operands and options, in camel case. */
  readonly request: (operands: readonly string[], wishes: Wishes) => object;
  /** What to do instead of giving a negative amount. */
  readonly ofNegative?: string;
}

export const COMMANDS: Readonly<Record<string, OperatorCommand>> = {
  'account create': {
    meaning: 'makes an account with an API key, which is told once',
    operands: [],
    options: ['label', 'credit', 'scopes', 'expires-at', 'party', 'key'],
    request: (_, { label, credit, scopes, 'expires-at': expiresAt, party, key }) => ({
      action: 'account.create',
      label,
      credit,
      scopes: scopes?.split(','),
      expiresAt,
      party,
      key,
    }),
  },
  'account credit': {
    meaning: 'adds USD.E to an account',
    operands: ['accountId', 'amount'],
    options: ['reference', 'key'],
    request: ([accountId, amount], { reference, key }) => ({ action: 'account.credit', accountId, amount, reference, key }),
    ofNegative: 'account debit takes money from an account',
  },
  'account debit': {
    meaning: 'takes USD.E out of an account and of the venue: at most what is available, as a withdrawal that is settled at once',
    operands: ['accountId', 'amount'],
    options: ['reference', 'key'],
    request: ([accountId, amount], { reference, key }) => ({ action: 'account.debit', accountId, amount, reference, key }),
  },
  'account list': {
    meaning: 'lists accounts with their money, in the order of their numbers',
    operands: [],
    options: ['limit', 'after'],
    request: (_, { limit, after }) => ({ action: 'account.list', limit, after }),
  },
  'account show': {
    meaning: 'shows the money, positions and open orders of an account',
    operands: ['accountId'],
    options: [],
    request: ([accountId]) => ({ action: 'account.show', accountId }),
  },
  'account retire': {
    meaning: 'ends an account without open orders and positions',
    operands: ['accountId'],
    options: [],
    request: ([accountId]) => ({ action: 'account.retire', accountId }),
  },
  'api-key create': {
    meaning: 'makes another key for an account',
    operands: ['accountId'],
    options: ['label', 'scopes', 'expires-at', 'key'],
    request: ([accountId], { label, scopes, 'expires-at': expiresAt, key }) => ({
      action: 'api-key.create',
      accountId,
      label,
      scopes: scopes?.split(','),
      expiresAt,
      key,
    }),
  },
  'api-key list': {
    meaning: 'lists the keys of an account that are not revoked, without their secrets',
    operands: ['accountId'],
    options: [],
    request: ([accountId]) => ({ action: 'api-key.list', accountId }),
  },
  'api-key revoke': {
    meaning: 'ends a key',
    operands: ['accountId', 'keyId'],
    options: [],
    request: ([accountId, keyId]) => ({ action: 'api-key.revoke', accountId, keyId }),
  },
  'market status': {
    meaning: 'sets open, reduce_only, cancel_only or closed (closed is for good, and only once nothing is held there)',
    operands: ['marketId', 'status'],
    options: [],
    request: ([marketId, status]) => ({ action: 'market.status', marketId, status }),
  },
  'insurance credit': {
    meaning: 'adds USD.E to the insurance fund',
    operands: ['amount'],
    options: ['reference', 'key'],
    request: ([amount], { reference, key }) => ({ action: 'insurance.credit', amount, reference, key }),
  },
  'venue status': {
    meaning:
      'tells what the venue says of itself: its ledgers in USD.E, and of each market status, index status, index price, mark price and ' +
      'open interest',
    operands: [],
    options: [],
    request: () => ({ action: 'venue.status' }),
  },
};

const OPTIONS: Readonly<Record<keyof Wishes, Term>> = {
  label: ['--label <text>', 'a name for people'],
  credit: ['--credit <amount>', 'what it begins with, in USD.E (0)'],
  scopes: ['--scopes <scope>[,<scope>...]', 'what the key may do: read, trade, funding, agents (read,trade)'],
  'expires-at': ['--expires-at <time>', 'when the key ends, such as 2030-01-31T12:00:00Z (never)'],
  party: ['--no-party', 'without the party binding that trading needs'],
  reference: ['--reference <text>', 'where the money came from or goes to, for the books (its key)'],
  limit: ['--limit <number>', 'how many at most, 1 to 500 (100)'],
  after: ['--after <accountId>', 'the last account of the page before'],
  key: [
    '--key <text>',
    'the command is carried out once for its key within a day, and may be repeated; of the API keys that it told the last one is ' +
      'valid (a new key each time)',
  ],
};

const ALWAYS: readonly Term[] = [
  ['--data-dir <path>', `the data directory of the running venue (${DEFAULT_DATA_DIRECTORY})`],
  ['--json', 'prints data instead of text'],
  ['--help', 'after a command: what it takes'],
];

const STARTS: readonly Term[] = [
  ['start', 'runs a venue: npm start -- --help'],
  ['gateway', 'serves /v2 in front of a venue that runs elsewhere: npm run gateway -- --help'],
];
/** What works on the data directory, with or without a venue. */
const OFFLINE: readonly Term[] = [
  ['journal verify | inspect | replay | upgrade', 'reads the journal itself, with or without a venue: journal --help'],
  ['projections rebuild', 'folds what is read anew from the journal, without a venue: projections --help'],
];

export const HELP = `Usage: npm run openperp -- <command> [options]

${columns(indented([...STARTS, ...Object.entries(COMMANDS).map(overview), ...OFFLINE]), 43)}

${columns(indented(ALWAYS), 43)}`;

/** What `<command> --help` prints. */
export function helpOf(name: string, command: OperatorCommand): string {
  const terms = [...command.options.map((option) => OPTIONS[option]), ...ALWAYS];
  const sentence = `${command.meaning[0]?.toUpperCase()}${command.meaning.slice(1)}.`;
  return `Usage: npm run openperp -- ${usageOf(name, command)} [options]

${columns([['', sentence]], 2)}

${columns(indented(terms), 34)}`;
}

/** The command with what has to follow it. */
export function usageOf(name: string, { operands }: OperatorCommand): string {
  return [name, ...operands.map((operand) => `<${operand}>`)].join(' ');
}

/** How an option is written, without its value. */
export function optionName(option: keyof Wishes): string {
  return OPTIONS[option][0].split(' ', 1)[0] ?? '';
}

function overview([name, command]: readonly [string, OperatorCommand]): Term {
  const takes = command.options.map(optionName).join(', ');
  return [usageOf(name, command), takes === '' ? command.meaning : `${command.meaning}; takes ${takes}`];
}

function indented(terms: readonly Term[]): readonly Term[] {
  return terms.map(([term, meaning]) => [`  ${term}`, meaning]);
}
