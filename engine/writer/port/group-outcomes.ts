/** The outcomes of a group's commands without decoding the records: the type of each and, if refused, the code. */
import type { Command } from '#venue/command.ts';
import { commandTypeAt } from '#venue/record/command-record.ts';
import { ByteReader } from '#venue/record/cursor.ts';
import { refusalAt } from '#venue/record/event-reader.ts';
import type { RefusalCode } from '#venue/refusal.ts';
import { GROUP_HEADER_BYTES } from '#writer/journal/group.ts';
import { RecordOffsets } from '#writer/journal/record.ts';
import type { StoredGroup } from '#writer/journal/stored-group.ts';

/** `refusal` is `undefined` if the command was carried out. */
export type OutcomeListener = (type: Command['type'], refusal: RefusalCode | undefined) => void;

export function visitOutcomes({ bytes, header }: StoredGroup, take: OutcomeListener): void {
  const reader = new ByteReader(bytes);
  const place = new RecordOffsets();
  reader.moveTo(GROUP_HEADER_BYTES);
  for (let index = 0; index < header.recordCount; index += 1) {
    place.read(reader);
    take(commandTypeAt(bytes, reader.offset), place.eventCount === 0 ? undefined : refusalAt(bytes, place.eventsAt));
    reader.moveTo(place.end);
  }
}
