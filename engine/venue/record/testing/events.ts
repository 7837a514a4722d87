/** Arbitrary events of all types, with any numbers and texts that fit into their layouts. */
import fc from 'fast-check';
import type { VenueEvent } from '#venue/event.ts';
import { EVENTS } from '#venue/record/event-layouts.ts';
import { acceptedTermsLayout } from '#venue/record/parts.ts';
import { anyInteger, anyRecordOf } from './drawn-records.ts';
import { limitTerms, marketTerms } from './terms.ts';

const u32 = fc.oneof(fc.constantFrom(0, 2 ** 31, 2 ** 32 - 1), fc.nat(12), fc.nat(2 ** 32 - 1));
const parts = new Map([[acceptedTermsLayout, fc.oneof(limitTerms, marketTerms)]]);

export const anyEvent: fc.Arbitrary<VenueEvent> = anyRecordOf<VenueEvent>(
  EVENTS,
  { int: anyInteger, u8: fc.nat(255), u32, leverage: u32.filter((hundredths) => hundredths === 0 || hundredths >= 100), parts },
  {},
);
