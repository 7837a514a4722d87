/**
 * An account that is refused again and again cannot fill the disk: beyond its budget its refusals are neither journaled nor
 * stored.
 */
import { describe, expect, it } from 'vitest';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { credit, open, openToyWriter } from '#simulation/toy-writer.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import { passkey, registration } from '#venue/owner/testing/owners.ts';
import { venueRules } from '#writer/recovery/venue-rules.ts';
import { RefusalBudget } from './refusal-budget.ts';

describe('budget of an account', () => {
  it('is spent by the byte, and not by refusals that exceed it', () => {
    const budget = new RefusalBudget({ refusedBytesAtOnce: 10, refusedBytesPerSecond: 2 });
    expect([6, 5, 4, 1].map((bytes) => budget.take(1, bytes, 1_000))).toEqual([true, false, true, false]);
    expect(budget.take(2, 10, 1_000), 'each account has its own').toBe(true);
  });

  it('refills with time up to its whole size', () => {
    const budget = new RefusalBudget({ refusedBytesAtOnce: 10, refusedBytesPerSecond: 2 });
    expect(budget.take(1, 10, 1_000)).toBe(true);
    expect([1_000, 1_999, 2_000, 2_000].map((epochMs) => budget.take(1, 2, epochMs))).toEqual([false, false, true, false]);
    expect([10, 1].map((bytes) => budget.take(1, bytes, 100_000))).toEqual([true, false]);
  });
});

describe('writer', () => {
  // Account 9 does not exist: the toy refuses every credit to it with a final code.
  const refused = (key: string) => credit(9, 1, key);

  it('stores the refusals of an account within its budget only', async () => {
    const limits = { refusedBytesAtOnce: 2_000, refusedBytesPerSecond: 100 };
    const files = new PowerCutFiles();
    const writer = await openToyWriter(files, { limits });
    const first = await writer.submit(refused('first'));
    for (let count = 0; count < 200; count += 1) await writer.submit(refused(`key ${count}`));
    const { sequence } = writer.status();
    expect(sequence).toBeGreaterThan(5);
    expect(sequence).toBeLessThan(15);
    const before = files.contents();
    expect(await writer.submit(refused('one more'))).toMatchObject({ sequence, isUnrecorded: true, code: 'account_not_found' });
    expect(files.contents()).toEqual(before);
    expect(await writer.submit(refused('first')), 'what is stored stays').toEqual({ ...first, replayed: true });
    // Accepted commands of all accounts are recorded, and so are the refusals of other accounts.
    expect(await writer.submit(open('alice'))).toMatchObject({ sequence: sequence + 1 });
    expect(await writer.submit(credit(8, 1, 'other'))).toMatchObject({ sequence: sequence + 2 });
    writer.pass(3_000);
    expect(await writer.submit(refused('one more'))).toMatchObject({ sequence: sequence + 3, replayed: false });
    expect(await writer.submit(refused('one more'))).toMatchObject({ sequence: sequence + 3, replayed: true });
  });

  it('has one budget for the refusals of everyone who registers; those of the operator are always stored', async () => {
    const limits = { refusedBytesAtOnce: 2_000, refusedBytesPerSecond: 100 };
    const writer = await openToyWriter(new PowerCutFiles(), { limits, rules: venueRules });
    const invalid = (identity: number) => registration(identity, { passkey: passkey('AAAA', { publicKey: '=' }) });
    for (let count = 0; count < 100; count += 1) {
      const { events } = await writer.submit({ command: invalid(count) });
      expect(events).toMatchObject([{ code: 'passkey_invalid' }]);
    }
    const { sequence } = writer.status();
    expect(sequence).toBeGreaterThan(3);
    expect(sequence).toBeLessThan(15);
    const unlisted = { type: 'SetMarketStatus', market: 9 as MarketOrdinal, status: 'open' } as const;
    for (let count = 1; count < 50; count += 1) await writer.submit({ command: unlisted });
    expect(writer.status().sequence).toBe(sequence + 49);
  });
});
