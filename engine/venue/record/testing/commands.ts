/** Arbitrary commands of all types, with any numbers and texts, also those that a journal cannot contain. */
import fc from 'fast-check';
import type { Command, PlaceOrder } from '#venue/command.ts';
import { COMMANDS } from '#venue/command-rules.ts';
import { layoutsOf } from '#venue/record/layout.ts';
import { SIDES, termsLayout } from '#venue/record/parts.ts';
import { anyInteger, anyRecordOf, anyText } from './drawn-records.ts';
import { bandTerms, limitTerms, marketTerms } from './terms.ts';

/** For every number with a unit: its brand does not limit its range. */
const int = anyInteger as fc.Arbitrary<never>;

const anyTerms = fc.oneof(limitTerms, marketTerms, bandTerms);

/** Often the ordinal of an existing account or market, so that not all commands are refused for a missing one. */
const anyNumber = fc.oneof({ weight: 3, arbitrary: anyInteger }, { weight: 1, arbitrary: fc.constantFrom(1, 2) });

/** Often for an existing market, so that not only `market_not_found` is covered. */
const entry = {
  market: fc.oneof(fc.constantFrom(1, 2), anyInteger) as fc.Arbitrary<never>,
  clientOrderId: anyText,
  side: fc.constantFrom(...SIDES),
  terms: anyTerms,
  reduceOnly: fc.boolean(),
  leverageHundredths: fc.oneof(fc.constantFrom(0, 2_000, 250), anyInteger),
};
const placed = { account: int, idempotencyKey: anyText };

/** Narrow fields too are drawn from any number. A command whose numbers do not fit cannot be written. */
export const anyCommand: fc.Arbitrary<Command> = anyRecordOf<Command>(
  layoutsOf<Command>(COMMANDS),
  { int: anyNumber, u8: anyInteger, u32: anyInteger, leverage: anyInteger, parts: new Map([[termsLayout, anyTerms]]) },
  {
    PlaceOrder: fc.record({ type: fc.constant('PlaceOrder' as const), ...placed, ...entry }) as fc.Arbitrary<PlaceOrder>,
    PlaceOrders: fc.record({
      type: fc.constant('PlaceOrders' as const),
      ...placed,
      entries: fc.array(fc.record(entry), { maxLength: 40 }),
    }),
  },
);
