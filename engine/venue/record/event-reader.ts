/** Reads events from the bytes that `event-writer.ts` wrote. */
import type { VenueEvent } from '#venue/event.ts';
import { REFUSAL_CODES, type RefusalCode } from '#venue/refusal.ts';
import type { ByteReader } from './cursor.ts';
import { EVENT_FORMAT, EVENTS } from './event-layouts.ts';

/** Reads the next event. Throws `MalformedRecord` if the bytes are not an event. */
export function readEvent(bytes: ByteReader): VenueEvent {
  return EVENT_FORMAT.read(bytes);
}

/** The refusal code of the command whose events start at `offset`; `undefined` if it was accepted. */
export function refusalAt(bytes: Uint8Array, offset: number): RefusalCode | undefined {
  return bytes[offset] === EVENTS.CommandRefused.tag ? REFUSAL_CODES[bytes[offset + 1]!] : undefined;
}
