/** The offline commands on the journal: parse the arguments, run on the data directory, return the text to print. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DEFAULT_DATA_DIRECTORY, UsageFault, usageFaultOf } from '#app/config.ts';
import { JOURNAL_FOLDER, PROJECTION_FILE } from '#host/ledger.ts';
import { inDirectory } from '#host/start-fault.ts';
import { inspectProjection } from '#projection/projection.ts';
import { systemBlocking } from '#time/system-time.ts';
import { type AccountOrdinal, parseAccountId } from '#units/ids.ts';
import type { VenueLedger } from '#venue/event.ts';
import { VENUE_LEDGERS } from '#venue/event.ts';
import { Venue } from '#venue/venue.ts';
import { lockDirectory } from '#writer/journal/directory-lock.ts';
import { nodeFiles, readableNodeFiles } from '#writer/journal/node-files.ts';
import { viewAccount } from '#writer/journal-tool/account-view.ts';
import type { BalanceMove } from '#writer/journal-tool/balance-moves.ts';
import { fundingMovesOf, ledgerMovesOf, marginMovesOf } from '#writer/journal-tool/balance-moves.ts';
import { consistentFiles } from '#writer/journal-tool/consistent-files.ts';
import { cashMovesOf, recordsBetween, recordsOfAccount } from '#writer/journal-tool/inspection.ts';
import { gapSegmentsText } from '#writer/journal-tool/journal-gap.ts';
import { committedRecordsOf, OfflineJournal } from '#writer/journal-tool/offline-journal.ts';
import { replayJournal } from '#writer/journal-tool/offline-replay.ts';
import { upgradeJournal } from '#writer/journal-tool/rules-upgrade.ts';
import { savedMargins } from '#writer/journal-tool/saved-margins.ts';
import { verifyJournal } from '#writer/journal-tool/verification.ts';
import { venueRules } from '#writer/recovery/venue-rules.ts';
import { WRITER_LIMITS } from '#writer/writer.ts';
import {
  balanceMovesText,
  cashMovesText,
  dataText,
  recordsText,
  replayText,
  unreadText,
  upgradeText,
  verificationText,
} from './journal-text.ts';
import { VERIFIED, type VerificationReport, type VerifiedStatus, verifiedStatus } from './journal-verdict.ts';

/** What each command does, in the words of its help. */
const SECTIONS = {
  verify: `  journal verify       reads the whole journal that is here, including the archive, and checks every digest, check sum and
                       number, and that snapshots and the projection match it and know no later records. It prints the
                       result and exits with the first of these statuses that applies:
                         1  something is wrong, or a segment is missing between others: the place is named
                         2  the journal is complete, but a snapshot is damaged: a start skips it and takes longer
                         3  what is here is sound, but the first segments were removed from the archive and not read
                         0  everything was read, from the first record on, and is sound`,
  inspect: `  journal inspect      shows records: with --sequence those around a record, with --account those of an account
      --sequence <n>     the record to show
      --around <n>       how many records before it and after it to show (0)
      --account <id>     shows the records that concern the account
      --why <balance>    shows the postings of a balance and their causes: with --account its cash, margin or funding; of the
                         venue, or with --account the share of the account, insurance, fees, deficit or funding
      --limit <n>        with --account or --why: the number of newest entries to show (100)
                       if records are missing, it says so; amounts and balances that depend on them are shown as unknown`,
  replay: `  journal replay       replays the journal and compares every event, byte for byte
      --from <place>     start, or snapshot: the newest one (start)
      --until <n>        the last record to replay (the last of the journal)
      --account <id>     shows the account as of that record: cash, positions, open orders`,
  upgrade: `  journal upgrade      upgrades the journal to the rules of this version; stop the older version cleanly before.
                       Make a copy of the data directory first: the upgrade cannot be undone`,
} as const;

const COMMON = `  --data-dir <path>    the data directory (${DEFAULT_DATA_DIRECTORY})
  --json               prints JSON instead of text
  --help               after a command: shows its options

All commands except upgrade are read-only, and may run while a venue uses the data directory.`;

export const JOURNAL_HELP = `Usage: npm run openperp -- journal <command> [options]

${Object.values(SECTIONS).join('\n')}

${COMMON}`;

const HELP_COMMAND = 'npm run openperp -- journal --help';

/** The text to print, and the exit status of the process. */
export interface JournalOutput {
  readonly text: string;
  /** A note for people, printed separately from JSON for programs. */
  readonly stderrText?: string;
  readonly status: VerifiedStatus;
}

type Options = ReturnType<typeof parse>['values'];

