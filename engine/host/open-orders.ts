/** Reads the currently open orders from the writer's state. */
import type { OpenOrders } from '#reads/open-orders.ts';
import type { Venue } from '#venue/venue.ts';
import { VenueHalted } from '#writer/port/submit.ts';
import type { Writer } from '#writer/writer.ts';

export function openOrdersIn(writer: Writer<Venue>): OpenOrders {
  return {
    named: (account, names) => writer.peek((venue, now) => venue.ordersNamed(account, names, now)),
    all: (account, market) => writer.peek((venue) => venue.openOrders(account, market)),
    cancelTimers: (account) =>
      writer.readAtCommit((venue) =>
        venue.cancelTimers(account).map(({ market, deadlineEpochMs }) => ({
          marketId: venue.state.market(market)?.specification.marketId ?? null,
          cancelsAtEpochMs: deadlineEpochMs,
        })),
      ),
    isDue: () => writer.peek((venue, now) => venue.hasDueOrders(now)),
    settled: async () => {
      try {
        await writer.readAtCommit(() => undefined);
      } catch (thrown) {
        if (!(thrown instanceof VenueHalted)) throw thrown;
      }
    },
  };
}
