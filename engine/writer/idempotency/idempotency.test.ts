/** A repeated request gets the first response, whenever and however it is repeated. */
import { describe, expect, it } from 'vitest';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { credit, open, openToyWriter } from '#simulation/toy-writer.ts';
import { IdempotencyConflict, VenueHalted, WriterBusy } from '#writer/port/submit.ts';

const HOUR_MS = 60 * 60 * 1000;

describe('repeated key', () => {
  it('with the same body returns the same record, which is executed once', async () => {
    const writer = await openToyWriter(new PowerCutFiles());
    await writer.submit(open('alice'));
    const first = await writer.submit(credit(1, 5, 'key'));
    const second = await writer.submit(credit(1, 5, 'key'));
    expect(second).toEqual({ ...first, replayed: true });
    expect(writer.status().sequence).toBe(2);
  });

  it('of a refused command returns the same refusal, even if the command would be accepted now', async () => {
    const writer = await openToyWriter(new PowerCutFiles());
    const refused = await writer.submit(credit(1, 5, 'key'));
    await writer.submit(open('alice'));
    expect(await writer.submit(credit(1, 5, 'key'))).toEqual({ ...refused, replayed: true });
  });

  it('with another body is a conflict, before and after the record is durable', async () => {
    const writer = await openToyWriter(new PowerCutFiles());
    const first = writer.submit(open('alice', 'key'));
    await expect(writer.submit(open('bob', 'key'))).rejects.toBeInstanceOf(IdempotencyConflict);
    await first;
    await expect(writer.submit(open('bob', 'key'))).rejects.toBeInstanceOf(IdempotencyConflict);
    expect(writer.status().sequence).toBe(1);
  });

  it('returns the same record when repeated before the first is durable', async () => {
    const writer = await openToyWriter(new PowerCutFiles());
    const [first, second] = await Promise.all([writer.submit(open('alice', 'key')), writer.submit(open('alice', 'key'))]);
    expect(second).toEqual({ ...first, replayed: true });
    expect(writer.status().sequence).toBe(1);
  });

  it('is looked up without a submission: waits for the pending one, and finds nothing under a new key', async () => {
    const writer = await openToyWriter(new PowerCutFiles());
    const { idempotency } = open('alice', 'key');
    expect(await writer.findOutcome(idempotency!)).toBeUndefined();
    const first = writer.submit(open('alice', 'key'));
    const pending = writer.findOutcome(idempotency!);
    expect(await pending).toEqual({ ...(await first), replayed: true });
    expect(await writer.findOutcome(idempotency!)).toEqual({ ...(await first), replayed: true });
    await expect(writer.findOutcome(open('bob', 'key').idempotency!)).rejects.toBeInstanceOf(IdempotencyConflict);
    expect(writer.status().sequence).toBe(1);
    writer.stopFollowing(new Error('planted'));
    await expect(writer.findOutcome(idempotency!)).rejects.toBeInstanceOf(VenueHalted);
  });

  it('is not looked up after the writer has closed', async () => {
    const writer = await openToyWriter(new PowerCutFiles());
    const { idempotency } = open('alice', 'key');
    await writer.submit(open('alice', 'key'));
    await writer.close();
    await expect(writer.findOutcome(idempotency!)).rejects.toThrow('shutting down');
  });

  it('counts for the account that the request names, if the command names none', async () => {
    const writer = await openToyWriter(new PowerCutFiles(), { limits: { maxKeysPerAccount: 1 } });
    const of = (label: string, account: number) => {
      const { command, idempotency } = open(label, label);
      return { command, idempotency: { ...idempotency!, account } };
    };
    for (const submission of [of('a', 7), of('b', 8), of('c', 8)]) await writer.submit(submission);
    const found = async (label: string) => (await writer.findOutcome(open(label, label).idempotency!)) !== undefined;
    expect([await found('a'), await found('b'), await found('c')]).toEqual([true, false, true]);
  });

  it('is known after a restart, with or without the snapshot', async () => {
    const files = new PowerCutFiles();
    const writer = await openToyWriter(files);
    const first = await writer.submit(open('alice', 'key'));
    await writer.submit(open('b'.repeat(5_000), 'long'));
    await writer.close();
    const saved = files.contents();
    const bare = new Map([...saved].filter(([name]) => !name.startsWith('snapshot')));
    for (const contents of [saved, bare]) {
      const again = await openToyWriter(new PowerCutFiles(undefined, contents));
      expect(await again.submit(open('alice', 'key'))).toEqual({ ...first, replayed: true });
      expect((await again.submit(open('b'.repeat(5_000), 'long'))).sequence).toBe(2);
      await expect(again.submit(open('bob', 'key'))).rejects.toBeInstanceOf(IdempotencyConflict);
    }
  });

  it('expires after a day of the journal, and is then executed again', async () => {
    const files = new PowerCutFiles();
    const writer = await openToyWriter(files);
    await writer.submit(open('alice', 'key'));
    writer.pass(24 * HOUR_MS);
    await writer.submit(open('tick'));
    expect((await writer.submit(open('alice', 'key'))).replayed).toBe(true);
    writer.pass(1);
    await writer.submit(open('tock'));
    expect(await writer.submit(open('alice', 'key'))).toMatchObject({ sequence: 4, replayed: false });
    await writer.close();
    expect((await (await openToyWriter(files)).submit(open('alice', 'key'))).sequence).toBe(4);
  });

  it('is dropped when its account has used too many since; other accounts keep theirs', async () => {
    const writer = await openToyWriter(new PowerCutFiles(), { limits: { maxKeysPerAccount: 2 } });
    await writer.submit(credit(7, 1, 'seven'));
    for (const key of ['a', 'b', 'c']) await writer.submit(credit(8, 1, key));
    expect((await writer.submit(credit(7, 1, 'seven'))).replayed).toBe(true);
    expect((await writer.submit(credit(8, 1, 'b'))).replayed).toBe(true);
    expect((await writer.submit(credit(8, 1, 'a'))).replayed).toBe(false);
  });
});

