/** The thread that makes a venue's snapshots, on a real disk: one for the life of the writer, and another if it dies. */
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { SCENARIO_MARKET } from '#simulation/scenario.ts';
import { openToyWriter } from '#simulation/toy-writer.ts';
import { eventually, HANG_GUARD_MS } from '#time/testing/eventually.ts';
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import { lockDirectory } from '#writer/journal/directory-lock.ts';
import type { Files } from '#writer/journal/files.ts';
import { nodeFiles } from '#writer/journal/node-files.ts';
import { segmentName } from '#writer/journal/segment.ts';
import { OfflineJournal } from '#writer/journal-tool/offline-journal.ts';
import { replayJournal } from '#writer/journal-tool/offline-replay.ts';
import { venueRules } from '#writer/recovery/venue-rules.ts';
import { expectReplayedState, placeOf } from '#writer/testing/test-snapshot.ts';
import type { CreateSnapshot } from './snapshot-builder.ts';
import { snapshotInThread } from './snapshot-in-thread.ts';
import { newestSnapshot } from './snapshot-store.ts';

const [ACCOUNT, MARKET] = [1 as AccountOrdinal, 1 as MarketOrdinal];

/** An account, an open market with a price, and resting orders. */
function venueCommands(orders: number): readonly Command[] {
  const observedAtEpochMs = 1_700_000_000_000 as never;
  return [
    { type: 'ListMarket', specification: SCENARIO_MARKET, status: 'open' },
    { type: 'OpenAccount', label: 'maker', partyId: 'party', digestSeed: 7 },
    { type: 'CreditCash', account: ACCOUNT, amountAtoms: 1_000_000_000_000 as QuoteAtoms, reference: 'start' },
    { type: 'PublishIndexPrice', market: MARKET, priceAtoms: 10_000 as PriceAtoms, observedAtEpochMs },
    ...venueOrders(orders, 'order'),
  ];
}

function venueOrders(count: number, name: string): readonly Command[] {
  const terms = { kind: 'limit', quantityAtoms: 1 as BaseAtoms, postOnly: false } as const;
  return Array.from({ length: count }, (_, index) => ({
    type: 'PlaceOrder',
    account: ACCOUNT,
    market: MARKET,
    clientOrderId: `${name} ${index}`,
    side: 'buy',
    terms: { ...terms, priceAtoms: (9_500 + (index % 300)) as PriceAtoms },
    reduceOnly: false,
    leverageHundredths: 0,
    idempotencyKey: '',
  }));
}

