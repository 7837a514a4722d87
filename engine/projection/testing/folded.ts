/** Creates a projection's file, folded up to a record and closed. */
import { openStore } from '#projection/store.ts';
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';

export function foldTo(path: string, sequence: number): void {
  const store = openStore(path);
  store.fold(() => ({
    sequence: sequence as Sequence,
    epochMs: 1 as EpochMs,
    chainDigest: 'chain',
    registryDigest: 'registry',
  }));
  store.close();
}
