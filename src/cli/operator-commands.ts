/** The table of the operator's commands: operands, options, the request to the venue, and the help. */
import { columns, type Term } from '#app/command-help.ts';
import { DEFAULT_DATA_DIRECTORY } from '#app/config.ts';
import { changesOf } from './market-input.ts';

/** The options of a command, as text. */
export interface OperatorOptions {
  readonly label?: string | undefined;
  readonly credit?: string | undefined;
  readonly scopes?: string | undefined;
  readonly 'expires-at'?: string | undefined;
  readonly party?: boolean | undefined;
  readonly legacy?: boolean | undefined;
  readonly reference?: string | undefined;
  readonly limit?: string | undefined;
  readonly after?: string | undefined;
  readonly 'after-offset'?: string | undefined;
  readonly set?: string | undefined;
  readonly file?: string | undefined;
  readonly key?: string | undefined;
}

export interface OperatorCommand {
  readonly meaning: string;
  /** The required operands, in order. */
  readonly operands: readonly string[];
  /** The options besides those that every command has. */
  readonly options: readonly (keyof OperatorOptions)[];
  /** Field names are the names of operands and options in camel case. */
  readonly request: (operands: readonly string[], options: OperatorOptions) => object;
  /** Its key is also the id of the movement of money, which the venue keeps for good. */
  readonly movesMoney?: true;
  /** What to do instead of giving a negative amount. */
  readonly ofNegative?: string;
}

export const COMMANDS: Readonly<Record<string, OperatorCommand>> = {
  'account create': {
    meaning: 'creates an account with an API key, which is shown once',
    operands: [],
    options: ['label', 'credit', 'scopes', 'expires-at', 'party', 'key'],
    movesMoney: true,
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
    movesMoney: true,
    request: ([accountId, amount], { reference, key }) => ({ action: 'account.credit', accountId, amount, reference, key }),
    ofNegative: 'use account debit to take money from an account',
  },
  'account debit': {
    meaning: 'withdraws USD.E from an account, at most the available amount; the withdrawal is settled at once',
    operands: ['accountId', 'amount'],
    options: ['reference', 'key'],
    movesMoney: true,
    request: ([accountId, amount], { reference, key }) => ({ action: 'account.debit', accountId, amount, reference, key }),
  },
  'account list': {
    meaning: 'lists accounts with their money, ordered by number',
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
    meaning: 'retires an account without open orders and positions',
    operands: ['accountId'],
    options: ['legacy'],
    request: ([accountId], { legacy }) => ({ action: 'account.retire', accountId, legacy }),
  },
  'api-key create': {
    meaning: 'creates another key for an account',
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
    meaning: 'revokes a key',
    operands: ['accountId', 'keyId'],
    options: [],
    request: ([accountId, keyId]) => ({ action: 'api-key.revoke', accountId, keyId }),
  },
  'market create': {
    meaning:
      'lists a market: scales, bounds and terms follow from the price of the underlying in USD, unless --set or --file gives them; the terms are in force at once, ' +
      'and its index is generated, except where the venue has none',
    operands: ['marketId', 'price'],
    options: ['set', 'file'],
    request: ([marketId, price], { set, file }) => ({ action: 'market.create', marketId, price, changes: changesOf(file, set) }),
  },
  'market update': {
    meaning:
      'changes fields of a market, all at once or none: not its ids, scales, price bounds, funding period and auto-deleveraging, and nothing that would put a position ' +
      'below maintenance',
    operands: ['marketId'],
    options: ['set', 'file'],
    request: ([marketId], { set, file }) => ({ action: 'market.update', marketId, changes: changesOf(file, set) }),
  },
  'market list': {
    meaning: 'lists the markets with their main terms, and the first listing rule that one breaks',
    operands: [],
    options: [],
    request: () => ({ action: 'market.list' }),
  },
  'market status': {
    meaning: 'sets open, reduce_only, cancel_only or closed (closed is final, and needs a market without positions)',
    operands: ['marketId', 'status'],
    options: [],
    request: ([marketId, status]) => ({ action: 'market.status', marketId, status }),
  },
  'insurance credit': {
    meaning: 'adds USD.E to the insurance fund',
    operands: ['amount'],
    options: ['reference', 'key'],
    movesMoney: true,
    request: ([amount], { reference, key }) => ({ action: 'insurance.credit', amount, reference, key }),
  },
  'withdrawal block': {
    meaning:
      'ends a withdrawal of an owner that has no step on the external ledger; its cash returns, and its owner reads the reason',
    operands: ['withdrawalId', 'reason'],
    options: [],
    request: ([withdrawalId, reason]) => ({ action: 'withdrawal.block', withdrawalId, reason }),
  },
  'venue status': {
    meaning:
      'shows the state of the venue: its environment, status and capabilities, its ledgers in USD.E, its deployments, and for each market the status, index status, index price, mark price and ' +
      'open interest',
    operands: [],
    options: [],
    request: () => ({ action: 'venue.status' }),
  },
  'venue halt': {
    meaning: 'stops orders, fills, liquidations and funding; cancels and reads continue',
    operands: [],
    options: [],
    request: () => ({ action: 'venue.set-status', status: 'halted' }),
  },
  'venue pause-intake': {
    meaning: 'refuses new risk and moving money; cancels, orders that reduce, liquidations and funding continue',
    operands: [],
    options: [],
    request: () => ({ action: 'venue.set-status', status: 'intake_paused' }),
  },
  'venue resume': {
    meaning: 'opens the venue after a halt or a pause',
    operands: [],
    options: [],
    request: () => ({ action: 'venue.set-status', status: 'open' }),
  },
  'venue capability': {
    meaning:
      'sets on or off for trading, deposits, withdrawals, transfers, agents, affiliate, registration or provider:<id> (a sign-in provider)',
    operands: ['capability', 'state'],
    options: [],
    request: ([capability, state]) => ({ action: 'venue.capability', capability, state }),
  },
  'ledger list': {
    meaning:
      'lists entries of the external ledger, oldest first: what each moved, and whether the journal knows who submitted it',
    operands: [],
    options: ['after-offset', 'limit'],
    request: (_, { 'after-offset': afterOffset, limit }) => ({ action: 'ledger.list', afterOffset, limit }),
  },
  'ledger accept': {
    meaning:
      'ends a difference between ledger and journal: you have dealt with all entries of the ledger up to this offset, whose event id ledger list shows; the reason is ' +
      'journaled, and transfers stay off until you switch them on',
    operands: ['offset', 'ledgerEventId', 'reason'],
    options: [],
    request: ([offset, ledgerEventId, reason]) => ({ action: 'ledger.accept', offset, ledgerEventId, reason }),
  },
};

