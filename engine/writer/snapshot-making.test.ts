/** Snapshots that are made beside the writer are those that it would have taken itself, and none where they cannot be. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { SCENARIO_MARKET } from '#simulation/scenario.ts';
import { toyRules } from '#simulation/toy-ledger.ts';
import { credit, open, openToyWriter } from '#simulation/toy-writer.ts';
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import { lockDirectory } from './directory-lock.ts';
import { OfflineJournal } from './journal-tool/offline-journal.ts';
import { replayJournal } from './journal-tool/offline-replay.ts';
import { nodeFiles } from './node-files.ts';
import { snapshotInThread } from './snapshot-in-thread.ts';
import { makeSnapshot, type SnapshotPlace } from './snapshot-making.ts';
import { venueRules } from './venue-rules.ts';

const limits = { recordsPerSnapshot: 10, msPerSnapshot: 0 };

/** An account, an open market with a price, and orders that rest. */
function venueCommands(orders: number): readonly Command[] {
  const [account, market] = [1 as AccountOrdinal, 1 as MarketOrdinal];
  const terms = { kind: 'limit', quantityAtoms: 1 as BaseAtoms, postOnly: false } as const;
  const place = (index: number): Command => ({
    type: 'PlaceOrder',
    account,
    market,
    clientOrderId: `order ${index}`,
    side: 'buy',
    terms: { ...terms, priceAtoms: (9_500 + (index % 300)) as PriceAtoms },
    reduceOnly: false,
    leverageX: 0,
    idempotencyKey: '',
  });
  return [
    { type: 'ListMarket', specification: SCENARIO_MARKET, status: 'open' },
    { type: 'OpenAccount', label: 'maker', partyId: 'party', digestSeed: 7 },
    { type: 'CreditCash', account, amountAtoms: 1_000_000_000_000 as QuoteAtoms, reference: 'start' },
    { type: 'PublishIndexPrice', market, priceAtoms: 10_000 as PriceAtoms, observedAtEpochMs: 1_700_000_000_000 as never },
    ...Array.from({ length: orders }, (_, index) => place(index)),
  ];
}

