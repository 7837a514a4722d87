/** Verifies the journal's chain from the bytes on the disk: every group is present, in its place, as it was published. */
import type { MappedGroup } from '#simulation/world/journal-map.ts';
import { demand } from './demand.ts';

const CHAIN_START = '0'.repeat(64);

/** `digestAt` returns the published digests by the last record of their group. */
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
    demand(group.digest === digestAt(group.lastSequence), `${name} is not the published one`);
    previous = group.digest;
    sequence = group.lastSequence;
  }
  demand(sequence === lastSequence, `the journal on the disk ends with record ${sequence}, not ${lastSequence}`);
}
