/** One turn of a state machine, and the events that came of it, as anybody reads them: out of their bytes. */
import type { VenueEvent } from '#venue/event.ts';
import { ByteReader, ByteWriter } from '#venue/record/cursor.ts';
import { readEvent } from '#venue/record/event-reader.ts';
import { EventWriter } from '#venue/record/event-writer.ts';
import type { Sequenced, StateMachine } from '#writer/port/state-machine.ts';

const bytes = new ByteWriter();
const writer = new EventWriter(bytes);

/** Takes the turn and answers its events. Throws where they are not all there, or leave bytes behind. */
export function eventsOfTurn(state: Pick<StateMachine, 'turn'>, sequenced: Sequenced): VenueEvent[] {
  bytes.reset();
  writer.restart();
  state.turn(sequenced, writer);
  const reader = new ByteReader(bytes.copy());
  const events = Array.from({ length: writer.count }, () => readEvent(reader));
  if (!reader.isAtEnd) throw new Error(`the events of record ${sequenced.sequence} leave bytes behind`);
  return events;
}
