/**
 * Valid JSON that the venue refuses: text beyond the size of any request, or that parsers read differently. Has the limits and the messages;
 * `json-scan.ts` checks them.
 */
import { MAX_SURE_DIGITS } from './json-number.ts';

/** Maximum levels of objects and lists; a batch of orders has four. */
export const MAX_DEPTH = 64;
/** Maximum fields of one object, duplicates included. Objects in requests have fewer. */
export const MAX_FIELDS = 64;
/**
 * Maximum numbers in one text that have more than 15 digits or are near the ends of the range of doubles: one for each entry of a batch,
 * although no market has so small a lot or tick. A number with an exponent takes longer to compare and counts as four.
 */
export const MAX_LONG_NUMBERS = 32;
/** Maximum characters of a number. */
export const MAX_NUMBER_LENGTH = 1_024;

/** Each completes a sentence that starts with "The body", "The frame" or "The line". */
const FAULTS = {
  nested_too_deep: `is nested deeper than ${MAX_DEPTH} levels: send only the documented fields.`,
  too_many_fields: `has an object with more than ${MAX_FIELDS} fields: send only the documented fields.`,
  long_numbers: `has too many or too long numbers: at most ${MAX_LONG_NUMBERS} may have more than ${MAX_SURE_DIGITS} digits, and each at most ${MAX_NUMBER_LENGTH} characters. Write numbers without needless digits.`,
  escaped_name: 'has an escape in the name of a field: write the name without a backslash.',
} as const;

export class JsonRefusal extends RangeError {
  override readonly name = 'JsonRefusal';
  readonly reason: keyof typeof FAULTS;

  constructor(reason: JsonRefusal['reason']) {
    super(reason);
    this.reason = reason;
  }

  /** The message for the client. `place`: where the JSON came from. */
  faultOf(place: 'body' | 'frame' | 'line'): string {
    return `The ${place} ${FAULTS[this.reason]}`;
  }
}
