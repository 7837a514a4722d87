/** A temporary refusal is neither journaled nor stored under its key: it leaves no byte, and the same key runs again. */
import { describe, expect, it } from 'vitest';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { toyRules } from '#simulation/toy-ledger.ts';
import { credit, open, openToyWriter, type ToyWriter } from '#simulation/toy-writer.ts';
import type { StateMachineRules } from '#writer/port/state-machine.ts';
import type { UnrecordedRefusal } from '#writer/port/submit.ts';
import { VenueHalted } from '#writer/port/submit.ts';

const turned = () => new Promise((resolve) => setImmediate(resolve));

/** Refused by the toy, as `insufficient_margin`, while account 1 has less than 5. */
const debit = (key?: string, body?: string) => credit(1, -5, key, body);

async function writerWithAccount(files = new PowerCutFiles()): Promise<ToyWriter> {
  const writer = await openToyWriter(files);
  await writer.submit(open('alice'));
  return writer;
}

describe('refusal that is not stored', () => {
  it('leaves no record, no byte and no trace in the state', async () => {
    const files = new PowerCutFiles();
    const writer = await writerWithAccount(files);
    const seen = () => [files.contents(), writer.peek((state) => state.snapshot()), writer.status().chainDigest];
    const before = seen();
    for (let count = 0; count < 5; count += 1) {
      writer.pass(10);
      expect(await writer.submit(debit(`key ${count}`))).toEqual({
        ...{ sequence: 1, epochMs: writer.clock.epochMs, command: debit().command, replayed: false, isUnrecorded: true },
        ...{ code: 'insufficient_margin', events: [{ type: 'CommandRefused', code: 'insufficient_margin', order: 0, bound: 0 }] },
      });
    }
    expect(seen()).toEqual(before);
    expect(writer.groups).toHaveLength(1);
    expect((await writer.submit(credit(1, 1))).sequence).toBe(2);
  });

  it('leaves its key free: the same request runs again, and is stored once it is accepted', async () => {
    const writer = await writerWithAccount();
    expect(await writer.submit(debit('key'))).toMatchObject({ isUnrecorded: true });
    await writer.submit(credit(1, 5));
    const taken = await writer.submit(debit('key'));
    expect(taken).toMatchObject({ sequence: 3, replayed: false, events: [{ type: 'CashPosted' }, { type: 'CashPosted' }] });
    expect(await writer.submit(debit('key'))).toEqual({ ...taken, replayed: true });
  });

  it('leaves its key free for another body too', async () => {
    const writer = await writerWithAccount();
    expect(await writer.submit(debit('key'))).toMatchObject({ isUnrecorded: true });
    expect(await writer.submit(credit(1, 7, 'key'))).toMatchObject({ sequence: 2, replayed: false });
  });

  it('is decided once for deliveries that arrive while it is pending', async () => {
    const writer = await writerWithAccount();
    const underWay = writer.submit(credit(1, 1));
    const deliveries = [writer.submit(debit('key')), writer.submit(debit('key'))];
    await turned();
    deliveries.push(writer.submit(debit('key')));
    const [first, ...others] = await Promise.all(deliveries);
    expect(first).toMatchObject({ sequence: 2, isUnrecorded: true, replayed: false });
    for (const other of others) expect(other).toEqual({ ...first, replayed: true });
    await underWay;
  });

  it('responds once every record that it is based on is durable and published', async () => {
    const files = new PowerCutFiles();
    const published: number[] = [];
    const writer = await openToyWriter(files, { follow: ({ records }) => published.push(records.at(-1)!.sequence) });
    await writer.submit(open('alice'));
    await writer.submit(credit(1, 5));
    for (let sequence = 3; sequence < 23; sequence += 2) {
      // The debit leaves too little for the second one.
      const [spent, refused] = [writer.submit(debit()), writer.submit(debit('key'))];
      expect(await refused).toMatchObject({ sequence, isUnrecorded: true });
      expect([published.at(-1), files.unsyncedWrites]).toEqual([sequence, 0]);
      await Promise.all([spent, writer.submit(credit(1, 5))]);
    }
  });

  it('rejects if a record that it is based on never becomes durable', async () => {
    let isBroken = false;
    const writer = await writerWithAccount(
      new PowerCutFiles(({ kind }) => (isBroken && kind === 'datasync' ? 'EIO' : undefined)),
    );
    isBroken = true;
    const outcomes = await Promise.allSettled([writer.submit(credit(1, 1)), writer.submit(debit('key')), writer.submit(debit())]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: expect.any(VenueHalted) });
  });

  it('does not replace the stored response of its key', async () => {
    const writer = await writerWithAccount();
    await writer.submit(credit(1, 5));
    const taken = await writer.submit(debit('key'));
    expect(await writer.submit(debit())).toMatchObject({ isUnrecorded: true });
    expect(await writer.submit(debit('key'))).toEqual({ ...taken, replayed: true });
  });

  it('leaves no trace after a restart, and the same key runs', async () => {
    const files = new PowerCutFiles();
    const writer = await writerWithAccount(files);
    await writer.submit(debit('key'));
    for (const contents of [files.contents(), await closed(writer, files)]) {
      const again = await openToyWriter(new PowerCutFiles(undefined, contents));
      expect(again.recovered).toMatchObject({ sequence: 1, tornTail: undefined });
      await again.submit(credit(1, 5));
      expect(await again.submit(debit('key'))).toMatchObject({ sequence: 3, replayed: false });
    }
  });

  it('gets its response from a closing writer', async () => {
    const writer = await writerWithAccount();
    const refused = [writer.submit(credit(1, 1)), writer.submit(debit('key')), writer.submit(debit())];
    await writer.close();
    expect((await Promise.all(refused)).map(({ sequence }) => sequence)).toEqual([2, 2, 2]);
  });

  it('is reported to the host, once', async () => {
    const refusals: UnrecordedRefusal[] = [];
    const writer = await openToyWriter(new PowerCutFiles(), { onUnrecorded: (refusal) => refusals.push(refusal) });
    await writer.submit(open('alice'));
    await Promise.all([writer.submit(debit('key')), writer.submit(debit('key')), writer.submit(credit(2, 1))]);
    expect(refusals).toMatchObject([{ command: { type: 'CreditCash' }, code: 'insufficient_margin' }]);
  });
});