const COMMANDS: Readonly<Record<keyof typeof SECTIONS, { readonly options: readonly (keyof Options)[]; readonly run: Run }>> = {
  verify: { options: [], run: verify },
  inspect: { options: ['sequence', 'around', 'account', 'why', 'limit'], run: inspect },
  replay: { options: ['from', 'until', 'account'], run: replay },
  upgrade: { options: [], run: upgrade },
};
type Run = (dataDirectory: string, options: Options) => Promise<JournalOutput>;

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 100_000;

/** Rejects with a fault whose message is one line. */
export async function runJournalCommand(args: readonly string[]): Promise<JournalOutput> {
  const { values, positionals } = parse(args);
  if (positionals.length === 0) return succeeded(JOURNAL_HELP);
  const name = positionals.join(' ');
  if (!isCommand(name)) throw new UsageFault(`unknown command: journal ${name}; see ${HELP_COMMAND}`);
  if (values.help === true) return succeeded(helpOf(name));
  const command = COMMANDS[name];
  const { 'data-dir': dataDirectory = DEFAULT_DATA_DIRECTORY, json: _, help: __, ...options } = values;
  const foreign = Object.keys(options).find((option) => !command.options.includes(option as keyof Options));
  if (foreign !== undefined) throw new UsageFault(`journal ${name} has no option --${foreign}; see ${HELP_COMMAND}`);
  if (!existsSync(join(dataDirectory, JOURNAL_FOLDER))) {
    throw new UsageFault(`there is no journal in ${dataDirectory}: name the data directory of a venue with --data-dir`);
  }
  return inDirectory(dataDirectory, () => command.run(dataDirectory, values));
}

function isCommand(name: string): name is keyof typeof SECTIONS {
  return Object.hasOwn(SECTIONS, name);
}

function helpOf(name: keyof typeof SECTIONS): string {
  return `Usage: npm run openperp -- journal ${name} [options]\n\n${SECTIONS[name]}\n\n${COMMON}`;
}

async function verify(dataDirectory: string, { json }: Options): Promise<JournalOutput> {
  // Read before the journal, so that the journal has everything that a running venue writes in between.
  const path = join(dataDirectory, PROJECTION_FILE);
  const inspection = inspectProjection(path, 'checkpoint_alone', systemBlocking);
  const verified = await verifyJournal(await openJournal(dataDirectory));
  const found = { ...verified, ...readSoFar(path, inspection, verified.sequence) };
  const status = verifiedStatus(found);
  return { text: json === true ? dataText({ status, ...found }) : verificationText(found), status };
}

/** Reads the sequence up to which the projection has folded the journal. */
function readSoFar(
  path: string,
  inspection: ReturnType<typeof inspectProjection>,
  sequence: number,
): Pick<VerificationReport, 'projectionSequence' | 'projectionUntold'> {
  if (inspection.state === 'none') return { projectionSequence: undefined, projectionUntold: undefined };
  if (inspection.state !== 'folded') return { projectionSequence: undefined, projectionUntold: inspection.state };
  const projectionSequence = inspection.checkpoint.sequence;
  // Reads all pages only if the projection would keep a venue from starting: a damaged file is rebuilt.
  const isUnusable = projectionSequence > sequence && inspectProjection(path, 'every_page', systemBlocking).state === 'unusable';
  if (isUnusable) return { projectionSequence: undefined, projectionUntold: 'unusable' };
  return { projectionSequence, projectionUntold: undefined };
}

async function inspect(dataDirectory: string, options: Options): Promise<JournalOutput> {
  const { json, why } = options;
  const sequence = wholeNumber('--sequence', options.sequence);
  const account = accountOf(options.account);
  const limit = wholeNumber('--limit', options.limit, MAX_LIMIT) ?? DEFAULT_LIMIT;
  if (limit === 0) throw new UsageFault(`--limit 0: expected an integer of at least 1; see ${HELP_COMMAND}`);
  if (why !== undefined) {
    if (sequence !== undefined) throw new UsageFault(`use --why without --sequence; see ${HELP_COMMAND}`);
    return explain(dataDirectory, why, account, limit, json === true);
  }
  if ((sequence === undefined) === (account === undefined)) {
    throw new UsageFault(`journal inspect needs --sequence <n> or --account <id>; see ${HELP_COMMAND}`);
  }
  const journal = await openJournal(dataDirectory);
  const around = wholeNumber('--around', options.around, MAX_LIMIT) ?? 0;
  const records =
    account === undefined
      ? await recordsBetween(journal, sequence! - around, sequence! + around)
      : await recordsOfAccount(journal, account, limit);
  if (sequence !== undefined) refuseUnread(journal, sequence);
  return shown(journal, json === true, records, () => recordsText(records, journal.gaps));
}

/** Refuses a single record in a gap, and names the missing segments, instead of showing its neighbours. */
function refuseUnread({ gaps }: OfflineJournal, sequence: number): void {
  const gap = gaps.find(({ firstSequence, lastSequence }) => firstSequence <= sequence && sequence <= lastSequence);
  if (gap !== undefined) throw new UsageFault(`record ${sequence} is not here: restore ${gapSegmentsText(gap)} and try again`);
}

