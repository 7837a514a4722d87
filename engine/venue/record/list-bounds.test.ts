/** The lists of commands and events are shorter than their counts can say: the rules of commands bound them before an event has them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BTC, SCENARIO_MARKET } from '#simulation/scenario.ts';
import type { AccountOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { SCOPES } from '#venue/account/scope.ts';
import type { Command } from '#venue/command.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { MAX_BATCH_ENTRIES } from '#venue/order/order-terms.ts';
import { tier } from '#venue/risk/testing/exposures.ts';
import { refusalCode } from '#venue/testing/outcome.ts';
import { quickScenario, SMALL_MARKET } from '#venue/testing/venues.ts';
import { writeCommand } from './command-record.ts';
import { ByteWriter, MAX_LIST, MalformedRecord } from './cursor.ts';

const account = 1 as AccountOrdinal;
/** The first rate has room for the narrowest band of the mark. Margins rise in whole basis points up to half of the notional. */
const FIRST_BPS = 5;
const MAX_TIERS = 5_000 - FIRST_BPS + 1;

function ofLength<Item>(length: number, item: (index: number) => Item): Item[] {
  return Array.from({ length }, (_, index) => item(index));
}

/** Without the fees and the funding that a low first tier would not cover. */
const FREE = {
  makerFeeBps: 0,
  takerFeeBps: 0,
  liquidationFeeBps: 0,
  fundingCapPpb: 0,
  fundingInterestPpb: 0,
  markBandBps: 1,
} as MarketSpecification;

function tiersOf(count: number) {
  return ofLength(count, (index) => tier(index * 10_000, index + FIRST_BPS));
}

function update(tiers: number): Command {
  return {
    type: 'UpdateMarket',
    market: BTC,
    specification: { ...SMALL_MARKET, ...FREE, maintenanceMarginTiers: tiersOf(tiers) },
  };
}

function listing(tiers: number): Command {
  const maintenanceMarginTiers = tiersOf(tiers);
  const specification = { ...SCENARIO_MARKET, ...FREE, marketId: 'X-PERP', maintenanceMarginTiers };
  return { type: 'ListMarket', specification, status: 'open' };
}

function issue(scopes: number): Command {
  const key = { keyId: 'key', digest: '', label: '', expiresAtEpochMs: 0 as EpochMs };
  return { type: 'IssueApiKey', account, ...key, scopes: ofLength(scopes, (index) => SCOPES[index % SCOPES.length]!) };
}

function batch(entries: number): Command {
  const terms = { kind: 'limit', priceAtoms: 10_000, quantityAtoms: 1, postOnly: false } as never;
  const entry = (index: number) =>
    ({ market: BTC, clientOrderId: `${index}`, side: 'buy', terms, reduceOnly: false, leverageHundredths: 0 }) as const;
  return { type: 'PlaceOrders', account, entries: ofLength(entries, entry), idempotencyKey: '' };
}

function cancels(orders: number): Command {
  return { type: 'CancelOrders', account, orders: ofLength(orders, (index) => (index + 1) as OrderOrdinal) };
}

function amendments(entries: number): Command {
  const entry = (index: number) =>
    ({ market: BTC, order: (index + 1) as OrderOrdinal, priceAtoms: 0 as never, quantityAtoms: 1 as never }) as const;
  return { type: 'AmendOrders', account, entries: ofLength(entries, entry) };
}

/** Each list of a record by the type that has it: its command, the maximum by the rules, the maximum of its count, and the refusal. */
const LISTS = [
  ['ListMarket', listing, MAX_TIERS, MAX_LIST, 'market_invalid'],
  ['UpdateMarket', update, MAX_TIERS, MAX_LIST, 'market_invalid'],
  ['IssueApiKey', issue, SCOPES.length, MAX_LIST, 'api_key_invalid'],
  ['PlaceOrders', batch, MAX_BATCH_ENTRIES, 255, 'batch_size_invalid'],
  ['CancelOrders', cancels, MAX_BATCH_ENTRIES, 255, 'batch_size_invalid'],
  ['AmendOrders', amendments, MAX_BATCH_ENTRIES, 255, 'batch_size_invalid'],
] as const;
/** Events with the list of the accepted command. */
const EVENTS_WITH_LISTS = ['MarketListed', 'MarketUpdated', 'ApiKeyIssued'];

test('covers every list of the layouts', () => {
  const layouts = readFileSync(join(import.meta.dirname, 'testing/record-layouts.txt'), 'utf8');
  const withList = layouts.split('\n').filter((line) => /u(8|16) ×/.test(line));
  const types = withList.map((line) => line.split(' ')[2]!.replace(':', ''));
  expect(new Set(types)).toEqual(new Set([...LISTS.map(([type]) => type), ...EVENTS_WITH_LISTS]));
});

describe.each(LISTS)('the list of %s', (_, command, max, maxCount, refusal) => {
  test('is refused above its maximum, which its count can say', () => {
    expect(max).toBeLessThan(maxCount);
    const refusalOf = (length: number) => refusalCode(quickScenario(1).run(command(length)));
    expect(refusalOf(max)).toBeUndefined();
    expect(refusalOf(max + 1)).toBe(refusal);
  });

  test('is never cut off', () => {
    expect(() => writeCommand(new ByteWriter(), command(maxCount + 1))).toThrow(MalformedRecord);
  });
});
