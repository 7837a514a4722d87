/** Looks up records in a journal: around a sequence, of an account, and the postings that explain an account's cash. */
import { type AccountOrdinal, renderDepositId, renderWithdrawalId, type Sequence } from '#units/ids.ts';
import type { EpochMs, QuoteAtoms } from '#units/money.ts';
import type { PostingKind, VenueEvent } from '#venue/event.ts';
import { recordsOf } from '#writer/journal/group.ts';
import { committedRecord } from '#writer/journal/record.ts';
import { recordDigest } from '#writer/journal/record-digests.ts';
import { segmentName } from '#writer/journal/segment.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import type { OfflineJournal } from './offline-journal.ts';
import { RecordOrder } from './record-order.ts';

/** A record and its position. */
export interface InspectedRecord extends CommittedRecord {
  readonly rulesVersion: number;
  readonly segment: string;
  readonly offset: number;
  /** It came with an idempotency key. */
  readonly isKeyed: boolean;
  /** SHA-256 of its bytes, in hex. */
  readonly digest: string;
}

/** A record of the walk. Its digest takes time, so only what is found gets it. */
interface WalkedRecord extends Omit<InspectedRecord, 'digest'> {
  readonly digest: () => string;
}

/** A change of the account's cash. */
export interface CashMove {
  readonly sequence: Sequence;
  readonly epochMs: EpochMs;
  readonly kind: PostingKind;
  readonly amountAtoms: QuoteAtoms;
  readonly cashAtoms: QuoteAtoms;
  /** The command that caused it, and its account if it has one. */
  readonly command: CommittedRecord['command']['type'];
  readonly by: AccountOrdinal | undefined;
  readonly reference: string | undefined;
  /** The deposit, withdrawal, transfer and money ids of the movement, as clients know them. */
  readonly ids: readonly string[];
  /** The account's previous event in the same record: a fill, a payment of funding. */
  readonly after: VenueEvent | undefined;
  /** The amount differs from the change of the balance: the books do not add up here. */
  readonly isUnexplained: boolean;
}

/** The maximum number of records returned at once. */
export const MAX_INSPECTED = 100_000;

/** The records from `first` to `last`, both included. */
export async function recordsBetween(journal: OfflineJournal, first: number, last: number): Promise<readonly InspectedRecord[]> {
  const found: InspectedRecord[] = [];
  for await (const record of recordsFrom(journal, first)) {
    if (record.sequence > last) break;
    if (record.sequence >= first) found.push(inspected(record));
  }
  return found;
}

/** The newest `limit` records that concern an account, oldest first. */
export async function recordsOfAccount(
  journal: OfflineJournal,
  account: AccountOrdinal,
  limit: number,
): Promise<readonly InspectedRecord[]> {
  const found: InspectedRecord[] = [];
  for await (const record of recordsFrom(journal, 0)) {
    if (!concerns(record, account)) continue;
    found.push(inspected(record));
    if (found.length > 2 * limit) found.splice(0, found.length - limit);
  }
  return found.slice(-limit);
}

function inspected(record: WalkedRecord): InspectedRecord {
  return { ...record, digest: record.digest() };
}

/** The newest `limit` postings to an account's cash, oldest first. */
export async function cashMovesOf(journal: OfflineJournal, account: AccountOrdinal, limit: number): Promise<readonly CashMove[]> {
  const found: CashMove[] = [];
  const order = new RecordOrder();
  let balance: number | undefined;
  for await (const record of recordsFrom(journal, 0)) {
    if (order.isBroken(record)) balance = undefined;
    let after: VenueEvent | undefined;
    for (const event of record.events) {
      if (event.type === 'CashPosted' && event.account === account) {
        const isUnexplained = balance !== undefined && balance + event.amountAtoms !== event.cashAtoms;
        balance = event.cashAtoms;
        found.push(moveOf(record, event, after, isUnexplained));
        if (found.length > 2 * limit) found.splice(0, found.length - limit);
      } else if ('account' in event && event.account === account) {
        after = event;
      }
    }
  }
  return found.slice(-limit);
}

function moveOf(
  record: WalkedRecord,
  { kind, amountAtoms, cashAtoms }: Extract<VenueEvent, { type: 'CashPosted' }>,
  after: VenueEvent | undefined,
  isUnexplained: boolean,
): CashMove {
  const { sequence, epochMs, command } = record;
  const by = 'account' in command ? command.account : undefined;
  const reference = 'reference' in command ? command.reference : undefined;
  const cause = { command: command.type, by, reference, ids: idsOf(record, kind), after };
  return { sequence, epochMs, kind, amountAtoms, cashAtoms, ...cause, isUnexplained };
}

/** Ids of other movements are not in the same record. */
function idsOf({ sequence, events }: WalkedRecord, kind: PostingKind): readonly string[] {
  const ids = events.flatMap((event) => {
    switch (event.type) {
      case 'DepositConfirmed':
        return [renderDepositId(event.deposit)];
      case 'WithdrawalReserved':
      case 'WithdrawalRequested':
      case 'WithdrawalReleased':
        return [renderWithdrawalId(event.withdrawal)];
      case 'MoneyIdUsed':
        return [event.moneyId];
      default:
        return [];
    }
  });
  return kind === 'deposit' ? [...ids, `deposit-${sequence}`] : ids;
}

/** Every record from the segment on that contains `first`. */
async function* recordsFrom(journal: OfflineJournal, first: number): AsyncGenerator<WalkedRecord> {
  for await (const group of journal.groups(first)) {
    if (group.lastSequence < first) continue;
    for (const { record, offset } of recordsOf(group)) {
      yield {
        ...committedRecord(record),
        rulesVersion: record.rulesVersion,
        segment: segmentName(group.segment),
        offset: group.offset + offset,
        isKeyed: record.key !== undefined,
        digest: () => recordDigest(group, offset),
      };
    }
  }
}

function concerns({ command, events }: WalkedRecord, account: AccountOrdinal): boolean {
  return names(command, account) || events.some((event) => names(event, account));
}

/** Only these fields name accounts. */
function names(it: object, account: AccountOrdinal): boolean {
  const { account: owner, agentAccount, from, to } = it as Partial<Record<'account' | 'agentAccount' | 'from' | 'to', number>>;
  return owner === account || agentAccount === account || from === account || to === account;
}