/** The result, and a note about records that could not be read. */
function shown(journal: OfflineJournal, asData: boolean, found: object, textOf: () => string): JournalOutput {
  const unread = unreadText(journal.gaps);
  if (asData) return { ...succeeded(dataText(found)), ...(unread !== '' && { stderrText: unread }) };
  return succeeded(unread === '' ? textOf() : `${textOf()}\n\n${unread}`);
}

/** Explains why a balance has its value. */
async function explain(
  dataDirectory: string,
  why: string,
  account: AccountOrdinal | undefined,
  limit: number,
  asData: boolean,
): Promise<JournalOutput> {
  const isOfAccount = why === 'cash' || why === 'margin';
  const ledger = VENUE_LEDGERS.find((name) => name === why);
  if ((isOfAccount && account === undefined) || (!isOfAccount && ledger === undefined)) {
    throw new UsageFault(
      `use --account <id> --why cash, margin or funding, or --why ${VENUE_LEDGERS.join(', ')}; see ${HELP_COMMAND}`,
    );
  }
  const journal = await openJournal(dataDirectory);
  if (why === 'cash') {
    const moves = await cashMovesOf(journal, account!, limit);
    return shown(journal, asData, moves, () => cashMovesText(moves, account!, limit, journal.gaps));
  }
  const moves = await balanceMoves(journal, why, ledger, account, limit);
  return shown(journal, asData, moves, () => balanceMovesText(moves, why, account, limit, journal.gaps));
}

async function balanceMoves(
  journal: OfflineJournal,
  why: string,
  ledger: VenueLedger | undefined,
  account: AccountOrdinal | undefined,
  limit: number,
): Promise<readonly BalanceMove[]> {
  if (account !== undefined && why === 'margin') {
    const saved = await savedMargins(journal, venueRules, account);
    return marginMovesOf(committedRecordsOf(journal), account, limit, saved);
  }
  const records = committedRecordsOf(journal);
  if (account !== undefined && why === 'funding') return fundingMovesOf(records, account, limit);
  return ledgerMovesOf(records, ledger!, account, limit);
}

async function replay(dataDirectory: string, options: Options): Promise<JournalOutput> {
  const { from = 'start', json } = options;
  if (from !== 'start' && from !== 'snapshot')
    throw new UsageFault(`--from ${from}: expected start or snapshot; see ${HELP_COMMAND}`);
  const until = wholeNumber('--until', options.until);
  const account = accountOf(options.account);
  const journal = await openJournal(dataDirectory);
  const { report, state } = await replayJournal(journal, venueRules, { from, ...(until !== undefined && { until }) });
  const view = account !== undefined && state instanceof Venue ? viewAccount(state.state, account) : undefined;
  if (account !== undefined && view === undefined) {
    throw new UsageFault(`there is no account ${options.account} after record ${report.sequence}`);
  }
  return succeeded(json === true ? dataText({ ...report, account: view }) : replayText(report, view));
}

async function upgrade(dataDirectory: string, { json }: Options): Promise<JournalOutput> {
  const lock = lockDirectory(dataDirectory);
  try {
    const files = await nodeFiles(lock, JOURNAL_FOLDER);
    const report = await upgradeJournal(files, venueRules, WRITER_LIMITS.segmentBytes);
    return succeeded(json === true ? dataText(report) : upgradeText(report));
  } finally {
    lock.release();
  }
}

async function openJournal(dataDirectory: string): Promise<OfflineJournal> {
  return OfflineJournal.open(await consistentFiles(readableNodeFiles(join(dataDirectory, JOURNAL_FOLDER))));
}

function succeeded(text: string): JournalOutput {
  return { text, status: VERIFIED.whole };
}

function accountOf(text: string | undefined): AccountOrdinal | undefined {
  if (text === undefined) return undefined;
  const account = parseAccountId(text);
  if (account === undefined) throw new UsageFault(`--account ${text}: expected an account id such as acct-7`);
  return account;
}

function wholeNumber(option: string, text: string | undefined, largest = Number.MAX_SAFE_INTEGER): number | undefined {
  if (text === undefined) return undefined;
  const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= largest)) throw new UsageFault(`${option} ${text}: expected an integer of at most ${largest}`);
  return value;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        'data-dir': { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean' },
        sequence: { type: 'string' },
        around: { type: 'string' },
        account: { type: 'string' },
        why: { type: 'string' },
        limit: { type: 'string' },
        from: { type: 'string' },
        until: { type: 'string' },
      },
    });
  } catch (error) {
    throw usageFaultOf(error, HELP_COMMAND);
  }
}
