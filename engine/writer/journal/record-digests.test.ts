/** The digests of records equal those of the bytes in the journal, whichever segment has them. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { credit, open, openToyWriter } from '#simulation/toy-writer.ts';
import { systemTime } from '#time/system-time.ts';
import type { Sequence } from '#units/ids.ts';
import { RecordDigests } from './record-digests.ts';
import { SegmentArchive } from './segment-archive.ts';

const RECORDS = 30;
const LATER = 10_000_000_000_000;

/** Finds each record by its length and sequence in the raw bytes, without the code of the journal. */
function digestsIn(contents: ReadonlyMap<string, Uint8Array>): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const [name, content] of contents) {
    if (!name.includes('segment')) continue;
    const bytes = Buffer.from(content);
    for (let at = 0; at + 24 < bytes.length; at += 1) {
      const [length, sequence, epochMs] = [bytes.readUInt32LE(at + 4), bytes.readDoubleLE(at + 8), bytes.readDoubleLE(at + 16)];
      const isRecord = Number.isInteger(sequence) && sequence >= 1 && sequence <= RECORDS && epochMs > 1e12 && length < 1_000;
      if (!isRecord) continue;
      found.set(
        sequence,
        createHash('sha256')
          .update(bytes.subarray(at, at + length))
          .digest('hex'),
      );
    }
  }
  return found;
}

async function journal(): Promise<PowerCutFiles> {
  const files = new PowerCutFiles();
  const writer = await openToyWriter(files, { limits: { recordsPerSnapshot: 5, segmentBytes: 4_096 } });
  for (let sequence = 1; sequence <= RECORDS; sequence += 1) {
    await writer.submit(sequence === 1 ? open('alice') : credit(1, sequence));
    expect(await writer.recordDigest(sequence as Sequence)).toMatch(/^[0-9a-f]{64}$/);
  }
  await writer.close();
  return files;
}

test('reads each record of several segments, also at once, and of archived ones', async () => {
  const files = await journal();
  const expected = digestsIn(files.contents());
  expect(expected.size).toBe(RECORDS);
  const sequences = [...expected.keys()];
  const read = async (digests: RecordDigests) =>
    new Map(await Promise.all(sequences.map(async (sequence) => [sequence, await digests.of(sequence)] as const)));
  expect(await read(new RecordDigests(files, systemTime.timers))).toEqual(expected);
  await new SegmentArchive(files, { retentionMs: 0, archiveAfterMs: 0 }).sweep(LATER);
  const archived = (await files.list()).filter((name) => name.startsWith('archive/'));
  expect(archived.length).toBeGreaterThan(0);
  const kept = new RecordDigests(files, systemTime.timers);
  expect(await read(kept)).toEqual(expected);
  for (const name of archived) await files.remove(name);
  // A record does not change, so that a known digest needs no file.
  expect(await kept.of(1)).toBe(expected.get(1));
  expect(await new RecordDigests(files, systemTime.timers).of(1)).toBeUndefined();
  expect(await new RecordDigests(files, systemTime.timers).of(RECORDS)).toBe(expected.get(RECORDS));
});

test('rejects a record that the journal does not have', async () => {
  const files = await journal();
  const digests = new RecordDigests(files, systemTime.timers);
  await expect(digests.of(RECORDS + 1)).rejects.toThrow(`the journal has no record ${RECORDS + 1}`);
  expect(await digests.of(RECORDS)).toMatch(/^[0-9a-f]{64}$/);
});
