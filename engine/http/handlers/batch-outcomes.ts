/**
 * Turns a batch into a command, and its record into outcomes. The record has an entry for every entry of the body, so the
 * outcomes depend only on these two and on constants of a market: a replay is the same.
 */
import type { LimitPlacement, OrderOutcome } from '#contract/order-batches.ts';
import { Refused } from '#contract/refused.ts';
import type { Directory, ListedMarket } from '#reads/reads.ts';
import { type MarketOrdinal, renderAccountId } from '#units/ids.ts';
import { baseAtoms, priceAtoms } from '#units/money.ts';
import type { BatchEntry, OrderTerms } from '#venue/command.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { placementEntry, unknownMarket } from './placement.ts';
import { refusalMessage } from './venue-refusal.ts';

const UNKNOWN_MARKET = 0 as MarketOrdinal;
const UNPLACEABLE = { kind: 'limit', priceAtoms: priceAtoms(0), quantityAtoms: baseAtoms(0), postOnly: false } as const;

/**
 * The entries of the command. An entry whose market is unknown, or whose amounts do not fit its market, is replaced by {@link
 * NOTHING}, which the venue refuses: so every entry keeps its index.
 */
export function batchEntries(directory: Directory, orders: readonly LimitPlacement[]): readonly BatchEntry[] {
  return orders.map((body) => {
    const listed = directory.listedMarket(body.marketId);
    const entry = listed && entryOrRefusal(listed, body);
    if (entry !== undefined && !(entry instanceof Refused)) return entry;
    const { clientOrderId, side } = body;
    return {
      market: listed?.market ?? UNKNOWN_MARKET,
      clientOrderId,
      side,
      terms: UNPLACEABLE,
      reduceOnly: false,
      leverageHundredths: 0,
    };
  });
}

/** The outcome of each entry, in request order. */
export function batchOutcomes(
  directory: Directory,
  orders: readonly LimitPlacement[],
  record: CommittedRecord,
): readonly OrderOutcome[] {
  const { command, events } = record;
  if (command.type !== 'PlaceOrders') throw new Error(`record ${record.sequence} is no batch`);
  const refusals = new Map(events.flatMap((event) => (event.type === 'EntryRefused' ? [[event.index, event]] : [])));
  const placed = directory.placedOrders(record).values();
  return orders.map((body, index) => {
    const rejected = ({ code, message }: Pick<Refused, 'code' | 'message'>) => ({
      index,
      accepted: false as const,
      orderId: null,
      accountId: renderAccountId(command.account),
      marketId: body.marketId,
      status: 'rejected' as const,
      lastSequence: record.sequence,
      idempotencyKey: command.idempotencyKey,
      clientOrderId: body.clientOrderId,
      code: code as Extract<OrderOutcome, { accepted: false }>['code'],
      safeMessage: message,
    });
    const { market, terms } = command.entries[index]!;
    // The market was unknown then; it may have been listed since.
    if (market === UNKNOWN_MARKET) return rejected(unknownMarket(body.marketId));
    const listed = directory.listedMarket(body.marketId)!;
    const unrequested = isUnplaceable(terms) ? entryOrRefusal(listed, body) : undefined;
    if (unrequested instanceof Refused) return rejected(unrequested);
    const refusal = refusals.get(index);
    if (refusal !== undefined) {
      return rejected({ code: refusal.code, message: refusalMessage(refusal, { specification: listed.specification, body }) });
    }
    const { value: order } = placed.next();
    if (order === undefined) throw new Error(`record ${record.sequence} neither took nor refused its entry ${index}`);
    const { version, ...taken } = order;
    return { index, accepted: true as const, ...taken };
  });
}

/** Whether an entry is the replacement of unfit amounts, or has zero amounts itself. */
function isUnplaceable(terms: OrderTerms): boolean {
  return (
    terms.kind === 'limit' && terms.priceAtoms === UNPLACEABLE.priceAtoms && terms.quantityAtoms === UNPLACEABLE.quantityAtoms
  );
}

function entryOrRefusal(listed: ListedMarket, body: LimitPlacement): BatchEntry | Refused {
  try {
    return placementEntry(listed, body);
  } catch (thrown) {
    if (thrown instanceof Refused) return thrown;
    throw thrown;
  }
}
