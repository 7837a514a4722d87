import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { VenueEvent } from '#venue/event.ts';
import { ByteReader, ByteWriter, MalformedRecord } from './cursor.ts';
import { EVENTS } from './event-layouts.ts';
import { readEvent } from './event-reader.ts';
import { EventWriter } from './event-writer.ts';
import { anyEvent } from './testing/events.ts';

/** `OPENPERP_RECORD_RUNS=1000000 npx vitest run engine/venue/record` tries 1,000,000 records. */
const RUNS = Number(process.env.OPENPERP_RECORD_RUNS ?? 3_000);

/** Emits like the core: by the event's own method, if the writer has one. */
function emit(writer: EventWriter, event: VenueEvent): void {
  const name = (event.type[0]!.toLowerCase() + event.type.slice(1)) as 'cashPosted';
  if (name in EventWriter.prototype) writer[name](event as never);
  else writer.emit(event);
}

test('reads every event as it was emitted, at any position in a record', () => {
  const types = new Set<string>();
  fc.assert(
    fc.property(fc.array(anyEvent, { minLength: 1, maxLength: 6 }), (events) => {
      const bytes = new ByteWriter(8);
      const writer = new EventWriter(bytes);
      for (const event of events) emit(writer, event);
      for (const event of events) types.add(event.type);
      expect(writer.count).toBe(events.length);
      const reader = new ByteReader(bytes.copy());
      expect(events.map(() => readEvent(reader))).toEqual(events);
      expect(reader.isAtEnd).toBe(true);
    }),
    { numRuns: RUNS },
  );
  expect([...types].sort()).toEqual(Object.keys(EVENTS).sort());
});

test('rejects an event whose bytes were cut', () => {
  fc.assert(
    fc.property(anyEvent, fc.nat(), (event, cut) => {
      const bytes = new ByteWriter(8);
      emit(new EventWriter(bytes), event);
      expect(() => readEvent(new ByteReader(bytes.copy().subarray(0, cut % bytes.length)))).toThrow(MalformedRecord);
    }),
    { numRuns: RUNS },
  );
});

test('keeps the tags of events, because existing journals contain them', () => {
  const tags = Object.entries(EVENTS).map(([type, { tag }]) => [type, tag] as const);
  expect(tags.sort(([, left], [, right]) => left - right).slice(0, 27)).toEqual(
    [
      ...['CommandRefused', 'MarketListed', 'MarketStatusChanged', 'MarketPriced', 'AccountOpened', 'AccountRetired'],
      ...['ApiKeyIssued', 'ApiKeyRevoked', 'CashPosted', 'LedgerPosted', 'OrderAccepted', 'OrderRested', 'TradeExecuted'],
      ...['OrderFilled', 'PositionChanged', 'OrderCancelled', 'EntryRefused', 'MarketWorkPending', 'FundingSettled'],
      ...['FundingPaid', 'WithdrawalReserved', 'WithdrawalReleased', 'WithdrawalSettled', 'CashTransferred'],
      ...['LiquidationStarted', 'FavoriteSet', 'LeaderboardListingSet'],
    ].map((type, tag) => [type, tag]),
  );
});
