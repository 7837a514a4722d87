/** An engine with a fault: a copy of the core's source in which one text is replaced. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VenueClass } from '#simulation/oracle-comparison/comparison.ts';

const ROOT = join(import.meta.dirname, '../../../..');

/** A fault of one line. The text must occur exactly once in its file: a test fails when the source changes. */
export interface PlantedFault {
  readonly fault: string;
  /** In `engine/venue`. */
  readonly file: string;
  readonly text: string;
  readonly replacement: string;
  /** Only the crowded world reaches it. */
  readonly needsCrowd?: true;
}

export interface FaultyEngine {
  readonly venueClass: VenueClass;
  readonly remove: () => void;
}

/** The source in which a fault is planted. */
export function sourceOf({ file }: PlantedFault): string {
  return readFileSync(join(ROOT, 'engine/venue', file), 'utf8');
}

export function faultyEngine(fault: PlantedFault): FaultyEngine {
  const directory = mkdtempSync(join(tmpdir(), 'openperp-fault-'));
  for (const part of ['engine/venue', 'src/units']) {
    cpSync(join(ROOT, part), join(directory, part), { recursive: true, filter: (path) => !/\.test\.ts$|\/testing$/.test(path) });
  }
  const imports = { '#units/*': './src/units/*', '#venue/*': './engine/venue/*' };
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ type: 'module', imports }));
  writeFileSync(
    join(directory, 'engine/venue', fault.file),
    sourceOf(fault).replace(fault.text, () => fault.replacement),
  );
  // Node reads the copy itself: that is faster than the transformation of the tests' modules.
  const { Venue } = createRequire(import.meta.url)(join(directory, 'engine/venue/venue.ts'));
  return { venueClass: Venue, remove: () => rmSync(directory, { recursive: true }) };
}