describe('journal of an earlier program', () => {
  /** A program that stored every refusal. */
  const storingAll: StateMachineRules = {
    ...toyRules,
    fresh: () => {
      const state = toyRules.fresh();
      return {
        turn: (sequenced, events) => {
          Object.defineProperty(events, 'isUnstored', { value: false, configurable: true });
          state.turn(sequenced, events);
        },
        snapshot: () => state.snapshot(),
      };
    },
  };

  it('replays to the same records, and stored refusals still get their stored response', async () => {
    const files = new PowerCutFiles();
    const earlier = await openToyWriter(files, { rules: storingAll });
    await earlier.submit(open('alice'));
    const stored = await earlier.submit(debit('key'));
    expect(stored).toMatchObject({ sequence: 2, events: [{ type: 'CommandRefused', code: 'insufficient_margin' }] });
    expect(stored.isUnrecorded).toBe(undefined);
    const unsaved = files.contents();
    for (const contents of [unsaved, await closed(earlier, files)]) {
      const writer = await openToyWriter(new PowerCutFiles(undefined, contents));
      expect(writer.recovered).toMatchObject({ sequence: 2 });
      await writer.submit(credit(1, 5));
      expect(await writer.submit(debit('key'))).toEqual({ ...stored, replayed: true });
      expect(await writer.submit(debit('new key'))).toMatchObject({ sequence: 4, replayed: false });
    }
  });
});

async function closed(writer: ToyWriter, files: PowerCutFiles): Promise<Map<string, Uint8Array>> {
  await writer.close();
  return files.contents();
}
