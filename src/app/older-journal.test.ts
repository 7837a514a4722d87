/**
 * Every command refuses a data directory of a program with version 2 of the rules: it names the journal's version and the remedy,
 * and leaves every file unchanged, so that the older program can continue.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startFaultLine } from '#cli/foreseen-faults.ts';
import { runJournalCommand } from '#cli/journal-command.ts';
import { startTestVenue, temporaryDirectory, testConfig } from './testing/test-venue.ts';

/** Its markets, two accounts and two resting orders, as version 2 wrote them; and the snapshot of its stop. */
const WRITTEN = new URL('./testing/rules-2/', import.meta.url);
const SEGMENT = 'segment-00000001.journal';
const SNAPSHOT = 'snapshot-0000000000000018.state';

/** As a program leaves it that was stopped, or killed while it created its second segment. */
function leaveIn(path: string, end: 'stop' | 'kill'): void {
  const journal = join(path, 'journal');
  mkdirSync(journal);
  writeFileSync(join(path, 'lock'), '');
  writeFileSync(join(journal, SEGMENT), brotliDecompressSync(readFileSync(new URL(`${SEGMENT}.br`, WRITTEN))));
  if (end === 'stop') writeFileSync(join(journal, SNAPSHOT), readFileSync(new URL(SNAPSHOT, WRITTEN)));
  else writeFileSync(join(journal, 'segment-00000002.journal.unfinished'), new Uint8Array(4_096));
  // A schema that this program would discard.
  const projection = new DatabaseSync(join(path, 'projection.sqlite'));
  projection.exec('PRAGMA journal_mode = WAL; CREATE TABLE checkpoint (sequence INTEGER); INSERT INTO checkpoint VALUES (18)');
  projection.close();
}

/** Every file and directory with its modification time and content. */
function everythingIn(path: string): readonly unknown[] {
  const names = ['.', ...(readdirSync(path, { recursive: true }) as string[]).sort()];
  return names.map((name) => {
    const place = join(path, name);
    const { mtimeMs, size } = statSync(place);
    const isFolder = statSync(place).isDirectory();
    return [name, mtimeMs, isFolder ? '' : [size, createHash('sha256').update(readFileSync(place)).digest('hex')]];
  });
}

const OF_THE_SNAPSHOT =
  /^the snapshot after record 18 was made by version 2 of the rules, and this is version [0-9]+: this program cannot read a journal of version 2; continue with a program of that version, or start over with another --data-dir or an empty one$/;
const OF_THE_SEGMENT =
  /^segment-00000001\.journal was written by an older version of this program, in a layout that this one can neither read nor upgrade: continue with the program that wrote it, or start over with another --data-dir or an empty one$/;

describe.each([
  ['was stopped', 'stop'],
  ['was killed', 'kill'],
] as const)('the journal of a venue that %s', (_, end) => {
  const { path, remove } = temporaryDirectory();
  let before: readonly unknown[];
  beforeAll(() => {
    leaveIn(path, end);
    before = everythingIn(path);
  });
  afterAll(remove);

  test.each([
    ['start', end === 'stop' ? OF_THE_SNAPSHOT : OF_THE_SEGMENT],
    ['verify', OF_THE_SEGMENT],
    ['inspect --sequence 15', OF_THE_SEGMENT],
    ['inspect --account acct-2', OF_THE_SEGMENT],
    ['inspect --account acct-2 --why cash', OF_THE_SEGMENT],
    ['inspect --why fees', OF_THE_SEGMENT],
    ['replay', OF_THE_SEGMENT],
    ['replay --from snapshot', OF_THE_SEGMENT],
    ['upgrade', OF_THE_SEGMENT],
  ])('is refused by "%s"', async (line, message) => {
    const run = () =>
      line === 'start' ? startTestVenue(testConfig(path)) : runJournalCommand([...line.split(' '), '--data-dir', path]);
    const fault = await run().catch((error: unknown) => error);
    expect(startFaultLine(fault)).toMatch(message);
    expect(everythingIn(path)).toEqual(before);
  });
});
