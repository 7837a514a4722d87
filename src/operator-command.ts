/** The operator's commands on the command line: read, sent to the venue that runs on the data directory, printed. */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { OperatorRefusal, type OperatorRequest } from '#operator/action.ts';
import { askOperator } from '#operator/client.ts';
import { DEFAULT_DATA_DIRECTORY, UsageFault, usageFaultOf } from './config.ts';

export const HELP = `Usage: npm run openperp -- <command> [options]

  start                                  runs a venue: npm start -- --help
  account create                         an account with an API key, which is told once
      --label <text>                       a name for people
      --credit <amount>                    what it begins with, in USD.E (0)
      --scopes <scope>[,<scope>...]        read, trade, funding, agents (read,trade)
      --expires-at <time>                  when its key ends, such as 2030-01-31T12:00:00Z (never)
      --no-party                           without the party binding that trading needs
  account credit <accountId> <amount>    adds USD.E to an account
      --reference <text>                   where it came from, for the books (its key)
  account retire <accountId>             ends an account without open orders and positions
  api-key create <accountId>             another key for an account; takes --label, --scopes, --expires-at
  api-key revoke <accountId> <keyId>     ends a key
  market status <marketId> <status>      open, reduce_only, cancel_only or closed (closed is for good, and only once
                                         nothing is held there)
  insurance credit <amount>              adds USD.E to the insurance fund; takes --reference
  venue status                           what the venue says of itself: its ledgers in USD.E, and of each market
                                         status, index status, index price, mark price and open interest
  journal verify | inspect | replay | upgrade
                                         reads the journal itself, with or without a venue: journal --help
  projections rebuild                    folds what is read anew from the journal, without a venue: projections --help

  --key <text>                           with account create, account credit, api-key create, insurance credit: the
                                         command is carried out once for its key within a day, and may be repeated;
                                         of the API keys that it told the last one is valid (a new key each time)
  --data-dir <path>                      the data directory of the running venue (${DEFAULT_DATA_DIRECTORY})
  --json                                 prints data instead of text`;

const HELP_COMMAND = 'npm run openperp -- help';

interface Wishes {
  readonly label?: string | undefined;
  readonly credit?: string | undefined;
  readonly scopes?: string | undefined;
  readonly 'expires-at'?: string | undefined;
  readonly party?: boolean | undefined;
  readonly reference?: string | undefined;
  readonly key?: string | undefined;
}

interface OperatorCommand {
  /** What has to follow the command, in order. */
  readonly operands: readonly string[];
  /** The options that it takes, beyond those that all take. */
  readonly options: readonly (keyof Wishes)[];
  readonly request: (operands: readonly string[], wishes: Wishes) => object;
}

const COMMANDS: Readonly<Record<string, OperatorCommand>> = {
  'account create': {
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
    operands: ['accountId', 'amount'],
    options: ['reference', 'key'],
    request: ([accountId, amount], { reference, key }) => ({ action: 'account.credit', accountId, amount, reference, key }),
  },
  'account retire': { operands: ['accountId'], options: [], request: ([accountId]) => ({ action: 'account.retire', accountId }) },
  'api-key create': {
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
  'api-key revoke': {
    operands: ['accountId', 'keyId'],
    options: [],
    request: ([accountId, keyId]) => ({ action: 'api-key.revoke', accountId, keyId }),
  },
  'market status': {
    operands: ['marketId', 'status'],
    options: [],
    request: ([marketId, status]) => ({ action: 'market.status', marketId, status }),
  },
  'insurance credit': {
    operands: ['amount'],
    options: ['reference', 'key'],
    request: ([amount], { reference, key }) => ({ action: 'insurance.credit', amount, reference, key }),
  },
  'venue status': { operands: [], options: [], request: () => ({ action: 'venue.status' }) },
};

/** The refusals after which the command may have been carried out, or may yet be. */
const UNKNOWN_OUTCOMES: ReadonlySet<string> = new Set(['timeout', 'closed', 'failed', 'venue_halted']);

/** What to print. Rejects with a fault whose message is one line. The venue's answer is waited for so long. */
export async function runOperatorCommand(args: readonly string[], patienceMs?: number): Promise<string> {
  const { values, positionals } = parse(args);
  if (values.help === true) return HELP;
  const name = positionals.slice(0, 2).join(' ');
  const command = COMMANDS[name];
  if (command === undefined) throw new UsageFault(`there is no command ${name}; see ${HELP_COMMAND}`);
  const operands = positionals.slice(2);
  if (operands.length !== command.operands.length) {
    throw new UsageFault(`write: ${[name, ...command.operands.map((operand) => `<${operand}>`)].join(' ')}; see ${HELP_COMMAND}`);
  }
  const { 'data-dir': dataDirectory = DEFAULT_DATA_DIRECTORY, json, help: _, ...wishes } = values;
  const foreign = Object.keys(wishes).find((option) => !command.options.includes(option as keyof Wishes));
  if (foreign !== undefined) throw new UsageFault(`${name} takes no --${foreign}; see ${HELP_COMMAND}`);
  const key = command.options.includes('key') ? (wishes.key ?? randomUUID()) : undefined;
  // The venue checks what it is sent: the command line knows no more of it than where it goes.
  const request = command.request(operands, { ...wishes, key }) as OperatorRequest;
  const result = await askOperator(dataDirectory, request, patienceMs).catch((error: unknown) => {
    throw error instanceof OperatorRefusal ? withKey(error, key) : error;
  });
  return json === true ? JSON.stringify(result, undefined, 2) : rendered(result);
}

/** Tells how to ask again where nobody knows what came of the command. */
function withKey({ code, message }: OperatorRefusal, key: string | undefined): OperatorRefusal {
  if (key === undefined || !UNKNOWN_OUTCOMES.has(code)) return new OperatorRefusal(code, message);
  const told = message.replace(/\.$/, '');
  return new OperatorRefusal(code, `${told}; it may have been done all the same: to repeat it safely, add --key ${key}`);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      allowNegative: true,
      options: {
        'data-dir': { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean' },
        label: { type: 'string' },
        credit: { type: 'string' },
        scopes: { type: 'string' },
        'expires-at': { type: 'string' },
        party: { type: 'boolean' },
        reference: { type: 'string' },
        key: { type: 'string' },
      },
    });
  } catch (error) {
    throw usageFaultOf(error, HELP_COMMAND);
  }
}

/** `accountId  acct-7`, a line each; an entry of a list is one line of its own. */
function rendered(result: object): string {
  const entries = Object.entries(result);
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${renderedValue(value)}`).join('\n');
}

function renderedValue(value: unknown): string {
  if (!Array.isArray(value)) return String(value);
  if (!value.some((entry) => typeof entry === 'object')) return value.length === 0 ? '-' : value.join(', ');
  return value.map((entry: object) => `\n  ${Object.values(entry).join('  ')}`).join('');
}
