import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { groupAt, OPEN_ACCOUNT } from '#app/testing/durable-groups.ts';
import { SEGMENT_BYTES, temporaryDirectory } from '#app/testing/test-venue.ts';
import { parseRendered } from '#reads/resource-reads.ts';
import { systemTime } from '#time/system-time.ts';
import { eventually } from '#time/testing/eventually.ts';
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import { type EpochMs, quoteAtoms } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { Halt } from '#writer/port/halt.ts';
import { VenueHalted, WriterBusy } from '#writer/port/submit.ts';
import { closeAll } from './close-all.ts';
import { JOURNAL_FOLDER, openLedger, PROJECTION_FILE } from './ledger.ts';
import { ProjectionInThread } from './projection-in-thread.ts';
import { relayed } from './relayed-clock.ts';

const ALICE = 1 as AccountOrdinal;
const CREDIT: Command = { type: 'CreditCash', account: ALICE, amountAtoms: quoteAtoms(1), reference: 'test' };

/** Everything that is sent to a thread. */
const posts = vi.spyOn(Worker.prototype, 'postMessage');

let directory: ReturnType<typeof temporaryDirectory>;
let resources: AsyncDisposableStack;
let halts: Halt[];
beforeEach(() => {
  directory = temporaryDirectory();
  resources = new AsyncDisposableStack();
  halts = [];
});
afterEach(async () => {
  await closeAll(resources).catch(() => {});
  directory.remove();
});

const ledger = (clock = systemTime.clock) => {
  const onHalt = (halt: Halt) => halts.push(halt);
  const options = { ...systemTime, dataDirectory: directory.path, clock, onHalt, log: () => {}, segmentBytes: SEGMENT_BYTES };
  return openLedger(options, resources);
};

/** Closes the ledger in the middle of a test, which then opens it again. */
async function closeLedger(): Promise<void> {
  await closeAll(resources);
  resources = new AsyncDisposableStack();
}

/** With an empty journal. */
function open(): Promise<ProjectionInThread> {
  const [path, journal] = [join(directory.path, PROJECTION_FILE), join(directory.path, JOURNAL_FOLDER)];
  mkdirSync(journal, { recursive: true });
  return ProjectionInThread.open({ ...systemTime, path, mayReplace: true, journal, log: () => {} });
}

describe('read', () => {
  it('reflects every command that had its response before the request, however many are in progress', async () => {
    const { submit, projection } = await ledger();
    await submit({ command: OPEN_ACCOUNT });
    const balances = await Promise.all(
      Array.from({ length: 500 }, async () => {
        const { events, sequence } = await submit({ command: CREDIT });
        const posted = events.find((event) => event.type === 'CashPosted')!;
        const read = parseRendered(await projection.reads.accountSnapshot(ALICE));
        expect(read.snapshotSequence).toBeGreaterThanOrEqual(sequence);
        return Number(read.cashBalanceAtoms) - posted.cashAtoms;
      }),
    );
    expect(Math.min(...balances)).toBe(0);
  });

  it('returns nothing for a missing resource, and rejects with the error of a failing read', async () => {
    const { projection } = await ledger();
    expect(await projection.reads.order(ALICE, 7 as never)).toBeUndefined();
    await expect(projection.reads.market(7 as MarketOrdinal)).rejects.toThrow('market 7 is not listed');
    expect(parseRendered(await projection.reads.marketCatalogue()).markets).toEqual([]);
  });
});

describe('freshness', () => {
  it.each([3_600_000, -3_600_000])('does not depend on a wall clock that was set by %i ms', async (setByMs) => {
    let offsetMs = 0;
    const { submit, projection } = await ledger({ now: () => (systemTime.clock.now() + offsetMs) as EpochMs });
    offsetMs = setByMs;
    await submit({ command: OPEN_ACCOUNT });
    expect(parseRendered(await projection.reads.freshness())).toMatchObject({ status: 'fresh', journalSequence: 1 });
  });

  it('includes the delay of a late request, but not in the next response', async () => {
    const { projection } = await ledger();
    const thread = threadOf(posts);
    const responded = new Promise<string>((resolve) => {
      thread.on('message', ({ id, body }) => id === 'late' && resolve(body));
    });
    const time = { ...relayed(systemTime.clock), atMs: relayed(systemTime.clock).atMs - 6_000 };
    thread.postMessage({ type: 'read', id: 'late', name: 'freshness', args: [], time });
    expect(JSON.parse(await responded)).toMatchObject({ status: 'stale', projectorLagMs: expect.toSatisfy((ms) => ms >= 6_000) });
    expect(parseRendered(await projection.reads.freshness())).toMatchObject({ status: 'fresh' });
  });
});