describe('a snapshot that is made beside the writer', () => {
  it('is what a replay of the whole journal comes to there, while the writer goes on', async () => {
    const files = new PowerCutFiles();
    const places: number[] = [];
    const make = async (place: SnapshotPlace) => {
      await makeSnapshot(files, toyRules, place);
      places.push(place.sequence);
      const { report } = await replayJournal(await OfflineJournal.open(files), toyRules, {
        from: 'start',
        until: place.sequence,
      });
      expect(report.confirmedSnapshots).toContain(`snapshot-${String(place.sequence).padStart(16, '0')}.state`);
    };
    const failures: unknown[] = [];
    const writer = await openToyWriter(files, { limits, makeSnapshot: make, onSnapshotFailure: (cause) => failures.push(cause) });
    await writer.submit(open('alice'));
    for (let number = 0; number < 300; number += 1) {
      const pending = [writer.submit(credit(1, number, `key ${number}`)), writer.submit(credit(1, 1))];
      await (number % 3 === 0 ? Promise.all(pending) : pending[0]);
    }
    await vi.waitFor(() => expect(places.length).toBeGreaterThan(2));
    await writer.close();
    expect(failures).toEqual([]);
    const again = await openToyWriter(files);
    expect(again.recovered).toMatchObject({ sequence: 601, snapshotSequence: 601 });
  });

  it('is made by another thread of a venue’s journal on disk', { timeout: 60_000 }, async () => {
    const path = mkdtempSync(join(tmpdir(), 'openperp-snapshot-'));
    const lock = lockDirectory(path);
    try {
      const files = await nodeFiles(lock, 'journal');
      const makeInThread = snapshotInThread(path, 'journal');
      const options = { rules: venueRules, limits: { ...limits, segmentBytes: 1 << 20 }, makeSnapshot: makeInThread };
      const writer = await openToyWriter(files, options);
      for (const command of venueCommands(150)) await writer.submit({ command });
      await vi.waitFor(() => expect(writer.status().snapshotSequence).toBeGreaterThan(0), { timeout: 30_000 });
      const { sequence } = await writer.submit({ command: venueCommands(1).at(-1)! });
      expect(writer.status().snapshotSequence).toBeLessThan(sequence);
      await writer.close();
      const { report } = await replayJournal(await OfflineJournal.open(files), venueRules, { from: 'start' });
      expect(report.confirmedSnapshots).toHaveLength(2);
      expect(writer.status()).toMatchObject({ snapshotSequence: sequence, snapshotFailure: undefined });
    } finally {
      lock.release();
      rmSync(path, { recursive: true });
    }
  });

  it('goes on from an older one where the last is damaged', async () => {
    const files = new PowerCutFiles();
    const writer = await openToyWriter(files, { limits, makeSnapshot: (place) => makeSnapshot(files, toyRules, place) });
    await writer.submit(open('alice'));
    const saved = (sequence: number) => vi.waitFor(() => expect(writer.status().snapshotSequence).toBeGreaterThan(sequence));
    for (const upTo of [0, 1]) {
      const before = writer.status().snapshotSequence;
      for (let number = 0; number < 25; number += 1) await writer.submit(credit(1, number));
      await saved(before);
      if (upTo > 0) break;
      const name = `snapshot-${String(writer.status().snapshotSequence).padStart(16, '0')}.state`;
      await (await files.open(name)).write(Uint8Array.of(1), 40);
    }
    const { report } = await replayJournal(await OfflineJournal.open(files), toyRules, { from: 'start' });
    expect(report.confirmedSnapshots).toContain(`snapshot-${String(writer.status().snapshotSequence).padStart(16, '0')}.state`);
  });

  it('is refused where the records come to other events this time: it is told, and the venue goes on', async () => {
    const files = new PowerCutFiles();
    const other = { ...toyRules, fresh: () => toyRules.restore(Uint8Array.from([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])) };
    const told: unknown[] = [];
    const writer = await openToyWriter(files, {
      limits,
      makeSnapshot: (place) => makeSnapshot(files, other, place),
      onSnapshotFailure: (cause) => told.push(cause),
    });
    for (let number = 0; number < 25; number += 1) await writer.submit(open(`${number}`));
    await vi.waitFor(() => expect(told[0]).toMatchObject({ name: 'JournalDamaged', place: { sequence: 1 } }));
    expect(writer.status()).toMatchObject({
      halt: undefined,
      snapshotSequence: 0,
      snapshotFailure: expect.stringContaining('other events'),
    });
    expect((await files.list()).some((name) => name.endsWith('.state'))).toBe(false);
  });

  it('is refused for a place that the journal does not have', async () => {
    const files = new PowerCutFiles();
    const writer = await openToyWriter(files);
    for (let number = 0; number < 5; number += 1) await writer.submit(open(`${number}`));
    const { sequence } = writer.status();
    const chainDigest = new Uint8Array(32);
    await expect(makeSnapshot(files, toyRules, { sequence, chainDigest })).rejects.toThrow(
      /no group of the journal ends with record 5/,
    );
  });

  it('is given up when the writer ends, which leaves its last one instead', async () => {
    const files = new PowerCutFiles();
    const failures: unknown[] = [];
    const makeNever = (_: SnapshotPlace, isUnwanted: AbortSignal) =>
      new Promise<void>((_resolve, reject) => {
        isUnwanted.addEventListener('abort', () => reject(new Error('given up')));
      });
    const writer = await openToyWriter(files, {
      limits,
      makeSnapshot: makeNever,
      onSnapshotFailure: (cause) => failures.push(cause),
    });
    for (let number = 0; number < 25; number += 1) await writer.submit(open(`${number}`));
    await writer.close();
    expect(failures).toEqual([]);
    expect(writer.status()).toMatchObject({ snapshotSequence: 25, snapshotFailure: undefined });
  });
});
