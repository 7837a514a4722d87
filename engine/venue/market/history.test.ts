/** The listing of a market carries the terms of its synthetic past. Terms outside of their bounds are refused. */
import { expect, test } from 'vitest';
import { DEVNET_MARKETS } from '#devnet/markets.ts';
import type { EpochMs, Ppb, PriceAtoms } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import { ByteReader, ByteWriter } from '#venue/record/cursor.ts';
import { readEvent } from '#venue/record/event-reader.ts';
import { EventWriter } from '#venue/record/event-writer.ts';
import { Venue } from '#venue/venue.ts';
import { historyFault, type MarketHistory } from './history.ts';

const NOW = 1_800_000_000_000 as EpochMs;
const { specification } = DEVNET_MARKETS[0]!;
const HISTORY: MarketHistory = {
  seed: 7,
  startedAtEpochMs: NOW,
  lengthMs: 30 * 86_400_000,
  startPriceAtoms: 650_000 as PriceAtoms,
  volatilityPpb: 80_000 as Ppb,
};

function listed(history: MarketHistory | undefined): VenueEvent {
  const bytes = new ByteWriter();
  const listing = { type: 'ListMarket', specification, status: 'open', ...(history && { history }) } as const;
  new Venue().turn({ sequence: 1 as never, epochMs: NOW, command: listing }, new EventWriter(bytes));
  return readEvent(new ByteReader(bytes.copy()));
}

test('includes the terms of a history in the listing event, if there are any', () => {
  expect(listed(HISTORY)).toEqual({ type: 'MarketListed', market: 1, specification, status: 'open', history: HISTORY });
  expect(listed(undefined)).not.toHaveProperty('history');
});

/** Allowed values, and the nearest refused ones. */
const bounds: [field: keyof MarketHistory, allowed: readonly number[], refused: readonly number[]][] = [
  ['seed', [0, 2 ** 31 - 1], [-1, 2 ** 31, 0.5]],
  ['startedAtEpochMs', [0, NOW], [-1, NOW + 1]],
  ['lengthMs', [1, 315_360_000_000], [0, 315_360_000_001]],
  ['startPriceAtoms', [1_000, 10_000_000], [999, 10_000_001]],
  ['volatilityPpb', [0, 10_000_000], [-1, 10_000_001]],
];

test.each(bounds)('bounds %s', (field, allowed, refused) => {
  for (const value of allowed)
    expect(historyFault({ ...HISTORY, [field]: value }, specification, NOW), `${value}`).toBeUndefined();
  for (const value of refused) {
    const history = { ...HISTORY, [field]: value };
    expect(historyFault(history, specification, NOW), `${value}`).toBeDefined();
    expect(listed(history)).toMatchObject({ type: 'CommandRefused', code: 'market_invalid' });
  }
});