describe('lag', () => {
  it('is how long the last published group took to be folded, however long ago', async () => {
    const projection = await open();
    await projection.live(systemTime.clock, () => {});
    const publishedAtMs = performance.now();
    projection.follow(groupAt(1));
    await projection.reads.freshness();
    const tookMs = performance.now() - publishedAtMs;
    expect(projection.lag).toEqual({ records: 0, ms: 0 });
    await new Promise((resolve) => setTimeout(resolve, 2 * tookMs + 50));
    const republishedAtMs = performance.now();
    projection.follow(groupAt(2));
    const { records, ms } = projection.lag;
    expect(records).toBe(1);
    expect(ms).toBeLessThanOrEqual(Math.max(tookMs, performance.now() - republishedAtMs));
    await projection.close();
  });
});

describe('published groups', () => {
  it('are saved: the next start does not publish them again', async () => {
    const first = await ledger();
    for (let count = 0; count < 50; count += 1) await first.submit({ command: OPEN_ACCOUNT });
    await closeLedger();
    const second = await ledger();
    expect(second.projection.sequence).toBe(50);
    expect(second.writer.recovered.republishedCount).toBe(0);
  });

  it('are published again from the first record if nothing was saved, many more than may wait', async () => {
    const first = await ledger();
    await first.submit({ command: OPEN_ACCOUNT });
    for (let round = 0; round < 30; round += 1) {
      await Promise.all(Array.from({ length: 1_000 }, () => first.submit({ command: CREDIT })));
    }
    await closeLedger();
    rmSync(join(directory.path, PROJECTION_FILE));
    const { projection, writer } = await ledger();
    expect(writer.recovered.republishedCount).toBe(30_001);
    const read = parseRendered(await projection.reads.accountSnapshot(ALICE));
    expect(read).toMatchObject({ cashBalanceAtoms: '30000', snapshotSequence: 30_001 });
    expect(read.freshness).toMatchObject({ status: 'fresh', backfillStatus: 'live' });
  });
});

describe('file', () => {
  it('waits until what is folded can be replayed, but not forever', async () => {
    const path = join(directory.path, PROJECTION_FILE);
    const projection = await open();
    await projection.live(systemTime.clock, () => {});
    const database = new DatabaseSync(path, { readOnly: true });
    const savedSequence = () => database.prepare('SELECT sequence FROM checkpoint').get()?.sequence;
    projection.follow(groupAt(1));
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(savedSequence()).toBe(0);
    projection.replayable.reach(1);
    await eventually(() => expect(savedSequence()).toBe(1));
    projection.follow(groupAt(2));
    await eventually(() => expect(savedSequence()).toBe(2));
    database.close();
    await projection.close();
  });
});

describe('too many records to be folded', () => {
  it('refuse new commands, but not repeated keys', async () => {
    const { submit, projection } = await ledger();
    const keyed = { command: OPEN_ACCOUNT, idempotency: { keyDigest: new Uint8Array(32), bodyDigest: new Uint8Array(32) } };
    const first = await submit(keyed);
    projection.follow(groupAt(200_000));
    const [again, another] = await Promise.allSettled([submit(keyed), submit({ command: OPEN_ACCOUNT })]);
    expect(again).toMatchObject({ value: { sequence: first.sequence, replayed: true } });
    expect(another).toMatchObject({ reason: expect.any(WriterBusy) });
  });
});

