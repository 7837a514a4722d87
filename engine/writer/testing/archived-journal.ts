/** A journal of a toy ledger, most of it archived; and the same files with some removed. */
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { credit, open, openToyWriter } from '#simulation/toy-writer.ts';

type Contents = Map<string, Uint8Array>;

/**
 * 100 records (or `count`), a tenth of a second apart, each in a group of its own: an account, then credits to it, record n of n
 * atoms.
 */
export async function archivedJournal(count = 100, archiveAfterMs = 2_000, label = 'alice'): Promise<Contents> {
  const files = new PowerCutFiles();
  const limits = { recordsPerSnapshot: 10, msPerSnapshot: 0, retentionMs: archiveAfterMs };
  const writer = await openToyWriter(files, { limits, archiveAfterMs });
  for (let sequence = 1; sequence <= count; sequence += 1) {
    writer.pass(100);
    await writer.submit(sequence === 1 ? open(label) : credit(1, sequence));
  }
  await writer.close();
  return files.contents();
}

export function archivedIn(contents: Contents): readonly string[] {
  return [...contents.keys()].filter((name) => name.startsWith('archive/')).sort();
}

export function without(contents: Contents, ...names: readonly string[]): PowerCutFiles {
  return new PowerCutFiles(undefined, new Map([...contents].filter(([name]) => !names.includes(name))));
}
