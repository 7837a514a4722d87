import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { systemTime } from '#time/system-time.ts';
import { openLedger } from './ledger.ts';
import { Opened } from './opened.ts';
import { temporaryDirectory } from './testing/test-venue.ts';

const { path: dataDirectory, remove } = temporaryDirectory();
afterEach(remove);

test('a snapshot that cannot be saved is told, and the ledger ends in order all the same', async () => {
  const lines: string[] = [];
  const opened = new Opened();
  const options = {
    dataDirectory,
    ...systemTime,
    onHalt: () => expect.fail('halted'),
    log: (line: string) => lines.push(line),
  };
  const { writer } = await openLedger(options, opened);
  await writer.submit({ command: { type: 'OpenAccount', label: 'a', partyId: '', digestSeed: 1 } });
  // What stands in the way of the snapshot's file.
  const obstacle = join(dataDirectory, 'journal', 'snapshot-0000000000000001.state.unfinished');
  mkdirSync(obstacle);
  await opened.close();
  expect(lines).toEqual([expect.stringMatching(/^journal: a snapshot cannot be saved, the next start runs more .*EISDIR/)]);
  expect(writer.status().snapshotFailure).toContain('EISDIR');

  rmSync(obstacle, { recursive: true });
  const again = new Opened();
  const { writer: recovered } = await openLedger(options, again);
  expect(recovered.recovered.rerunCount).toBe(1);
  await again.close();
  expect(lines).toHaveLength(1);
});
