/** Events out of the bytes that `event-writer.ts` wrote. */
import type { VenueEvent } from '#venue/event.ts';
import { REFUSAL_CODES, type RefusalCode } from '#venue/refusal.ts';
import type { ByteReader } from './cursor.ts';
import { EVENT_FORMAT, EVENTS } from './event-layouts.ts';

/** The event that the reader stands at. Throws `MalformedRecord` for bytes that are no event. */
export function readEvent(bytes: ByteReader): VenueEvent {
  return EVENT_FORMAT.read(bytes);
}

/** Why the command whose events begin at `offset` was refused; `undefined` if it was carried out. */
export function refusalAt(bytes: Uint8Array, offset: number): RefusalCode | undefined {
  return bytes[offset] === EVENTS.CommandRefused.tag ? REFUSAL_CODES[bytes[offset + 1]!] : undefined;
}