describe('snapshot thread', () => {
  it('makes one snapshot after the other, each equal to a replay of the journal, and ends with the writer', async () => {
    await withVenueOnDisk(async ({ files, createInThread, threads }) => {
      const limits = { recordsPerSnapshot: 10, msPerSnapshot: 0, segmentBytes: 1 << 20 };
      const writer = await openToyWriter(files, { rules: venueRules, limits, createSnapshot: createInThread });
      for (let round = 0; round < 3; round += 1) {
        const before = writer.status().snapshotSequence;
        for (const command of round === 0 ? venueCommands(150) : venueOrders(20, `round ${round}`))
          await writer.submit({ command });
        await eventually(() => expect(writer.status().snapshotSequence).toBeGreaterThan(before));
      }
      expect(threads).toHaveLength(1);
      if (process.platform === 'linux') expect(nicenessOfThreads()).toEqual(expect.arrayContaining([getPriority(), 19]));
      const ended = once(threads[0]!, 'exit');
      const { sequence } = await writer.submit({ command: venueCommands(1).at(-1)! });
      expect(writer.status().snapshotSequence).toBeLessThan(sequence);
      await writer.close();
      await ended;
      const { report } = await replayJournal(await OfflineJournal.open(files), venueRules, { from: 'start' });
      expect(report.confirmedSnapshots).toHaveLength(2);
      expect(writer.status()).toMatchObject({ snapshotSequence: sequence, snapshotFailure: undefined });
    });
  });

  it('reports failures and lives on; a thread that dies is replaced', async () => {
    await withVenueOnDisk(async ({ files, createInThread, threads }) => {
      const writer = await openToyWriter(files, { rules: venueRules });
      const { signal } = new AbortController();
      for (const command of venueCommands(20)) await writer.submit({ command });
      const place = placeOf(writer);
      await expect(createInThread({ ...place, chainDigest: new Uint8Array(32) }, signal)).rejects.toThrow(
        /no group of the journal/,
      );
      await createInThread(place, signal);
      await expectReplayedState(files, venueRules, place);
      expect(threads).toHaveLength(1);
      await threads[0]!.terminate();
      for (const command of venueOrders(20, 'more')) await writer.submit({ command });
      const dying = createInThread(placeOf(writer), signal);
      await eventually(() => expect(threads).toHaveLength(2));
      await threads[1]!.terminate();
      await expect(dying).rejects.toThrow(/ended with status/);
      await createInThread(placeOf(writer), signal);
      await expectReplayedState(files, venueRules, placeOf(writer));
      expect(threads).toHaveLength(3);
      await writer.close();
      await threads[2]!.terminate();
    });
  });

  it('keeps its shadow between snapshots: records that it has run may be unreachable', async () => {
    await withVenueOnDisk(async ({ path, files, createInThread }) => {
      const writer = await openToyWriter(files, { rules: venueRules, limits: { segmentBytes: 16 << 10 } });
      const ending = new AbortController();
      for (const command of venueCommands(100)) await writer.submit({ command });
      await createInThread(placeOf(writer), ending.signal);
      const [first, elsewhere] = [join(path, 'journal', segmentName(1)), join(path, 'elsewhere')];
      rmSync(join(path, 'journal', `snapshot-${String(placeOf(writer).sequence).padStart(16, '0')}.state`));
      renameSync(first, elsewhere);
      for (const command of venueOrders(20, 'more')) await writer.submit({ command });
      await createInThread(placeOf(writer), ending.signal);
      renameSync(elsewhere, first);
      await expectReplayedState(files, venueRules, placeOf(writer));
      ending.abort();
      await writer.close();
    });
  });

  it('ends halfway when its snapshot is unwanted, and a new one starts for the next call', async () => {
    await withVenueOnDisk(async ({ files, createInThread, threads }) => {
      const writer = await openToyWriter(files, { rules: venueRules });
      for (const command of venueCommands(20)) await writer.submit({ command });
      const ending = new AbortController();
      const creating = createInThread(placeOf(writer), ending.signal);
      ending.abort();
      await expect(creating).rejects.toThrow(/ended with status/);
      expect(await newestSnapshot(files)).toMatchObject({ snapshot: undefined });
      const next = new AbortController();
      await createInThread(placeOf(writer), next.signal);
      await expectReplayedState(files, venueRules, placeOf(writer));
      expect(threads).toHaveLength(2);
      next.abort();
      await once(threads[1]!, 'exit');
      await writer.close();
    });
  });

  it('obeys the signal of the current call, and no earlier one', async () => {
    await withVenueOnDisk(async ({ files, createInThread, threads }) => {
      const writer = await openToyWriter(files, { rules: venueRules });
      for (const command of venueCommands(20)) await writer.submit({ command });
      const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
      await createInThread(placeOf(writer), first.signal);
      for (const command of venueOrders(20, 'more')) await writer.submit({ command });
      const creating = createInThread(placeOf(writer), second.signal);
      first.abort();
      await creating;
      await expectReplayedState(files, venueRules, placeOf(writer));
      for (const command of venueOrders(20, 'yet more')) await writer.submit({ command });
      const abandoned = createInThread(placeOf(writer), third.signal);
      second.abort();
      third.abort();
      await expect(abandoned).rejects.toThrow(/ended with status/);
      expect(threads).toHaveLength(1);
      await writer.close();
    });
  });

  it('ends by the signal of the last call while it sleeps', async () => {
    await withVenueOnDisk(async ({ files, createInThread, threads }) => {
      const writer = await openToyWriter(files, { rules: venueRules });
      for (const command of venueCommands(20)) await writer.submit({ command });
      const [first, last] = [new AbortController(), new AbortController()];
      await createInThread(placeOf(writer), first.signal);
      for (const command of venueOrders(20, 'more')) await writer.submit({ command });
      await createInThread(placeOf(writer), last.signal);
      const ended = once(threads[0]!, 'exit', { signal: AbortSignal.timeout(HANG_GUARD_MS) });
      last.abort();
      await ended;
      await writer.close();
    });
  });

  it('is not started for an unwanted snapshot', async () => {
    await withVenueOnDisk(async ({ files, createInThread, threads }) => {
      const writer = await openToyWriter(files, { rules: venueRules });
      for (const command of venueCommands(20)) await writer.submit({ command });
      await expect(createInThread(placeOf(writer), AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
      expect(threads).toEqual([]);
      expect(await newestSnapshot(files)).toMatchObject({ snapshot: undefined });
      await writer.close();
    });
  });
});

interface VenueOnDisk {
  readonly path: string;
  readonly files: Files;
  readonly createInThread: CreateSnapshot;
  /** Those that were started so far. */
  readonly threads: readonly Worker[];
}

async function withVenueOnDisk(run: (venue: VenueOnDisk) => Promise<void>): Promise<void> {
  const path = mkdtempSync(join(tmpdir(), 'openperp-snapshot-'));
  const lock = lockDirectory(path);
  const threads: Worker[] = [];
  const onThread = (thread: Worker) => threads.push(thread);
  process.on('worker', onThread);
  try {
    await run({ path, files: await nodeFiles(lock, 'journal'), createInThread: snapshotInThread(path, 'journal'), threads });
  } finally {
    process.off('worker', onThread);
    lock.release();
    rmSync(path, { recursive: true });
  }
}

/** The niceness of each thread of this process. */
function nicenessOfThreads(): number[] {
  const stats = readdirSync('/proc/self/task').map((thread) => readFileSync(`/proc/self/task/${thread}/stat`, 'utf8'));
  // The name before the last bracket may contain anything; niceness is the seventeenth field after it.
  return stats.map((stat) => Number(stat.slice(stat.lastIndexOf(')')).split(' ')[17]));
}
