/**
 * Several orders in one turn. Each is placed or cancelled in sequence as if sent alone, without other commands in between.
 * The first event of each entry is its outcome: the accepted or cancelled order, or the refusal.
 */
import type { AccountOrdinal, OrderOrdinal } from '#units/ids.ts';
import { isWholeLeverage } from '#units/leverage.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import { SIDES, termsLayout } from '#venue/record/parts.ts';
import type { Refusal } from '#venue/refusal.ts';
import { conditionsLayout, hasConditions } from '#venue/trigger/trigger-layouts.ts';
import type { Turn } from '#venue/turn.ts';
import { type AmendOrder, commitAmendment, planAmendment } from './amendment.ts';
import { commitCancellation, planCancellation } from './cancellation.ts';
import { type BatchEntry, MAX_BATCH_ENTRIES } from './order-terms.ts';
import { commitPlacement, planPlacement } from './placement.ts';

/** Places limit orders one after the other in one turn. Each is decided on its own; a refusal does not undo the others. */
export interface PlaceOrders {
  readonly type: 'PlaceOrders';
  readonly account: AccountOrdinal;
  readonly entries: readonly BatchEntry[];
  readonly idempotencyKey: string;
}

/** Cancels orders one after the other in one turn. Each is decided on its own. */
export interface CancelOrders {
  readonly type: 'CancelOrders';
  readonly account: AccountOrdinal;
  readonly orders: readonly OrderOrdinal[];
}

/** Amends orders one after the other in one turn. Each is decided on its own. */
export interface AmendOrders {
  readonly type: 'AmendOrders';
  readonly account: AccountOrdinal;
  readonly entries: readonly Amendment[];
}

/** One amendment of a batch, with the fields of {@link AmendOrder}. */
export type Amendment = Omit<AmendOrder, 'type' | 'account'>;

export type BatchCommand = PlaceOrders | CancelOrders | AmendOrders;

export const BATCH_COMMANDS: CommandRules<BatchCommand> = {
  PlaceOrders: {
    plan: planBatch,
    commit: commitPlacements,
    layout: {
      tag: 10,
      fields: (io, it) => ({
        type: 'PlaceOrders',
        account: io.int(it.account),
        entries: io.shortList(it.entries, wholeEntryLayout),
        idempotencyKey: io.text(it.idempotencyKey),
      }),
      extended: [
        {
          tag: 82,
          applies: ({ entries }) => entries.some((it) => hasConditions(it) || !isWholeLeverage(it.leverageHundredths)),
          fields: (io, it) => ({
            type: 'PlaceOrders',
            account: io.int(it.account),
            entries: io.shortList(it.entries, conditionalEntryLayout),
            idempotencyKey: io.text(it.idempotencyKey),
          }),
        },
      ],
    },
  },
  CancelOrders: {
    plan: planBatch,
    commit: commitCancellations,
    layout: {
      tag: 11,
      fields: (io, it) => ({
        type: 'CancelOrders',
        account: io.int(it.account),
        orders: io.shortList(it.orders, orderLayout),
      }),
    },
  },
  AmendOrders: {
    plan: planBatch,
    commit: commitAmendments,
    layout: {
      tag: 89,
      fields: (io, it) => ({
        type: 'AmendOrders',
        account: io.int(it.account),
        entries: io.shortList(it.entries, amendmentLayout),
      }),
    },
  },
};

function amendmentLayout(io: Cursor, it: Amendment): Amendment {
  return {
    market: io.int(it.market),
    order: io.int(it.order),
    priceAtoms: io.int(it.priceAtoms),
    quantityAtoms: io.int(it.quantityAtoms),
  };
}

function entryLayout(io: Cursor, it: BatchEntry, leverage: 'leverage' | 'wholeLeverage'): BatchEntry {
  return {
    market: io.int(it.market),
    clientOrderId: io.text(it.clientOrderId),
    side: io.oneOf(SIDES, it.side),
    terms: io.part(it.terms, termsLayout),
    reduceOnly: io.flag(it.reduceOnly),
    leverageHundredths: io[leverage](it.leverageHundredths),
  };
}

function wholeEntryLayout(io: Cursor, it: BatchEntry): BatchEntry {
  return entryLayout(io, it, 'wholeLeverage');
}

function conditionalEntryLayout(io: Cursor, it: BatchEntry): BatchEntry {
  return { ...entryLayout(io, it, 'leverage'), ...conditionsLayout(io, it) };
}

function orderLayout(io: Cursor, order: OrderOrdinal): OrderOrdinal {
  return io.int(order);
}

/** Refuses the whole batch only if its account is unknown or its length is out of bounds. */
export function planBatch(turn: Turn, command: BatchCommand): Refusal | undefined {
  const length = command.type === 'CancelOrders' ? command.orders.length : command.entries.length;
  if (turn.state.account(command.account) === undefined) return { code: 'account_not_found' };
  return length < 1 || length > MAX_BATCH_ENTRIES ? { code: 'batch_size_invalid', bound: MAX_BATCH_ENTRIES } : undefined;
}

export function commitPlacements(turn: Turn, { account, entries, idempotencyKey }: PlaceOrders): void {
  for (const [index, entry] of entries.entries()) {
    const command = { type: 'PlaceOrder', account, ...entry, idempotencyKey } as const;
    const refusal = planPlacement(turn, command);
    if (refusal === undefined) commitPlacement(turn, command);
    else refuseEntry(turn, index, refusal);
  }
}

export function commitCancellations(turn: Turn, { account, orders }: CancelOrders): void {
  for (const [index, order] of orders.entries()) {
    const command = { type: 'CancelOrder', account, order } as const;
    const refusal = planCancellation(turn, command);
    if (refusal === undefined) commitCancellation(turn, command);
    else refuseEntry(turn, index, refusal);
  }
}

export function commitAmendments(turn: Turn, { account, entries }: AmendOrders): void {
  for (const [index, entry] of entries.entries()) {
    const command = { type: 'AmendOrder', account, ...entry } as const;
    const refusal = planAmendment(turn, command);
    if (refusal === undefined) commitAmendment(turn, command);
    else refuseEntry(turn, index, refusal);
  }
}

function refuseEntry(turn: Turn, index: number, { code, order = 0 as OrderOrdinal, bound = 0 }: Refusal): void {
  turn.events.emit({ type: 'EntryRefused', index, code, order, bound });
}
