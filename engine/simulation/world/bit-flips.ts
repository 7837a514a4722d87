/**
 * Bit flips on the disk. In a durable group: the start must refuse, and name the segment, the offset and the record. Behind the
 * last group: it must refuse, or report what it cut. In a snapshot: it must skip the snapshot and report it.
 */
import type { JournalDamaged } from '#writer/journal/journal-scan.ts';
import { demand } from './audit/demand.ts';
import type { MappedGroup } from './journal-map.ts';
import { mapJournal, segmentOf, segmentsOf } from './journal-map.ts';
import type { RandomSource } from './random-source.ts';

export interface BitFlip {
  readonly kind: 'durable' | 'tail' | 'snapshot';
  readonly name: string;
  readonly position: number;
  readonly bit: number;
  /** The group that contains the bit, if any. */
  readonly group: MappedGroup | undefined;
}

type Contents = ReadonlyMap<string, Uint8Array>;

/** A bit of a published group, in the part of the journal that every start reads. */
export function flipInDurable(
  contents: Contents,
  lastSequence: number,
  firstSegment: number,
  random: RandomSource,
): BitFlip | undefined {
  const groups = mapJournal(contents).filter(
    (group) => group.lastSequence <= lastSequence && segmentOf(group.segment) >= firstSegment,
  );
  if (groups.length === 0) return undefined;
  // Prefers the last group: a start could mistake it for one that was never acknowledged.
  const group = random.chance(0.4) ? groups.at(-1)! : random.pick(groups);
  const position = random.between(group.offset, group.offset + group.byteLength - 1);
  return { kind: 'durable', name: group.segment, position, bit: random.between(0, 7), group };
}

/** A bit behind the last published group, in the segment of that group. */
export function flipInTail(contents: Contents, lastSequence: number, random: RandomSource): BitFlip | undefined {
  const groups = mapJournal(contents);
  const last = groups.findLast((group) => group.lastSequence <= lastSequence);
  const name = last?.segment ?? segmentsOf(contents)[0];
  const bytes = name === undefined ? undefined : contents.get(name)!;
  const begin = last === undefined ? 0 : last.offset + last.byteLength;
  if (bytes === undefined || name === undefined || begin >= bytes.length) return undefined;
  const position = random.between(begin, Math.min(bytes.length - 1, begin + 2_048));
  return { kind: 'tail', name, position, bit: random.between(0, 7), group: undefined };
}

/** A bit of the newest snapshot. */
export function flipInSnapshot(contents: Contents, random: RandomSource): BitFlip | undefined {
  const name = [...contents.keys()]
    .filter((file) => file.endsWith('.state'))
    .sort()
    .at(-1);
  if (name === undefined) return undefined;
  const position = random.between(0, contents.get(name)!.length - 1);
  return { kind: 'snapshot', name, position, bit: random.between(0, 7), group: undefined };
}

/** Checks that a start that refuses damage names the place of the flip. */
export function demandNamed(flip: BitFlip, refusal: JournalDamaged): void {
  const { segment, offset, sequence } = refusal.place;
  const where = `bit ${flip.bit} of byte ${flip.position} of ${flip.name} is flipped, and the start named ${refusal.message}`;
  demand(flip.name.endsWith(segment), where);
  const { group } = flip;
  if (group === undefined) return;
  const begin = group.recordOffsets.findLastIndex((recordOffset) => recordOffset <= flip.position);
  const isInRecord = begin >= 0 && flip.position < group.recordsEnd;
  if (isInRecord) {
    demand(offset === group.recordOffsets[begin] && sequence === group.firstSequence + begin, where);
    return;
  }
  demand(offset >= group.offset && offset < group.offset + group.byteLength, where);
  demand(sequence !== undefined && sequence >= group.firstSequence && sequence <= group.lastSequence, where);
}
