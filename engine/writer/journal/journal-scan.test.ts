/** Reads the end of the journal segment by segment, one ahead, into reused buffers. */
import { expect, it } from 'vitest';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { open, openToyWriter, SMALL_LIMITS } from '#simulation/toy-writer.ts';
import { CHAIN_START_POSITION } from './chain-walk.ts';
import { scanJournal } from './journal-scan.ts';
import { createSegment, listSegments, segmentCapacity } from './segment.ts';
import { noteCut, type TailCut } from './tail-cut.ts';

/** A journal of some segments, followed by `blankSegments` blank ones. */
async function journal(records: number, blankSegments: number) {
  const files = new PowerCutFiles();
  const writer = await openToyWriter(files);
  for (let number = 1; number <= records; number += 1) await writer.submit(open(`${number}`));
  const remainingFiles = new PowerCutFiles(undefined, files.contents());
  const last = (await listSegments(remainingFiles)).at(-1)!.segment;
  for (let blank = 1; blank <= blankSegments; blank += 1) {
    await (await createSegment(remainingFiles, last + blank, segmentCapacity(SMALL_LIMITS.segmentBytes))).close();
  }
  return { remainingFiles, writer };
}

it.each([0, 1, 2, 3, 4])('keeps the last group while %i blank segments behind it are read', async (blankSegments) => {
  // A group that fits no segment gets one of its own: a blank one may be left before it and another after it.
  for (const records of [1, 7, 8, 20]) {
    const { remainingFiles, writer } = await journal(records, blankSegments);
    const before = remainingFiles.contents();
    const again = await openToyWriter(remainingFiles);
    expect(again.groups).toEqual(writer.groups);
    expect(again.recovered).toMatchObject({ sequence: records, tornTail: undefined });
    // Settling the last group has rewritten the same bytes.
    for (const [name, bytes] of before) expect(remainingFiles.contents().get(name), name).toEqual(bytes);
  }
});

it('reports the damage, not the unreadable segments after it', async () => {
  const { remainingFiles } = await journal(20, 0);
  const segments = await listSegments(remainingFiles);
  const contents = remainingFiles.contents();
  contents.get(segments[0]!.name)![100]! ^= 1;
  const files = new PowerCutFiles(undefined, contents);
  const unreadable = {
    list: () => files.list(),
    open: (name: string) => (name === segments[0]!.name ? files.open(name) : Promise.reject(new Error('cannot be read'))),
  };
  const run = { firstSegment: 1, segments, from: CHAIN_START_POSITION };
  await expect(scanJournal(unreadable, run, () => {})).rejects.toMatchObject({ name: 'JournalDamaged' });
});

it('writes no zeros when a damaged note of a cut names groups or no segment, and says what to do', async () => {
  const { remainingFiles } = await journal(20, 1);
  const last = (await listSegments(remainingFiles)).at(-1)!.segment;
  const cuts: readonly TailCut[] = [
    { segment: 1, offset: 0, end: 512 },
    { segment: last, offset: 512, end: 0 },
    { segment: last, offset: 0, end: SMALL_LIMITS.segmentBytes },
    { segment: last + 1, offset: 0, end: 512 },
  ];
  for (const cut of cuts) {
    const files = new PowerCutFiles(undefined, remainingFiles.contents());
    await noteCut(files, cut);
    const before = files.contents();
    await expect(openToyWriter(files), JSON.stringify(cut)).rejects.toThrow(
      /^journal\.cut, .+ is damaged \(it names .+\): restart the machine, move journal\.cut away, and start again$/,
    );
    expect(files.contents()).toEqual(before);
  }
  const short = new PowerCutFiles(undefined, remainingFiles.contents().set('journal.cut', Buffer.from('x')));
  await expect(openToyWriter(short)).rejects.toThrow(/^journal\.cut, .+ is damaged \(it is too short\): restart the machine/);
});
