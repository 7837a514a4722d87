/** One turn of a state machine, and its events as they are read from their bytes. */
import type { VenueEvent } from '#venue/event.ts';
import { ByteReader, ByteWriter } from '#venue/record/cursor.ts';
import { readEvent } from '#venue/record/event-reader.ts';
import { EventWriter } from '#venue/record/event-writer.ts';
import type { SequencedCommand, StateMachine } from '#writer/port/state-machine.ts';

const bytes = new ByteWriter();
const writer = new EventWriter(bytes);

/** Takes the turn and returns its events. Throws if they leave bytes behind. */
export function eventsOfTurn(state: Pick<StateMachine, 'turn'>, sequenced: SequencedCommand): VenueEvent[] {
  bytes.reset();
  writer.restart();
  state.turn(sequenced, writer);
  const reader = new ByteReader(bytes.written());
  const events: VenueEvent[] = [];
  for (let count = writer.count; count > 0; count -= 1) events.push(readEvent(reader));
  if (!reader.isAtEnd) throw new Error(`the events of record ${sequenced.sequence} leave bytes behind`);
  return events;
}
