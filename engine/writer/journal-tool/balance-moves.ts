/**
 * Explains balances other than cash from the events of the records: every posting to a ledger of the venue, or the margin changes
 * and funding payments of an account's positions. What depends on missing records stays undefined.
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
  /** The kind of posting, or what moved the position. */
  readonly kind: string;
  /** `undefined` if the previous balance is unknown. */
  readonly amountAtoms: QuoteAtoms | undefined;
  /** `undefined` if it is a sum whose start is unknown. */
  readonly balanceAtoms: QuoteAtoms | undefined;
  readonly command: CommittedRecord['command']['type'];
  /** The account of the posting, or of the position or order that caused it, if known. */
  readonly account: AccountOrdinal | undefined;
  readonly reference: string | undefined;
  /** The amount differs from the change of the balance: the books do not add up here. */
  readonly isUnexplained: boolean;
}

/** The newest `limit` postings to a ledger, oldest first; only those caused by `account` if given. */
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
 * Every margin change of an account's positions; the balance is that of the changed position. `saved` supplies the margins before
 * the first available record, if known.
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
      if (!changesMargin(event)) continue;
      if (event.account !== account) continue;
      const { position, marginAtoms } = event;
      const before = margins.get(position) ?? (opensEpisode(event) ? 0 : undefined);
      const amountAtoms = before === undefined ? undefined : ((marginAtoms - before) as QuoteAtoms);
      const isUnexplained = before === undefined && isAllKnown;
      margins.set(position, marginAtoms);
      const what = event.type === 'PositionChanged' ? event.cause : MARGIN_CAUSES[event.type];
      const kind = `${what}, position ${position}`;
      found.add({ ...placeOf(record), kind, account, amountAtoms, balanceAtoms: marginAtoms, isUnexplained });
    }
  }
  return found.moves();
}

const MARGIN_CAUSES = { FundingPaid: 'funding', PositionMarginAdjusted: 'adjustment' } as const;
type MarginEvent = Extract<VenueEvent, { type: 'PositionChanged' | keyof typeof MARGIN_CAUSES }>;

function changesMargin(event: VenueEvent): event is MarginEvent {
  return event.type === 'PositionChanged' || event.type in MARGIN_CAUSES;
}

/** The episode starts: there was no position before, and no margin. */
function opensEpisode(event: MarginEvent): boolean {
  return event.type === 'PositionChanged' && event.signedBaseAtoms === event.changedBaseAtoms;
}

/**
 * Every funding payment of an account's positions, negative if received. The balance is their sum since the account was opened.
 */
export async function fundingMovesOf(records: Records, account: AccountOrdinal, limit: number): Promise<readonly BalanceMove[]> {
  const found = new Newest(limit);
  const order = new RecordOrder();
  let sum: number | undefined = 0;
  for await (const record of records) {
    if (order.isBroken(record)) sum = undefined;
    for (const event of record.events) {
      // Missing records are from before its opening.
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

/**
 * A posting follows the event that caused it. The remainder of funding belongs to no account: it goes from its ledger to the
 * fund.
 */
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
