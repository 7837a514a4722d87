/** SQLite ends a transaction by itself where it finds no room, in a read too: what was folded is gone then, and nothing is folded upon it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Sequence } from '#units/ids.ts';
import { openStore, type ProjectionStore } from './store.ts';

test.each([
  ['folded', (store: ProjectionStore) => foldTo(store, 3)],
  ['kept', (store: ProjectionStore) => store.keep()],
  ['closed', (store: ProjectionStore) => store.close()],
])('what SQLite has rolled back is not %s upon', (done, goOn) => {
  const folder = mkdtempSync(join(tmpdir(), 'projection-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'projection.sqlite');
  const store = openStore(path);
  foldTo(store, 1);
  store.keep();
  foldTo(store, 2);
  expect(store.isWhole).toBe(true);
  store.statement('ROLLBACK').run();
  expect(store.isWhole).toBe(false);
  expect(() => goOn(store)).toThrow('rolled back');
  expect(store.checkpoint.sequence).toBe(1);
  if (done !== 'closed') store.abandon();
  const again = openStore(path);
  expect(again.checkpoint.sequence).toBe(1);
  again.close();
});

function foldTo(store: ProjectionStore, sequence: number): void {
  store.fold(() => ({ ...store.checkpoint, sequence: sequence as Sequence }));
}