describe('full idempotency index', () => {
  const limits = { maxKeys: 3, maxKeysPerAccount: 2 };

  it('refuses new keys and drops no key; commands without a key and repeated keys still work', async () => {
    const writer = await openToyWriter(new PowerCutFiles(), { limits });
    await writer.submit(credit(7, 1, 'seven'));
    for (const key of ['a', 'b']) await writer.submit(credit(8, 1, key));
    await expect(writer.submit(credit(9, 1, 'nine'))).rejects.toBeInstanceOf(WriterBusy);
    expect(writer.status().sequence).toBe(3);
    expect((await writer.submit(credit(7, 1, 'seven'))).replayed).toBe(true);
    expect((await writer.submit(credit(9, 1))).sequence).toBe(4);
  });

  it('lets an account that has its share replace its own oldest key', async () => {
    const writer = await openToyWriter(new PowerCutFiles(), { limits });
    await writer.submit(credit(7, 1, 'seven'));
    for (const key of ['a', 'b', 'c', 'd']) expect((await writer.submit(credit(8, 1, key))).replayed).toBe(false);
    expect((await writer.submit(credit(7, 1, 'seven'))).replayed).toBe(true);
    expect((await writer.submit(credit(8, 1, 'c'))).replayed).toBe(true);
  });

  it('has room again after a day, and loses no key by a restart', async () => {
    const files = new PowerCutFiles();
    const before = await openToyWriter(files, { limits });
    for (const account of [7, 8, 9]) await before.submit(credit(account, 1, `key of ${account}`));
    await before.close();
    const writer = await openToyWriter(files, { limits });
    await expect(writer.submit(credit(1, 1, 'new'))).rejects.toBeInstanceOf(WriterBusy);
    expect((await writer.submit(credit(7, 1, 'key of 7'))).replayed).toBe(true);
    writer.pass(24 * HOUR_MS + 1);
    await writer.submit(open('tick'));
    expect((await writer.submit(credit(1, 1, 'new'))).replayed).toBe(false);
  });
});

