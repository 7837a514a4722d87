/** Events of refused commands and refused entries of a batch. They change no state. */
import type { OrderOrdinal } from '#units/ids.ts';
import type { EventLayouts } from '#venue/record/layout.ts';
import { REFUSAL_CODES, type RefusalCode } from '#venue/refusal.ts';

/** The command was refused. `order` and `bound` are 0 if the code does not use them (see `refusal.ts`). */
export interface CommandRefused {
  readonly type: 'CommandRefused';
  readonly code: RefusalCode;
  readonly order: OrderOrdinal;
  readonly bound: number;
}

/** One entry of a batch was refused, independently of the others. `index` counts from 0. */
export interface EntryRefused {
  readonly type: 'EntryRefused';
  readonly index: number;
  readonly code: RefusalCode;
  readonly order: OrderOrdinal;
  readonly bound: number;
}

export type RefusalEvent = CommandRefused | EntryRefused;

export const REFUSAL_EVENTS: EventLayouts<RefusalEvent> = {
  CommandRefused: {
    tag: 0,
    fields: (io, it) => ({
      type: 'CommandRefused',
      code: io.oneOf(REFUSAL_CODES, it.code),
      order: io.int(it.order),
      bound: io.int(it.bound),
    }),
  },
  EntryRefused: {
    tag: 16,
    fields: (io, it) => ({
      type: 'EntryRefused',
      index: io.u8(it.index),
      code: io.oneOf(REFUSAL_CODES, it.code),
      order: io.int(it.order),
      bound: io.int(it.bound),
    }),
  },
};
