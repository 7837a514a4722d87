/** What a submission may rely on: order, time, durability before the response, bounds, and a final halt. */
import { describe, expect, it, vi } from 'vitest';
import type { Faults } from '#simulation/power-cut-files.ts';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { FAULTY } from '#simulation/toy-ledger.ts';
import { credit, open, openToyWriter } from '#simulation/toy-writer.ts';
import { eventually } from '#time/testing/eventually.ts';
import { IdempotencyIndex } from './idempotency/idempotency-index.ts';
import { JournalTime } from './journal/journal-time.ts';
import { VenueHalted, WriterBusy } from './port/submit.ts';

/** Per account of the toy ledger, in a snapshot. */
const BYTES_OF_CASH = 8;

describe('submission', () => {
  it('returns its sequence, its time and its events', async () => {
    const writer = await openToyWriter(new PowerCutFiles());
    const opened = await writer.submit(open('alice'));
    const credited = await writer.submit(credit(1, 5));
    expect(opened).toEqual({
      sequence: 1,
      epochMs: 1_700_000_000_000,
      command: { type: 'OpenAccount', label: 'alice', partyId: '', digestSeed: 7 },
      events: [{ type: 'AccountOpened', account: 1, label: 'alice', partyId: '' }],
      replayed: false,
    });
    expect(credited.events).toEqual([
      { type: 'CashPosted', account: 1, kind: 'deposit', amountAtoms: 2, cashAtoms: 2 },
      { type: 'CashPosted', account: 1, kind: 'deposit', amountAtoms: 3, cashAtoms: 5 },
    ]);
    expect(writer.status()).toMatchObject({ sequence: 2, queued: 0, halt: undefined });
  });

  it('records a refusal like any other command', async () => {
    const writer = await openToyWriter(new PowerCutFiles());
    const refused = await writer.submit(credit(9, 5));
    expect(refused).toMatchObject({ sequence: 1, events: [{ type: 'CommandRefused', code: 'account_not_found' }] });
  });

  it('never dates a record before the previous one, even across a restart', async () => {
    const files = new PowerCutFiles();
    const writer = await openToyWriter(files);
    await writer.submit(open('alice'));
    writer.clock.epochMs -= 5_000;
    expect((await writer.submit(open('bob'))).epochMs).toBe(1_700_000_000_000);
    await writer.close();
    const again = await openToyWriter(files);
    again.clock.epochMs -= 5_000;
    expect((await again.submit(open('carol'))).epochMs).toBe(1_700_000_000_000);
  });

  it('responds after the subscribers, in order', async () => {
    const published: number[] = [];
    const seen: [number, number][] = [];
    const writer = await openToyWriter(new PowerCutFiles(), {
      follow: ({ records }) => published.push(...records.map(({ sequence }) => sequence)),
    });
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        writer.submit(open(`${index}`)).then(({ sequence }) => seen.push([sequence, published.at(-1)!])),
      ),
    );
    expect(published).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(seen.map(([sequence]) => sequence)).toEqual(published);
    for (const [sequence, lastPublished] of seen) expect(lastPublished).toBeGreaterThanOrEqual(sequence);
  });

  it('shares one write and one sync among concurrent submissions', async () => {
    const kinds: string[] = [];
    const files = new PowerCutFiles(({ kind }) => {
      kinds.push(kind);
      return undefined;
    });
    const writer = await openToyWriter(files, { limits: { segmentBytes: 1 << 20 } });
    kinds.length = 0;
    await Promise.all(Array.from({ length: 50 }, (_, index) => writer.submit(open(`${index}`))));
    expect(kinds).toEqual(['write', 'datasync']);
    expect(writer.groups).toHaveLength(1);
  });

  it('rejects a submission without sequencing it when the queue is full', async () => {
    const writer = await openToyWriter(new PowerCutFiles(), { limits: { maxQueued: 3 } });
    const taken = [1, 2, 3].map((number) => writer.submit(open(`${number}`)));
    await expect(writer.submit(open('4'))).rejects.toBeInstanceOf(WriterBusy);
    expect((await Promise.all(taken)).map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect((await writer.submit(open('5'))).sequence).toBe(4);
  });

  it('rejects only the command that cannot be encoded', async () => {
    const writer = await openToyWriter(new PowerCutFiles());
    const [long, good] = [writer.submit(open('x'.repeat(70_000), 'key')), writer.submit(open('alice'))];
    await expect(long).rejects.toThrow('longer than');
    expect((await good).sequence).toBe(1);
    expect((await writer.submit(open('bob', 'key'))).sequence).toBe(2);
  });

  it('writes a group that is larger than a segment', async () => {
    const files = new PowerCutFiles();
    const writer = await openToyWriter(files);
    await writer.submit(open('before'));
    await Promise.all([1, 2, 3].map((number) => writer.submit(credit(1, number, undefined, `${number}`.repeat(10_000)))));
    await writer.submit(open('after'));
    await writer.close();
    const again = await openToyWriter(files);
    expect(again.groups).toEqual(writer.groups);
  });

  it('writes the first records before the turns of the last concurrent submissions', async () => {
    const writer = await openToyWriter(new PowerCutFiles());
    await Promise.all(Array.from({ length: 500 }, (_, index) => writer.submit(open(`${index}`))));
    const lengths = writer.groups.map(({ records }) => records.length);
    expect(lengths.length).toBeGreaterThan(1);
    expect(lengths[0]).toBeLessThan(250);
  });

  it('prepares the next segment when the current one is half full', async () => {
    const files = new PowerCutFiles();
    const writer = await openToyWriter(files);
    await writer.submit(open('a'.repeat(600)));
    expect(await files.list()).toEqual(['segment-00000001.journal']);
    await writer.submit(open('b'));
    await eventually(async () => expect(await files.list()).toContain('segment-00000002.journal'));
    expect(await files.list()).not.toContain('segment-00000003.journal');
  });

  it('syncs a new segment piece by piece', async () => {
    const kinds: string[] = [];
    const files = new PowerCutFiles(({ kind }) => {
      kinds.push(kind);
      return undefined;
    });
    await openToyWriter(files, { limits: { segmentBytes: 2.5 * 2 ** 19 } });
    expect(kinds).toEqual([
      'create',
      ...Array.from({ length: 3 }, () => ['write', 'datasync']).flat(),
      'rename',
      'syncDirectory',
    ]);
    expect((await files.open('segment-00000001.journal').then((file) => file.size())) / 2 ** 19).toBe(2.5);
  });

  it('survives a power cut in a segment whose maker ended before its name was durable', async () => {
    const files = new PowerCutFiles(({ kind, ordinal }) => (kind === 'syncDirectory' && ordinal > 8 ? 'lie' : undefined));
    const writer = await openToyWriter(files);
    await writer.submit(open('a'.repeat(1_000)));
    await eventually(async () => expect(await files.list()).toContain('segment-00000002.journal'));
    const restarted = files.afterKill();
    const again = await openToyWriter(restarted);
    for (let number = 0; number < 2; number += 1) await again.submit(open('b'.repeat(300)));
    expect(await restarted.list()).not.toContain('segment-00000003.journal');
    const last = await openToyWriter(new PowerCutFiles(undefined, restarted.afterPowerCut('drop', Math.random)));
    expect(last.groups).toEqual(again.groups);
  });

  it('responds to what was taken before the writer closes, and rejects later submissions', async () => {
    const writer = await openToyWriter(new PowerCutFiles(), { limits: { maxGroupRecords: 2 } });
    const taken = Array.from({ length: 9 }, (_, index) => writer.submit(open(`${index}`)));
    const closed = writer.close();
    await expect(writer.submit(open('late'))).rejects.toBeInstanceOf(VenueHalted);
    await closed;
    expect((await Promise.all(taken)).at(-1)?.sequence).toBe(9);
  });
});

