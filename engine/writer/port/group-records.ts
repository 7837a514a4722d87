/** Finds a group's records of some commands without decoding the others: few of many are wanted. */
import type { Sequence } from '#units/ids.ts';
import type { Command } from '#venue/command.ts';
import { commandTypeAt } from '#venue/record/command-record.ts';
import { ByteReader } from '#venue/record/cursor.ts';
import { GROUP_HEADER_BYTES } from '#writer/journal/group.ts';
import { committedRecord, RecordOffsets, readRecord } from '#writer/journal/record.ts';
import type { StoredGroup } from '#writer/journal/stored-group.ts';
import type { CommittedRecord } from './submit.ts';

/** The records whose command has one of the types, in order. */
export function recordsOfCommands(
  { bytes, header }: StoredGroup,
  types: ReadonlySet<Command['type']>,
): readonly CommittedRecord[] {
  const found: CommittedRecord[] = [];
  const reader = new ByteReader(bytes);
  const place = new RecordOffsets();
  reader.moveTo(GROUP_HEADER_BYTES);
  for (let index = 0; index < header.recordCount; index += 1) {
    const start = reader.offset;
    place.read(reader);
    if (types.has(commandTypeAt(bytes, reader.offset))) {
      reader.moveTo(start);
      found.push(committedRecord(readRecord(reader)));
    }
    reader.moveTo(place.end);
  }
  return found;
}

/** The sequence of the group's last record. */
export function lastSequenceOf({ header }: StoredGroup): Sequence {
  return (header.firstSequence + header.recordCount - 1) as Sequence;
}
