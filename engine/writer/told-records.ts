/** Looks into a told group for records of some commands, without taking the others apart: few of many are asked for. */
import type { Sequence } from '#units/ids.ts';
import type { Command } from '#venue/command.ts';
import { commandTypeAt } from '#venue/record/command-record.ts';
import { ByteReader } from '#venue/record/cursor.ts';
import { GROUP_HEADER_BYTES } from './group.ts';
import { committedRecord, readRecord, visitCommands } from './record.ts';
import type { CommittedGroup, CommittedRecord } from './submit.ts';

/** The records whose command is of one of the types, in order. */
export function recordsOfCommands(group: CommittedGroup, types: ReadonlySet<Command['type']>): readonly CommittedRecord[] {
  const { stored } = group;
  if (stored === undefined) return group.records.filter(({ command }) => types.has(command.type));
  const { bytes, header } = stored;
  const found: CommittedRecord[] = [];
  visitCommands(bytes, GROUP_HEADER_BYTES, header.recordCount, (commandAt, recordAt) => {
    if (types.has(commandTypeAt(bytes, commandAt)))
      found.push(committedRecord(readRecord(new ByteReader(bytes.subarray(recordAt)))));
  });
  return found;
}

/** The sequence of the group's last record. */
export function lastSequenceOf(group: CommittedGroup): Sequence {
  const { stored } = group;
  if (stored === undefined) return group.records.at(-1)!.sequence;
  return (stored.header.firstSequence + stored.header.recordCount - 1) as Sequence;
}
