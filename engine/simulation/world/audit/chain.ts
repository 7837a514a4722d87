/** Follows the journal's chain by hand, from the bytes on the disk: every group is there, in its place, as it was told of. */
import type { MappedGroup } from '#simulation/world/journal-map.ts';
import { demand } from './audit-failed.ts';

const CHAIN_START = '0'.repeat(64);

/** `digestAt` knows the digests that were told of, by the last record of their group. */
export function auditChain(
  groups: readonly MappedGroup[],
  lastSequence: number,
  digestAt: (sequence: number) => string | undefined,
): void {
  let previous = CHAIN_START;
  let sequence = 0;
  for (const group of groups) {
    const name = `the group of records ${group.firstSequence} to ${group.lastSequence}`;
    demand(group.firstSequence === sequence + 1, `${name} follows record ${sequence}`);
    demand(group.previousDigest === previous, `${name} does not follow the group before it`);
    demand(group.digest === digestAt(group.lastSequence), `${name} is not the one that was told of`);
    previous = group.digest;
    sequence = group.lastSequence;
  }
  demand(sequence === lastSequence, `the journal on the disk ends with record ${sequence}, not ${lastSequence}`);
}
