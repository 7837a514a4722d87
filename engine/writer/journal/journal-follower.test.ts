/** Follows a journal while its older segments are archived. */
import { expect, test } from 'vitest';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { credit, open, openToyWriter } from '#simulation/toy-writer.ts';
import type { ReadableFiles } from './files.ts';
import { JournalFollower } from './journal-follower.ts';
import { SegmentArchive } from './segment-archive.ts';

const RECORDS = 40;
const LATER = 10_000_000_000_000;

/** None of its segments is archived yet. */
async function journal(): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = new PowerCutFiles();
  const writer = await openToyWriter(files, { limits: { recordsPerSnapshot: 10 } });
  for (let sequence = 1; sequence <= RECORDS; sequence += 1)
    await writer.submit(sequence === 1 ? open('alice') : credit(1, sequence));
  await writer.close();
  return files.contents();
}

/** Archives all segments allowed, just before the list or open call with that ordinal. */
function archivedBefore(files: PowerCutFiles, ordinal: number) {
  let operations = 0;
  const operate = async () => {
    operations += 1;
    if (operations === ordinal) await new SegmentArchive(files, { retentionMs: 0, archiveAfterMs: 0 }).sweep(LATER);
  };
  const readable: ReadableFiles = {
    list: () => operate().then(() => files.list()),
    open: (name) => operate().then(() => files.open(name)),
  };
  return { readable, operations: () => operations };
}

async function recordsFrom(files: ReadableFiles, after: number): Promise<readonly number[]> {
  const found: number[] = [];
  const follower = await JournalFollower.after(files, after, 'this test reads them');
  const take = ({ lastSequence }: { readonly lastSequence: number }) => {
    if (lastSequence > after) found.push(lastSequence);
    return lastSequence === RECORDS;
  };
  expect(await follower.readUntil(take, () => Promise.resolve())).toBe(true);
  return found;
}

test.each([0, 5, 20])('reads every record after %i whenever segments are archived meanwhile', async (after) => {
  const contents = await journal();
  const wanted = Array.from({ length: RECORDS - after }, (_, index) => after + index + 1);
  let archived = 0;
  for (let ordinal = 1, isOver = false; !isOver; ordinal += 1) {
    const files = new PowerCutFiles(undefined, contents);
    const { readable, operations } = archivedBefore(files, ordinal);
    expect(await recordsFrom(readable, after), `archived before operation ${ordinal}`).toEqual(wanted);
    isOver = operations() < ordinal;
    if (!isOver) archived = [...files.contents().keys()].filter((name) => name.startsWith('archive/')).length;
  }
  expect(archived).toBeGreaterThan(2);
});

test('rejects with the listed name if a segment is neither live nor archived', async () => {
  const files = new PowerCutFiles(undefined, await journal());
  const names = await files.list();
  await files.remove('segment-00000002.journal');
  const readable: ReadableFiles = { list: async () => names, open: (name) => files.open(name) };
  await expect(recordsFrom(readable, 0)).rejects.toThrow(/ENOENT.*segment-00000002\.journal/);
});
