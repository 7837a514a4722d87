/**
 * The postings of cash that the ledger of an account has beside its fills and funding payments. They come from the postings of a record, so
 * that the ledger adds up to the atom whatever caused them. A trade outside of liquidations adds no row.
 */
import { renderWithdrawalId } from '#units/ids.ts';
import { ZERO_QUOTE } from '#units/money.ts';
import type { CashPosted, OrderFilled, PositionMarginAdjusted, PostingKind, VenueEvent } from '#venue/event.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import type { CashMovementKind, CashMovementRow } from './account-rows.ts';
import type { Rows } from './table.ts';

/** `fill`: the row of the fill has it. `within`: it moves between cash and the margin of a position. */
const KINDS: Readonly<Record<PostingKind, CashMovementKind | 'fill' | 'within'>> = {
  deposit: 'deposit',
  trade_fee: 'fill',
  realized_pnl: 'fill',
  margin_lock: 'within',
  margin_release: 'within',
  deficit_cover: 'insurance_covered',
  insurance_cover: 'insurance_covered',
  liquidation_fee: 'liquidation_fee',
  withdrawal_reserve: 'withdrawal',
  withdrawal_release: 'withdrawal_release',
  transfer_out: 'transfer',
  transfer_in: 'transfer',
};

export function foldCashMovements(movements: Rows<CashMovementRow>, { events, sequence, epochMs }: CommittedRecord): void {
  let reference: string | undefined;
  // The postings of a fill follow it.
  let fill: OrderFilled | undefined;
  for (let posting = 0; posting < events.length; posting += 1) {
    const event = events[posting]!;
    if (event.type === 'OrderFilled') fill = event;
    reference = referenceOf(event) ?? reference;
    const kind = event.type === 'CashPosted' ? movementKindOf(event) : undefined;
    if (event.type !== 'CashPosted' || kind === undefined) continue;
    const { account, amountAtoms } = event;
    const cause = isOfPosition(kind)
      ? { ...causeOf(account, fill, events), reference: '' }
      : { ...NO_CAUSE, reference: reference ?? `deposit-${sequence}` };
    movements.put({ account, movedAtEpochMs: epochMs, sequence, posting, kind, amountAtoms, ...cause });
  }
}

/** `undefined` if the posting is no movement. */
function movementKindOf({ kind, amountAtoms }: CashPosted): CashMovementKind | undefined {
  const found = KINDS[kind];
  if (found === 'fill' || found === 'within') return undefined;
  return found === 'insurance_covered' && amountAtoms < ZERO_QUOTE ? 'insurance_repaid' : found;
}

function isOfPosition(kind: CashMovementKind): boolean {
  return kind === 'liquidation_fee' || kind === 'insurance_covered' || kind === 'insurance_repaid';
}

/** A withdrawal or a transfer is emitted before its postings. */
function referenceOf(event: VenueEvent): string | undefined {
  switch (event.type) {
    case 'WithdrawalReserved':
    case 'WithdrawalRequested':
    case 'WithdrawalReleased':
      return renderWithdrawalId(event.withdrawal);
    case 'CashTransferred':
      return event.reference;
    default:
      return undefined;
  }
}

type Cause = Pick<CashMovementRow, 'market' | 'position' | 'order' | 'trade'>;
const NO_CAUSE: Cause = { market: 0, position: 0, order: 0, trade: 0 };

/** The fill, or else the removal of margin, which repays the insurance fund. */
function causeOf(account: number, fill: OrderFilled | undefined, events: readonly VenueEvent[]): Cause {
  if (fill?.account === account) {
    const { market, position, order, trade } = fill;
    return { market, position, order, trade };
  }
  const isAdjustment = (event: VenueEvent): event is PositionMarginAdjusted =>
    event.type === 'PositionMarginAdjusted' && event.account === account;
  const adjusted = events.find(isAdjustment);
  return adjusted === undefined ? NO_CAUSE : { ...NO_CAUSE, market: adjusted.market, position: adjusted.position };
}
