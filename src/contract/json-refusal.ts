/**
 * The JSON that the venue refuses although it has no error of syntax: text beyond the size of any request, or that parsers read differently.
 * Holds the limits and the messages; `json-scan.ts` checks them.
 */
import { MAX_SURE_DIGITS } from './json-number.ts';

/** Levels of objects and lists; a batch of orders has four. */
export const MAX_DEPTH = 64;
/** Fields of one object, duplicates of a name included. Objects of requests have fewer. */
export const MAX_FIELDS = 64;
/**
 * Numbers of more than 15 digits, or near the ends of the range of doubles, in one text: one for each entry of a batch, although no
 * market has as fine a lot or tick. A number with an exponent takes longer to compare, and counts as four.
 */
export const MAX_LONG_NUMBERS = 32;
/** Characters of a number. */
export const MAX_NUMBER_LENGTH = 1_024;

/** Each completes a sentence that begins with the body, frame or line. */
const FAULTS = {
  nested_too_deep: `is nested deeper than ${MAX_DEPTH} levels, which no request needs: send only the documented fields.`,
  too_many_fields: `has an object of more than ${MAX_FIELDS} fields, which no request needs: send only the documented fields.`,
  long_numbers: `has more long numbers than any request: at most ${MAX_LONG_NUMBERS} of more than ${MAX_SURE_DIGITS} digits, each of at most ${MAX_NUMBER_LENGTH} characters. Send numbers as short as they can be written.`,
  escaped_name: 'has an escape in the name of a field: write the name as plain characters, without a backslash.',
} as const;

export class JsonRefusal extends RangeError {
  override readonly name = 'JsonRefusal';
  readonly reason: keyof typeof FAULTS;

  constructor(reason: JsonRefusal['reason']) {
    super(reason);
    this.reason = reason;
  }

  /** For the client. `place`: what the JSON was. */
  faultOf(place: 'body' | 'frame' | 'line'): string {
    return `The ${place} ${FAULTS[this.reason]}`;
  }
}