describe('read of the state', () => {
  const turned = () => new Promise((resolve) => setImmediate(resolve));

  it('shows every processed turn, and resolves when all of them are durable and published', async () => {
    const published: number[] = [];
    const files = new PowerCutFiles();
    const writer = await openToyWriter(files, { follow: ({ records }) => published.push(records.at(-1)!.sequence) });
    const empty = await writer.readAtCommit((state) => state.snapshot());
    expect(empty).toMatchObject({ sequence: 0, epochMs: 1_700_000_000_000 });
    for (let sequence = 1; sequence <= 20; sequence += 1) {
      const submitted = writer.submit(open(`${sequence}`));
      await turned();
      writer.clock.epochMs += 1;
      const { view, ...stateView } = await writer.readAtCommit((state, epochMs) => [state.snapshot().length, epochMs]);
      expect(stateView).toEqual({ sequence, epochMs: 1_700_000_000_000 + sequence });
      expect(view).toEqual([empty.view.length + sequence * BYTES_OF_CASH, stateView.epochMs]);
      expect(published.at(-1), 'shows nothing that is not durable').toBe(sequence);
      await submitted;
    }
  });

  it('peeks without waiting for the disk, possibly ahead of what is durable', async () => {
    const writer = await openToyWriter(new PowerCutFiles());
    const empty = writer.peek((state) => state.snapshot().length);
    const submitted = writer.submit(open('alice'));
    await turned();
    writer.clock.epochMs += 7;
    const seen = writer.peek((state, epochMs) => [state.snapshot().length, epochMs]);
    expect([seen, writer.status().sequence]).toEqual([[empty + BYTES_OF_CASH, 1_700_000_000_007], 0]);
    expect((await submitted).sequence).toBe(1);
  });

  it('neither sees nor awaits queued submissions', async () => {
    const writer = await openToyWriter(new PowerCutFiles());
    const submitted = writer.submit(open('alice'));
    expect((await writer.readAtCommit(() => undefined)).sequence).toBe(0);
    expect((await submitted).sequence).toBe(1);
  });

  it('rejects when a record that it shows never becomes durable, and does not call the reader after a halt', async () => {
    let isBroken = false;
    const writer = await openToyWriter(new PowerCutFiles(({ kind }) => (isBroken && kind === 'datasync' ? 'EIO' : undefined)));
    await writer.submit(open('alice'));
    isBroken = true;
    const submitted = writer.submit(open('bob'));
    await turned();
    const visitedMakers = [writer.readAtCommit(() => 'seen'), writer.readAtCommit(() => 'seen')];
    const outcomes = await Promise.allSettled([submitted, ...visitedMakers]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: expect.any(VenueHalted) });
    const read = vi.fn();
    await expect(writer.readAtCommit(read)).rejects.toBeInstanceOf(VenueHalted);
    expect(read).not.toHaveBeenCalled();
  });

  it('rejects only its caller when the reader throws', async () => {
    const writer = await openToyWriter(new PowerCutFiles());
    const looking = writer.readAtCommit(() => {
      throw new Error('planted');
    });
    await expect(looking).rejects.toThrow('planted');
    expect((await writer.submit(open('alice'))).sequence).toBe(1);
  });
});

