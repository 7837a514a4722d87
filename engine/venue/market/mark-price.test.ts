import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Bps, EpochMs, PriceAtoms } from '#units/money.ts';
import type { MarkInputs } from './mark-price.ts';
import { momentaryMarkOf } from './mark-price.ts';

const LIMITS = { markBandBps: 50 as Bps, maxIndexAgeMs: 10_000 };
const NOW = 1_000_000;

interface Prices {
  readonly index?: number;
  readonly bid?: number;
  readonly ask?: number;
  readonly last?: number;
  readonly tradedAt?: number;
}

/** The mark price without averages. Defaults: an index of 10,000, an empty book, no trade. */
function markOf({ index = 10_000, bid = 0, ask = 0, last = 0, tradedAt = NOW }: Prices): number {
  const inputs: MarkInputs = {
    indexPriceAtoms: index as PriceAtoms,
    impactBidAtoms: bid as PriceAtoms,
    impactAskAtoms: ask as PriceAtoms,
    lastPriceAtoms: last as PriceAtoms,
    lastTradedAtEpochMs: tradedAt as EpochMs,
  };
  return momentaryMarkOf(inputs, NOW as EpochMs, LIMITS);
}

test('equals the index without a book and trades', () => {
  expect(markOf({})).toBe(10_000);
});

test('is the median of index, book and last trade', () => {
  expect(markOf({ bid: 10_010, ask: 10_020, last: 10_030 })).toBe(10_015);
  expect(markOf({ bid: 10_010, ask: 10_030, last: 10_015 })).toBe(10_015);
  expect(markOf({ bid: 9_960, ask: 9_980, last: 10_030 })).toBe(10_000);
});

test('ignores a book with one side', () => {
  expect(markOf({ bid: 10_040, last: 10_040 })).toBe(10_000);
  expect(markOf({ ask: 9_960, last: 9_960 })).toBe(10_000);
});

test('rounds the middle of the book toward the index, from either side', () => {
  expect(markOf({ bid: 10_010, ask: 10_021, last: 10_030 })).toBe(10_015);
  expect(markOf({ bid: 9_970, ask: 9_981, last: 9_960 })).toBe(9_976);
  expect(markOf({ bid: 9_999, ask: 10_000, last: 9_990 })).toBe(10_000);
});

test('ignores a last trade older than six times the maximum index age, to the millisecond', () => {
  const book = { bid: 10_020, ask: 10_030, last: 10_020 };
  expect(markOf({ ...book, tradedAt: NOW - 60_000 })).toBe(10_020);
  expect(markOf({ ...book, tradedAt: NOW - 60_001 })).toBe(10_000);
});

test('stays within the band around the index, rounded toward the index', () => {
  expect(markOf({ bid: 11_000, ask: 11_000, last: 11_000 })).toBe(10_050);
  expect(markOf({ bid: 9_000, ask: 9_000, last: 9_000 })).toBe(9_950);
  // 0.5 % of 30 is less than a tick.
  expect(markOf({ index: 30, bid: 40, ask: 40, last: 40 })).toBe(30);
  expect(markOf({ index: 30, bid: 20, ask: 20, last: 20 })).toBe(30);
});

describe('while two of the three prices agree', () => {
  const price = fc.integer({ min: 1, max: 20_000 });
  const band = (index: number, at: number) =>
    Math.max(Math.ceil((index * 9_950) / 10_000), Math.min(Math.floor((index * 10_050) / 10_000), at));

  test('ignores any book', () => {
    fc.assert(
      fc.property(price, price, price, (index, bid, ask) => {
        expect(markOf({ index, bid, ask, last: index })).toBe(index);
      }),
    );
  });

  test('ignores any trade', () => {
    fc.assert(
      fc.property(price, price, (index, last) => {
        expect(markOf({ index, bid: index, ask: index, last })).toBe(index);
      }),
    );
  });

  test('ignores any index, except for the band around it', () => {
    fc.assert(
      fc.property(price, price, (index, at) => {
        expect(markOf({ index, bid: at, ask: at, last: at })).toBe(band(index, at));
      }),
    );
  });
});
