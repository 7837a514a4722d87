/**
 * A failure between the append of a group and its publication halts the writer. Nothing is left behind that contradicts the
 * journal.
 */
import { expect, test } from 'vitest';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { open, openToyWriter } from '#simulation/toy-writer.ts';
import { VenueHalted } from './port/submit.ts';

test('halts after an internal error between append and publication, snapshots no state ahead of the journal, and recovers', async () => {
  const files = new PowerCutFiles();
  let isPlanted = false;
  const onCommitted = () => {
    if (isPlanted) throw new Error('planted beside the commit');
  };
  const writer = await openToyWriter(files, { onCommitted });
  await writer.submit(open('alice'));
  isPlanted = true;
  await expect(writer.submit(open('bob'))).rejects.toBeInstanceOf(VenueHalted);
  expect(writer.halts).toMatchObject([{ detail: 'planted beside the commit' }]);
  await expect(writer.submit(open('carol'))).rejects.toBeInstanceOf(VenueHalted);
  await writer.close();
  const again = await openToyWriter(files);
  expect(again.status().sequence).toBe(2);
  expect(again.peek((state) => state.snapshot())).toEqual(writer.peek((state) => state.snapshot()));
});
