/** The replay buffer keeps the newest records completely and in order, within its bounds. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gathered, LiveModel, openProjection } from '#projection/projection.ts';
import type { CoveringGroup, RecordChanges } from '#projection/record-changes.ts';
import { historyOf, step } from '#projection/testing/any-history.ts';
import type { EpochMs } from '#units/money.ts';
import { affectedAccounts } from './account-updates.ts';
import { ReplayBuffer, type ReplayTarget } from './replay-buffer.ts';

/** Groups of seven records. */
function groupOf(sequence: number): CoveringGroup {
  const number = Math.floor(sequence / 7);
  const digest = (of: number) => String(of).padStart(64, '0');
  return {
    number,
    firstSequence: 7 * number,
    lastSequence: 7 * number + 6,
    digest: digest(number),
    previousDigest: digest(number - 1),
  } as CoveringGroup;
}

const UNBOUNDED = { replayWindowMs: 10 ** 12, replayWindowBytes: 2 ** 22, replayWindowRecords: 10_000 };

/** The changes of each record of a history. */
function changesOf(history: ReturnType<typeof historyOf>): readonly RecordChanges[] {
  const projection = openProjection(':memory:');
  const model = new LiveModel(gathered(projection.livePieces()));
  projection.close();
  return history.records.map((record) => model.fold(record, groupOf(record.sequence)));
}

/** The records after a sequence that matter to the target; checks the size of each. */
function after(recent: ReplayBuffer, sequence: number, owner: ReplayTarget): readonly RecordChanges[] {
  const found: RecordChanges[] = [];
  for (let next = sequence + 1; next <= recent.newest; next += 1) {
    if (!recent.matters(next, owner)) continue;
    expect(recent.bytesOf(next)).toBeGreaterThan(50);
    found.push(recent.read(next));
  }
  return found;
}

/** The buffer stores only the new state of orders, withdrawals and affiliates. */
const restored = (changes: RecordChanges) => JSON.parse(JSON.stringify({ ...changes, ...newStates(changes) }));

function newStates({ orders, withdrawals, affiliates }: RecordChanges) {
  const newState = ({ after }: { readonly after: unknown }) => ({ before: undefined, after });
  return { orders: orders.map(newState), withdrawals: withdrawals.map(newState), affiliates: affiliates.map(newState) };
}

test('returns changes as they were, within the window, and to an account all that concern it', () => {
  const property = fc.property(
    fc.array(step, { minLength: 20, maxLength: 150, size: 'max' }),
    fc.constantFrom(2_000, 3_000, 20_000, 2 ** 22),
    (steps, replayWindowBytes) => {
      const all = changesOf(historyOf(steps));
      const recent = new ReplayBuffer({ ...UNBOUNDED, replayWindowBytes }, 0);
      for (const [index, changes] of all.entries()) {
        recent.add(changes);
        const known = all.slice(recent.oldest, index + 1);
        expect(recent.oldest + known.length).toBe(changes.sequence);
        if (index % 10 !== 0) continue;
        for (const account of [1, 2, 3]) {
          const own = known.filter(
            (it) => affectedAccounts(it).has(account as never) || it.priced.length + it.settled.length + it.markets.length > 0,
          );
          expect(after(recent, recent.oldest, { account }).map(restored)).toEqual(own.map(restored));
        }
        for (const market of [1, 2]) {
          const own = known.filter((it) => it.trades.some((trade) => trade.market === market));
          const found = after(recent, recent.oldest, { market }).filter((it) =>
            it.trades.some((trade) => trade.market === market),
          );
          expect(found.map(restored)).toEqual(own.map(restored));
        }
      }
      if (replayWindowBytes === 2 ** 22) expect(recent.oldest).toBe(0);
      else if (all.length > 100) expect(recent.oldest).toBeGreaterThan(0);
    },
  );
  fc.assert(property, { numRuns: 20, endOnFailure: true });
});

test('evicts old records, and everything if one record exceeds the buffer', () => {
  const all = changesOf(historyOf([]));
  const [first, second, third] = all as [RecordChanges, RecordChanges, RecordChanges];
  const recent = new ReplayBuffer({ ...UNBOUNDED, replayWindowMs: 1_000, replayWindowBytes: 10_000 }, 0);
  recent.add(first);
  recent.add({ ...second, epochMs: (first.epochMs + 1_000) as EpochMs });
  expect(recent.oldest).toBe(0);
  recent.add({ ...third, epochMs: (first.epochMs + 1_001) as EpochMs });
  expect(recent.oldest).toBe(1);
  const large = { ...all[3]!, revokedKeys: ['x'.repeat(20_000)] };
  recent.add(large);
  expect(recent.oldest).toBe(large.sequence);
  expect(after(recent, large.sequence, { account: 1 })).toEqual([]);
  recent.add(all[4]!);
  expect(recent.oldest).toBe(large.sequence);
});

test('bounds the number of records', () => {
  const all = changesOf(historyOf([]));
  const recent = new ReplayBuffer({ ...UNBOUNDED, replayWindowRecords: 3 }, 0);
  for (const [index, changes] of all.entries()) {
    recent.add(changes);
    expect(recent.oldest).toBe(Math.max(0, index + 1 - 3));
    const known = after(recent, recent.oldest, { account: 1 }).map(({ sequence }) => sequence);
    expect(known.filter((sequence) => sequence <= recent.oldest)).toEqual([]);
  }
});

test('stores a group once for all of its records', () => {
  const changes = changesOf(historyOf([])).find(({ posted }) => posted.length > 0)!;
  const restoredOf = (groupNumber: (sequence: number) => number) => {
    const recent = new ReplayBuffer({ ...UNBOUNDED, replayWindowBytes: 20_000 }, 0);
    for (let sequence = 1; sequence <= 1_000; sequence += 1)
      recent.add({ ...changes, sequence: sequence as never, group: { ...groupOf(0), number: groupNumber(sequence) } });
    return 1_000 - recent.oldest;
  };
  expect(restoredOf((sequence) => Math.floor(sequence / 5))).toBeGreaterThan(1.3 * restoredOf((sequence) => sequence));
});
