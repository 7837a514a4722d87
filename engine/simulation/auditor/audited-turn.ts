/** What the auditor takes: turns, and a handler for each of their events. */
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';

/** A command with its place and time, and all events that it resulted in. */
export interface AuditedTurn {
  readonly sequence: number;
  readonly epochMs: number;
  /** As sent to the venue. */
  readonly command: Command;
  readonly events: readonly VenueEvent[];
}

/** One for every type of event. */
export type Handlers = { readonly [Type in VenueEvent['type']]: (event: Extract<VenueEvent, { type: Type }>) => void };