describe('groups', () => {
  it('are batched: they are sent before a read, or at the maximum number of records', async () => {
    const projection = await open();
    await projection.live(systemTime.clock, () => {});
    posts.mockClear();
    for (const sequence of [1, 2, 3]) projection.follow(groupAt(sequence));
    expect(groupsPosted()).toEqual([]);
    expect(parseRendered(await projection.reads.freshness())).toMatchObject({ journalSequence: 3 });
    expect(groupsPosted()).toEqual([3]);
    for (let sequence = 4; sequence <= 1_003; sequence += 1) projection.follow(groupAt(sequence));
    expect(groupsPosted().reduce((sum, count) => sum + count, 0)).toBe(1_003);
    await projection.close();
  });

  it('are sent after a moment without a read, and on close', async () => {
    const projection = await open();
    await projection.live(systemTime.clock, () => {});
    projection.follow(groupAt(1));
    await eventually(() => expect(projection.lag.records).toBe(0));
    projection.follow(groupAt(2));
    await projection.close();
    const again = await open();
    expect(again.sequence).toBe(2);
    await again.close();
  });
});

describe('internal error', () => {
  it('in the published past ends the start', async () => {
    const projection = await open();
    projection.follow(groupAt(5));
    await expect(projection.live(systemTime.clock, () => {})).rejects.toThrow('record 5 follows 0');
    await projection.close();
  });

  it('that ends the thread while the past is published ends the start at once, with its cause', async () => {
    const projection = await open();
    projection.halted();
    threadOf(posts).postMessage(null);
    // More than may wait: this thread blocks for the other and receives nothing meanwhile.
    projection.follow(groupAt(100_000));
    await expect(projection.live(systemTime.clock, () => {})).rejects.toThrow(TypeError);
    await projection.close();
  });

  it('in later groups is reported at once, to waiting reads and to the next call to follow', async () => {
    const projection = await open();
    const internalErrors: unknown[] = [];
    await projection.live(systemTime.clock, (error) => internalErrors.push(error));
    projection.follow(groupAt(1));
    projection.follow(groupAt(7));
    const message = expect.stringMatching(/record 7 follows 1.+ cannot be folded again .+: the journal ends before record 7/);
    await eventually(() => expect(internalErrors).toMatchObject([{ message }]));
    const refused = await projection.reads.freshness().catch((error) => error);
    expect(refused).toBeInstanceOf(VenueHalted);
    expect(refused).toMatchObject({ cause: { message } });
    expect(() => projection.follow(groupAt(2))).toThrow('record 7 follows 1');
    expect(projection.isBehind).toBe(true);
    await projection.close();
  });

  it('that is unreported when it closes is thrown there', async () => {
    const projection = await open();
    const internalErrors: unknown[] = [];
    await projection.live(systemTime.clock, (error) => internalErrors.push(error));
    rmSync(join(directory.path, JOURNAL_FOLDER), { recursive: true });
    projection.follow(groupAt(7));
    await expect(projection.close()).rejects.toThrow('record 7 follows 0');
    expect(internalErrors).toEqual([]);
  });

  it('saves nothing that was not saved before', async () => {
    const projection = await open();
    await projection.live(systemTime.clock, () => {});
    projection.follow(groupAt(1));
    const before = await projection.reads.freshness();
    projection.follow(groupAt(7));
    const after = projection.reads.freshness();
    expect(parseRendered(before)).toMatchObject({ journalSequence: 1 });
    await expect(after).rejects.toBeInstanceOf(WriterBusy);
    await eventually(() => expect(projection.reads.freshness()).rejects.toBeInstanceOf(VenueHalted));
    await projection.close();
    const again = await open();
    expect(again.sequence).toBe(0);
    await again.close();
  });

  it.each([
    ['in a group', (projection: ProjectionInThread) => projection.follow(groupAt(9))],
    ['that ends the thread', () => threadOf(posts).terminate()],
  ])('%s stops the venue', async (_, goWrong) => {
    const { submit, projection } = await ledger();
    await goWrong(projection);
    await eventually(() => expect(halts).toMatchObject([{ reason: 'an internal error stopped a subscriber of the journal' }]));
    await expect(submit({ command: OPEN_ACCOUNT })).rejects.toBeInstanceOf(VenueHalted);
    const refused = await projection.reads.freshness().catch((error) => error);
    expect(refused).toBeInstanceOf(VenueHalted);
    expect(refused.message).toMatch(/record 9 follows 0|ended with status 1/);
  });
});

function threadOf(spy: typeof posts): Worker {
  return spy.mock.contexts.at(-1) as Worker;
}

/** The number of groups in each message with groups. */
function groupsPosted(): readonly number[] {
  return posts.mock.calls.flatMap(([message]) => ('groups' in message ? [message.groups.length] : []));
}