const OPTIONS: Readonly<Record<keyof OperatorOptions, Term>> = {
  label: ['--label <text>', 'a name for people'],
  credit: ['--credit <amount>', 'the initial balance, in USD.E (0)'],
  scopes: ['--scopes <scope>[,<scope>...]', 'what the key may do: read, trade, funding, agents (read,trade)'],
  'expires-at': ['--expires-at <time>', 'when the key expires, such as 2030-01-31T12:00:00Z (never)'],
  party: ['--no-party', 'without the party binding that trading needs'],
  legacy: ['--legacy', 'retires it as a legacy account, which its refusals name'],
  reference: ['--reference <text>', 'the source or destination of the money, for bookkeeping; it may repeat (its key)'],
  limit: ['--limit <number>', 'how many at most, 1 to 500 (100)'],
  after: ['--after <accountId>', 'the last account of the page before'],
  'after-offset': ['--after-offset <offset>', 'entries after this one (the newest that the journal knows)'],
  set: ['--set <field>=<value>[,...]', 'fields of the specification, such as maxLeverageX=10,takerFeeBps=6'],
  file: ['--file <path>', 'a JSON object of such fields; --set replaces them, and maintenanceMarginTiers are only possible here'],
  key: ['--key <text>', 'the idempotency key: within a day, a repeated command takes effect once'],
};

const MONEY_KEY =
  'the id of the movement of money, for good: repeated within a day, the command returns its first result; later it is refused with ' +
  'money_id_used, and nothing moves';
const LAST_API_KEY = 'of the API keys that it returned only the last one is valid';

const ALWAYS: readonly Term[] = [
  ['--data-dir <path>', `the data directory of the running venue (${DEFAULT_DATA_DIRECTORY})`],
  ['--json', 'prints JSON instead of text'],
  ['--help', 'after a command: shows its options'],
];

const STARTS: readonly Term[] = [
  ['start', 'runs a venue: npm start -- --help'],
  ['gateway', 'serves /v2 in front of a venue that runs elsewhere: npm run gateway -- --help'],
  ['connect', 'asks an owner for an API key of a venue, and writes it to a file: connect --help'],
];
/** Commands that need no running venue. */
const OFFLINE: readonly Term[] = [
  ['journal verify | inspect | replay | upgrade', 'reads the journal itself, with or without a venue: journal --help'],
  ['projections rebuild', 'rebuilds the projection from the journal, without a venue: projections --help'],
  ['agents backtest', 'runs a strategy script over a file of candles: agents backtest --help'],
];

export const HELP = `Usage: npm run openperp -- <command> [options]

${columns(indented([...STARTS, ...Object.entries(COMMANDS).map(overview), ...OFFLINE]), 43)}

${columns(indented(ALWAYS), 43)}`;

/** The output of `<command> --help`. */
export function helpOf(name: string, command: OperatorCommand): string {
  const terms = [...command.options.map((option) => (option === 'key' ? keyTerm(command) : OPTIONS[option])), ...ALWAYS];
  const sentence = `${command.meaning[0]?.toUpperCase()}${command.meaning.slice(1)}.`;
  return `Usage: npm run openperp -- ${usageOf(name, command)} [options]

${columns([['', sentence]], 2)}

${columns(indented(terms), 34)}`;
}

function keyTerm({ movesMoney, options }: OperatorCommand): Term {
  const [flag, once] = OPTIONS.key;
  const meanings = [movesMoney ? MONEY_KEY : once, ...(options.includes('scopes') ? [LAST_API_KEY] : [])];
  return [flag, `${meanings.join('; ')} (a new key each time)`];
}

/** The command with its operands. */
export function usageOf(name: string, { operands }: OperatorCommand): string {
  return [name, ...operands.map((operand) => `<${operand}>`)].join(' ');
}

/** The option's flag, without its value. */
export function optionName(option: keyof OperatorOptions): string {
  return OPTIONS[option][0].split(' ', 1)[0] ?? '';
}

function overview([name, command]: readonly [string, OperatorCommand]): Term {
  const takes = command.options.map(optionName).join(', ');
  return [usageOf(name, command), takes === '' ? command.meaning : `${command.meaning}; takes ${takes}`];
}

function indented(terms: readonly Term[]): readonly Term[] {
  return terms.map(([term, meaning]) => [`  ${term}`, meaning]);
}
