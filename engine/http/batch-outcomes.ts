/**
 * A batch, split into the entries that the venue is asked to place and those that are refused before, and put together
 * again. The outcomes depend on the body, the record and what never changes of a market: a replay says the same.
 */
import type { LimitPlacement, OrderOutcome } from '#contract/order-batches.ts';
import { renderAccountId } from '#units/ids.ts';
import type { BatchEntry } from '#venue/command.ts';
import type { EntryRefused } from '#venue/event.ts';
import type { CommittedRecord } from '#writer/submit.ts';
import { marketOfBody, placementEntry } from './placement.ts';
import type { Directory, ListedMarket } from './reads.ts';
import { Refused } from './refused.ts';
import { refusalMessage } from './venue-refusal.ts';

/** One that the venue decides on, or why it is not asked: it has no such market, or no such amounts. */
export type DraftedEntry = { readonly listed: ListedMarket; readonly entry: BatchEntry } | { readonly refused: Refused };

export function draftEntries(directory: Directory, orders: readonly LimitPlacement[]): readonly DraftedEntry[] {
  return orders.map((body) => {
    try {
      const listed = marketOfBody(directory, body.marketId);
      return { listed, entry: placementEntry(listed, body) };
    } catch (thrown) {
      if (thrown instanceof Refused) return { refused: thrown };
      throw thrown;
    }
  });
}

/** What became of each entry, in request order. */
export function batchOutcomes(
  directory: Directory,
  orders: readonly LimitPlacement[],
  record: CommittedRecord,
): readonly OrderOutcome[] {
  const { command } = record;
  if (command.type !== 'PlaceOrders') throw new Error(`record ${record.sequence} is no batch`);
  const refusals = new Map(record.events.filter(isEntryRefused).map((event) => [event.index, event]));
  const placed = directory.placedOrders(record).values();
  let asked = 0;
  return draftEntries(directory, orders).map((drafted, index) => {
    const body = orders[index]!;
    const rejected = ({ code, message }: Pick<Refused, 'code' | 'message'>) => ({
      index,
      accepted: false as const,
      accountId: renderAccountId(command.account),
      marketId: body.marketId,
      status: 'rejected' as const,
      lastSequence: record.sequence,
      idempotencyKey: command.idempotencyKey,
      clientOrderId: body.clientOrderId,
      code: code as Extract<OrderOutcome, { accepted: false }>['code'],
      safeMessage: message,
    });
    if ('refused' in drafted) return rejected(drafted.refused);
    // Of a market that was listed since the batch came, no entry was asked.
    if (command.entries[asked]?.market !== drafted.entry.market) return rejected(new Refused('unknown_market'));
    const refusal = refusals.get(asked);
    asked += 1;
    if (refusal !== undefined) {
      return rejected({ code: refusal.code, message: refusalMessage(refusal, drafted.listed.specification) });
    }
    const { value: order } = placed.next();
    if (order === undefined) throw new Error(`record ${record.sequence} neither took nor refused its entry ${asked}`);
    const { version, ...taken } = order;
    return { index, accepted: true as const, ...taken };
  });
}

function isEntryRefused(event: CommittedRecord['events'][number]): event is EntryRefused {
  return event.type === 'EntryRefused';
}
