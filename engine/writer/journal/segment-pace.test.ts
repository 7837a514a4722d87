import { describe, expect, it } from 'vitest';
import { type Faults, PowerCutFiles } from '#simulation/power-cut-files.ts';
import { open, openToyWriter } from '#simulation/toy-writer.ts';
import { eventually } from '#time/testing/eventually.ts';
import { SECTOR_BYTES } from './group.ts';
import { PIECE_BYTES } from './segment.ts';

const SEGMENT_BYTES = 16 * PIECE_BYTES;
const NEXT = 'segment-00000002.journal';
/** The length of each group, plus a little. */
const GROUP_BYTES = PIECE_BYTES / 4;

describe('next segment', () => {
  it('is made in step with the current one, twice as fast, and is ready when that is half full', async () => {
    const { files, writer, fill, zeros } = await openPaced();
    for (let groups = 1; groups <= 32; groups += 1) {
      await fill();
      const allowed = 2 * (await used());
      expect(zeros()).toBeLessThanOrEqual(allowed + SECTOR_BYTES);
      await eventually(() => expect(zeros()).toBeGreaterThan(Math.min(allowed, SEGMENT_BYTES) - PIECE_BYTES));
    }
    await eventually(async () => expect(await files.list()).toContain(NEXT));
    await writer.close();

    async function used(): Promise<number> {
      const bytes = files.contents().get('segment-00000001.journal')!;
      return bytes.subarray(0, -SECTOR_BYTES).findLastIndex((byte) => byte !== 0) + 1;
    }
  });

  it('is made at once when it is needed before it is ready', async () => {
    const { writer, fill } = await openPaced();
    await fill();
    await writer.submit(open('a'.repeat(60_000)));
    // The group is larger than the rest of the first segment.
    await Promise.all(Array.from({ length: 20 }, (_, number) => writer.submit(open(`${number}`.repeat(30_000)))));
    expect(writer.halts).toEqual([]);
    await writer.close();
  });

  it('is given up without leftovers when the writer closes halfway', async () => {
    const { files, writer, fill } = await openPaced();
    for (let groups = 0; groups < 8; groups += 1) await fill();
    expect(await files.list()).toContain(`${NEXT}.unfinished`);
    await writer.close();
    expect((await files.list()).filter((name) => name.includes('segment'))).toEqual(['segment-00000001.journal']);
    const again = await openToyWriter(files, { limits: { segmentBytes: SEGMENT_BYTES } });
    expect(again.groups).toEqual(writer.groups);
    await again.close();
  });
});

async function openPaced() {
  let zeros = 0;
  const faults: Faults = ({ kind, name }) => {
    if (kind === 'write' && name.startsWith(NEXT)) zeros += PIECE_BYTES;
    return undefined;
  };
  const files = new PowerCutFiles(faults);
  const writer = await openToyWriter(files, { limits: { segmentBytes: SEGMENT_BYTES } });
  const fill = () => writer.submit(open('a'.repeat(GROUP_BYTES)));
  return { files, writer, fill, zeros: () => zeros };
}
