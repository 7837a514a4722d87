/**
 * Why a balance other than cash is what it is: every posting to a ledger of the venue, or what moved the margin of an
 * account's positions and what they paid in funding, as the events of the records tell it. What hangs on records that are not
 * here is left open.
 */
import type { AccountOrdinal, Sequence } from '#units/ids.ts';
import type { EpochMs, QuoteAtoms } from '#units/money.ts';
import type { VenueEvent, VenueLedger } from '#venue/event.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { RecordOrder } from './record-order.ts';
import type { SavedMargins } from './saved-margins.ts';

/** Records of a journal, oldest first. */
type Records = AsyncIterable<CommittedRecord> | Iterable<CommittedRecord>;

export interface BalanceMove {
  readonly sequence: Sequence;
  readonly epochMs: EpochMs;
  /** The posting, or what moved the position. */
  readonly kind: string;
  /** `undefined` where it is not known what the balance was before. */
  readonly amountAtoms: QuoteAtoms | undefined;
  /** `undefined` where it is a sum of which the beginning is not known. */
  readonly balanceAtoms: QuoteAtoms | undefined;
  readonly command: CommittedRecord['command']['type'];
  /** Whose it was, or of whose position or order it came, where that is told. */
  readonly account: AccountOrdinal | undefined;
  readonly reference: string | undefined;
  /** The amount is not what the balance moved by: the books do not add up here. */
  readonly isUnexplained: boolean;
}

/** Every posting to a ledger, oldest first; the newest `limit` of them, of those that came of an account where one is named. */
export async function ledgerMovesOf(
  records: Records,
  ledger: VenueLedger,
  account: AccountOrdinal | undefined,
  limit: number,
): Promise<readonly BalanceMove[]> {
  const found = new Newest(limit);
  const order = new RecordOrder();
  let balance: number | undefined = 0;
  for await (const record of records) {
    if (order.isBroken(record)) balance = undefined;
    for (const [place, event] of record.events.entries()) {
      if (event.type !== 'LedgerPosted' || event.ledger !== ledger) continue;
      const { amountAtoms, balanceAtoms } = event;
      const cause = causeOf(record.events, place);
      const isUnexplained = balance !== undefined && balance + amountAtoms !== balanceAtoms;
      balance = balanceAtoms;
      if (account !== undefined && cause.account !== account) continue;
      found.add({ ...placeOf(record), ...cause, amountAtoms, balanceAtoms, isUnexplained });
    }
  }
  return found.moves();
}

/**
 * Every change of the margin of an account's positions; the balance is that of the position which changed. What was before the
 * first that is here, `saved` tells where it can.
 */
export async function marginMovesOf(
  records: Records,
  account: AccountOrdinal,
  limit: number,
  saved: SavedMargins = new Map(),
): Promise<readonly BalanceMove[]> {
  const found = new Newest(limit);
  const order = new RecordOrder();
  const margins = new Map<number, number>();
  let isAllKnown = true;
  for await (const record of records) {
    if (order.isBroken(record)) {
      margins.clear();
      isAllKnown = false;
    }
    for (const [position, marginAtoms] of saved.get(record.sequence - 1) ?? []) margins.set(position, marginAtoms);
    for (const event of record.events) {
      if (event.type !== 'PositionChanged' && event.type !== 'FundingPaid') continue;
      if (event.account !== account) continue;
      const { position, marginAtoms } = event;
      const before = margins.get(position) ?? (begins(event) ? 0 : undefined);
      const amountAtoms = before === undefined ? undefined : ((marginAtoms - before) as QuoteAtoms);
      const isUnexplained = before === undefined && isAllKnown;
      margins.set(position, marginAtoms);
      const what = event.type === 'FundingPaid' ? 'funding' : event.cause;
      const kind = `${what}, position ${position}`;
      found.add({ ...placeOf(record), kind, account, amountAtoms, balanceAtoms: marginAtoms, isUnexplained });
    }
  }
  return found.moves();
}

/** The episode begins: there was no position before, and no margin. */
function begins(event: Extract<VenueEvent, { type: 'PositionChanged' | 'FundingPaid' }>): boolean {
  return event.type === 'PositionChanged' && event.signedBaseAtoms === event.changedBaseAtoms;
}

/**
 * Every payment of funding by an account's positions, below zero what they got; the balance is the sum of them since the account
 * was opened.
 */
export async function fundingMovesOf(records: Records, account: AccountOrdinal, limit: number): Promise<readonly BalanceMove[]> {
  const found = new Newest(limit);
  const order = new RecordOrder();
  let sum: number | undefined = 0;
  for await (const record of records) {
    if (order.isBroken(record)) sum = undefined;
    for (const event of record.events) {
      // Whatever is missing was before its time.
      if (event.type === 'AccountOpened' && event.account === account) sum = 0;
      if (event.type !== 'FundingPaid' || event.account !== account) continue;
      if (sum !== undefined) sum += event.paidAtoms;
      const kind = `period ${event.period}, position ${event.position}`;
      const moved = { amountAtoms: event.paidAtoms, balanceAtoms: sum as QuoteAtoms | undefined, isUnexplained: false };
      found.add({ ...placeOf(record), kind, account, ...moved });
    }
  }
  return found.moves();
}

/** A posting follows what it came of. What funding leaves over comes of nobody: it goes from its ledger into the fund. */
function causeOf(events: readonly VenueEvent[], place: number): Pick<BalanceMove, 'kind' | 'account'> {
  const event = events[place] as Extract<VenueEvent, { type: 'LedgerPosted' }>;
  const before = events[place - 1];
  const next = events[place + 1];
  const isGiven = next?.type === 'LedgerPosted' && next.ledger === 'insurance' && next.amountAtoms === -event.amountAtoms;
  const isTaken = before?.type === 'LedgerPosted' && before.ledger === 'funding' && before.amountAtoms === -event.amountAtoms;
  if ((event.ledger === 'funding' && isGiven && event.amountAtoms < 0) || (event.ledger === 'insurance' && isTaken))
    return { kind: 'funding remainder', account: undefined };
  for (let at = place - 1; at >= 0; at -= 1) {
    const earlier = events[at]!;
    if (earlier.type === 'CashPosted') return { kind: earlier.kind, account: earlier.account };
    if (earlier.type === 'FundingPaid') return { kind: `funding of period ${earlier.period}`, account: earlier.account };
    if (earlier.type !== 'LedgerPosted') break;
  }
  return { kind: 'posting', account: undefined };
}

function placeOf({ sequence, epochMs, command }: CommittedRecord) {
  const reference = 'reference' in command ? command.reference : undefined;
  return { sequence, epochMs, command: command.type, reference };
}

/** Keeps the newest of many. */
class Newest {
  readonly #limit: number;
  readonly #moves: BalanceMove[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(move: BalanceMove): void {
    this.#moves.push(move);
    if (this.#moves.length > 2 * this.#limit) this.#moves.splice(0, this.#moves.length - this.#limit);
  }

  moves(): readonly BalanceMove[] {
    return this.#moves.slice(-this.#limit);
  }
}