describe('subscribers that are too far behind', () => {
  it('refuse new commands without sequencing them, but not repeated keys, durable or not, nor conflicts', async () => {
    let isBehind = false;
    const writer = await openToyWriter(new PowerCutFiles(), { mayTakeMore: () => !isBehind });
    const first = await writer.submit(open('alice', 'key'));
    const underWay = writer.submit(credit(1, 5, 'under way'));
    isBehind = true;
    await expect(writer.submit(credit(1, 6, 'new'))).rejects.toBeInstanceOf(WriterBusy);
    await expect(writer.submit(credit(1, 7))).rejects.toBeInstanceOf(WriterBusy);
    expect(await writer.submit(open('alice', 'key'))).toEqual({ ...first, replayed: true });
    expect(await writer.submit(credit(1, 5, 'under way'))).toEqual({ ...(await underWay), replayed: true });
    await expect(writer.submit(open('bob', 'key'))).rejects.toBeInstanceOf(IdempotencyConflict);
    isBehind = false;
    expect((await writer.submit(credit(1, 6, 'new'))).sequence).toBe(3);
  });

  it('report a halt as such, with a known key or without', async () => {
    const writer = await openToyWriter(new PowerCutFiles(), { mayTakeMore: () => false });
    writer.stopFollowing(new Error('planted'));
    for (const key of ['key', undefined]) await expect(writer.submit(open('alice', key))).rejects.toBeInstanceOf(VenueHalted);
  });
});

it('halts when an acknowledged record cannot be read any more', async () => {
  const files = new PowerCutFiles();
  const writer = await openToyWriter(files);
  await writer.submit(open('alice', 'key'));
  const segment = await files.open('segment-00000001.journal');
  await segment.write(Uint8Array.from([0x55]), 140);
  await expect(writer.submit(open('alice', 'key'))).rejects.toBeInstanceOf(VenueHalted);
  expect(writer.status().halt?.detail).toContain('segment-00000001.journal at byte 68');
});

describe('earlier response in a segment that is not being written', () => {
  /** More than three segments, the first with the key; `opened` counts the file opens, of which the next `failing` reject. */
  async function filledWriter() {
    const files = new PowerCutFiles();
    const state = { opened: 0, failing: 0 };
    const openFile = files.open.bind(files);
    files.open = async (name) => {
      state.opened += 1;
      if (state.failing > 0) {
        state.failing -= 1;
        throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
      }
      const file = await openFile(name);
      let isClosed = false;
      return {
        ...file,
        read: async (into, position) => {
          await new Promise((resolve) => setImmediate(resolve));
          if (isClosed) throw new Error('EBADF: the file is closed');
          return file.read(into, position);
        },
        close: async () => {
          isClosed = true;
        },
      };
    };
    const before = await openToyWriter(files);
    const keys = Array.from({ length: 100 }, (_, index) => `key ${index}`);
    for (const key of keys) await before.submit(open(key, key));
    await before.close();
    const writer = await openToyWriter(files);
    state.opened = 0;
    return { writer, state, keys, segments: (await files.list()).filter((name) => name.endsWith('.journal')).length };
  }

  it('is retryable when the system has no file handle left; the venue continues', async () => {
    const { writer, state } = await filledWriter();
    state.failing = 1;
    await expect(writer.submit(open('key 0', 'key 0'))).rejects.toBeInstanceOf(WriterBusy);
    expect(writer.status().halt).toBeUndefined();
    expect(await writer.submit(open('key 0', 'key 0'))).toMatchObject({ sequence: 1, replayed: true });
    expect((await writer.submit(open('new'))).sequence).toBe(101);
  });

  it('opens its segment once however often it is read, and never the current one', async () => {
    const { writer, state } = await filledWriter();
    await Promise.all(Array.from({ length: 10 }, () => writer.submit(open('key 0', 'key 0'))));
    await writer.submit(open('key 0', 'key 0'));
    await writer.submit(open('key 99', 'key 99'));
    expect(state.opened).toBe(1);
  });

  it('is right for all keys at once over more segments than stay open, also while the writer closes', async () => {
    const { writer, keys, segments } = await filledWriter();
    expect(segments).toBeGreaterThan(10);
    const replay = () => keys.map((key) => writer.submit(open(key, key)));
    const sequences = async (responses: ReturnType<typeof replay>) =>
      (await Promise.all(responses)).map(({ sequence }) => sequence);
    const expected = keys.map((_, index) => index + 1);
    expect(await sequences(replay())).toEqual(expected);
    const last = sequences(replay());
    await writer.close();
    expect(await last).toEqual(expected);
  });
});