describe('halt', () => {
  /** Fails every operation of a kind on the journal once `isBroken`. */
  function breakable(kind: string, code: 'ENOSPC' | 'EIO') {
    const broken = { isBroken: false, count: 0 };
    const faults: Faults = (operation) => {
      if (!broken.isBroken || operation.kind !== kind || !operation.name.includes('segment')) return undefined;
      broken.count += 1;
      return code;
    };
    return { broken, files: new PowerCutFiles(faults) };
  }

  it.each([
    ['write', 'ENOSPC'],
    ['write', 'EIO'],
    ['datasync', 'EIO'],
  ] as const)('is final and reported after a %s fails with %s', async (kind, code) => {
    const { broken, files } = breakable(kind, code);
    const writer = await openToyWriter(files);
    await writer.submit(open('alice'));
    broken.isBroken = true;
    const pending = [writer.submit(open('bob')), writer.submit(open('carol'))];
    for (const submission of pending) await expect(submission).rejects.toBeInstanceOf(VenueHalted);
    broken.isBroken = false;
    await expect(writer.submit(open('dave'))).rejects.toBeInstanceOf(VenueHalted);
    expect(broken.count).toBe(1);
    expect(writer.halts).toHaveLength(1);
    expect(writer.status()).toMatchObject({
      sequence: 1,
      halt: { reason: 'the journal cannot be written', detail: expect.stringContaining(code) },
    });
    await writer.close();

    const again = await openToyWriter(files.afterKill());
    expect(again.groups.flatMap(({ records }) => records).map(({ command }) => command)).toContainEqual(open('alice').command);
    expect((await again.submit(open('erin'))).replayed).toBe(false);
  });

  it('does not follow from a failure to prepare the next segment early: it is retried when needed', async () => {
    const { broken, files } = breakable('create', 'ENOSPC');
    const writer = await openToyWriter(files);
    broken.isBroken = true;
    await writer.submit(open('a'.repeat(1_000)));
    await writer.submit(open('b'));
    await eventually(() => expect(broken.count).toBe(1));
    await writer.submit(open('c'));
    expect(broken.count).toBe(1);
    broken.isBroken = false;
    for (let number = 4; number <= 20; number += 1) expect((await writer.submit(open(`${number}`))).sequence).toBe(number);
    expect(await files.list()).toContain('segment-00000002.journal');
  });

  it('follows from a full disk when the next segment is needed; a restart continues', async () => {
    const { broken, files } = breakable('create', 'ENOSPC');
    const writer = await openToyWriter(files);
    broken.isBroken = true;
    let responded = 0;
    while (writer.status().halt === undefined) {
      await writer.submit(open(`${responded}`)).then(
        () => (responded += 1),
        () => undefined,
      );
    }
    expect(responded).toBeGreaterThan(3);
    await writer.close();
    const again = await openToyWriter(files.afterKill());
    expect(again.recovered.sequence).toBe(responded);
    expect((await again.submit(open('more'))).sequence).toBe(responded + 1);
  });

  it('leaves nothing unsynced in the cache for a restart to rely on after a failed sync', async () => {
    const { broken, files } = breakable('datasync', 'EIO');
    const writer = await openToyWriter(files);
    await writer.submit(open('alice'));
    broken.isBroken = true;
    await expect(writer.submit(open('bob', 'key'))).rejects.toBeInstanceOf(VenueHalted);

    // The process restarts, finds bob in the system's cache, and responds with his record. Then the power fails.
    const restarted = files.afterKill();
    const again = await openToyWriter(restarted);
    const response = await again.submit(open('bob', 'key'));
    expect(response.replayed).toBe(true);
    const last = await openToyWriter(new PowerCutFiles(undefined, restarted.afterPowerCut('drop', Math.random)));
    expect(last.groups).toEqual(again.groups);
  });

  it('follows from an internal error in a turn: responds to what is being written, and to nothing after it', async () => {
    const files = new PowerCutFiles();
    const writer = await openToyWriter(files);
    const good = writer.submit(open('alice'));
    await new Promise((resolve) => setImmediate(resolve));
    const rest = [writer.submit(open('bob')), writer.submit(open(FAULTY)), writer.submit(open('carol'))];
    const outcomes = await Promise.allSettled([good, ...rest]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
    expect(writer.status()).toMatchObject({ sequence: 1, halt: { detail: expect.stringContaining('OpenAccount') } });
    expect(writer.halts).toEqual([
      {
        reason: 'an internal error stopped the turn of a command',
        detail: expect.stringContaining('planted'),
        cause: expect.any(Error),
      },
    ]);
    await writer.close();
    expect((await openToyWriter(files)).recovered.sequence).toBe(1);
  });

  it.each([
    ['submit', () => vi.spyOn(IdempotencyIndex.prototype, 'hasCapacity'), 'an internal error stopped the intake of commands'],
    ['the later turns', () => vi.spyOn(JournalTime.prototype, 'advance'), 'an internal error stopped the turn of a command'],
  ])('follows from an exception in %s, which leaves an unknown state', async (_, spied, reason) => {
    const files = new PowerCutFiles();
    const writer = await openToyWriter(files);
    await writer.submit(open('alice', 'first'));
    const spy = spied().mockImplementationOnce(() => {
      throw new Error('planted');
    });
    await expect(writer.submit(open('bob', 'second'))).rejects.toBeInstanceOf(VenueHalted);
    spy.mockRestore();
    expect(writer.halts).toEqual([{ reason, detail: 'planted', cause: expect.any(Error) }]);
    await expect(writer.submit(open('carol'))).rejects.toBeInstanceOf(VenueHalted);
    await writer.close();
    expect((await openToyWriter(files)).recovered.sequence).toBe(1);
  });

  it('keeps its first reason when more fails after it', async () => {
    const { broken, files } = breakable('datasync', 'EIO');
    const writer = await openToyWriter(files, { limits: { maxGroupRecords: 1 } });
    broken.isBroken = true;
    const outcomes = await Promise.allSettled([writer.submit(open('alice')), writer.submit(open(FAULTY))]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(broken.count).toBe(1);
    expect(writer.halts.map(({ detail }) => detail)).toEqual([expect.stringContaining('planted')]);
  });

  it('follows from a projection that throws: its callers get no response, the record remains', async () => {
    const files = new PowerCutFiles();
    const follow = vi.fn(() => {
      throw new Error('cannot fold');
    });
    const writer = await openToyWriter(files, { follow });
    await expect(writer.submit(open('alice'))).rejects.toBeInstanceOf(VenueHalted);
    expect(writer.status()).toMatchObject({ sequence: 0, halt: { detail: expect.stringContaining('cannot fold') } });
    await writer.close();
    expect((await openToyWriter(files)).recovered.sequence).toBe(1);
  });

  it('does not follow from a snapshot that is still being saved when the writer closes', async () => {
    const files = new PowerCutFiles();
    const writer = await openToyWriter(files, { limits: { recordsPerSnapshot: 1 } });
    await writer.submit(open('alice'));
    await writer.close();
    expect(writer.status()).toMatchObject({ snapshotSequence: 1, snapshotFailure: undefined });
  });

  it('does not follow from a snapshot that cannot be saved: it is reported, also in the status', async () => {
    let isFull = true;
    const files = new PowerCutFiles(({ name }) => (isFull && name.includes('snapshot') ? 'ENOSPC' : undefined));
    const failures: unknown[] = [];
    const onSnapshotFailure = (cause: unknown) => failures.push(cause);
    const writer = await openToyWriter(files, { limits: { recordsPerSnapshot: 2 }, onSnapshotFailure });
    for (const label of ['a', 'b', 'c', 'd']) await writer.submit(open(label));
    expect(failures[0]).toMatchObject({ message: expect.stringContaining('ENOSPC') });
    expect(writer.status()).toMatchObject({
      halt: undefined,
      snapshotSequence: 0,
      snapshotFailure: expect.stringContaining('ENOSPC'),
    });
    isFull = false;
    await writer.close();
    expect(writer.status()).toMatchObject({ snapshotSequence: 4, snapshotFailure: undefined });
  });
});
