/**
 * The fields that resources share: ids, amounts, times, freshness. `ours` marks a field that the interface does not show; the OpenAPI
 * document has the mark as `x-openperp-ours`.
 * Amounts named `…Atoms` are digit strings in smallest units; without that suffix they are decimal strings.
 */
import * as z from 'zod';
import { leverageHundredths, leverageXOf } from '#units/leverage.ts';
import { listOf } from './list-schema.ts';

/** Marks a field as not in the interface, and describes it. */
export function ours<Schema extends z.ZodType>(schema: Schema, description: string): Schema {
  return schema.meta({ description, 'x-openperp-ours': true });
}

export const MAX_DECIMALS = 40;
/** An amount in a request: digits and at most one point, without sign or exponent. */
export const decimalInput = z
  .string()
  .regex(
    new RegExp(`^[0-9]{1,20}(?:\\.[0-9]{1,${MAX_DECIMALS}})?$`),
    'must be a plain decimal string such as "0.25", without sign or exponent',
  )
  .meta({ description: 'A plain decimal string.', maxLength: 20 + 1 + MAX_DECIMALS });

/** A non-negative amount in a response. */
export const decimal = z.string().regex(/^[0-9]+(?:\.[0-9]+)?$/);
/** An amount in a response that may be negative. */
export const signedDecimal = z.string().regex(/^-?[0-9]+(?:\.[0-9]+)?$/);
/** A rate in a response as a decimal: 0.0001 is a hundredth of a percent. May be negative. */
export const rate = signedDecimal;
/** Smallest units, non-negative. */
export const atoms = z.string().regex(/^[0-9]+$/);
/** Smallest units, negative for a loss or a short quantity. */
export const signedAtoms = z.string().regex(/^-?[0-9]+$/);

/** A leverage in a response, of at most two decimals. */
export const leverage = z.number().min(1);
const MAX_LEVERAGE_X = 10_000;
/**
 * A leverage in a request; the market bounds it further. The document has no `multipleOf`: validators divide doubles, and refuse 2.55.
 */
export const leverageInput = z
  .number()
  .refine(
    (leverageX) => leverageX >= 1 && leverageX <= MAX_LEVERAGE_X && leverageXOf(leverageHundredths(leverageX)) === leverageX,
    {
      error: ({ input }) => `expected a leverage between 1 and ${MAX_LEVERAGE_X} in steps of 0.01, got ${input}`,
    },
  )
  .meta({ minimum: 1, maximum: MAX_LEVERAGE_X });

export const epochMs = z.int().min(0).meta({ description: 'Milliseconds since the Unix epoch.' });
export const sequence = z.int().min(0).meta({ description: "A position in the venue's journal; it only increases." });
export const readModelDigest = z.string().regex(/^sha256:[0-9a-f]{64}$/);

export const accountId = z.string().regex(/^acct-[1-9][0-9]{0,9}$/);
export const marketId = z.string().regex(/^[A-Z0-9]{1,12}(?:-[A-Z0-9]{1,12}){1,3}$/);
/** The venue numbers orders, trades and positions. */
export const numberedId = z.string().regex(/^[1-9][0-9]{0,14}$/);
/** Excludes `.` and `..`: browsers and most other clients resolve them as path segments. */
export const clientOrderId = z
  .string()
  .regex(
    /^(?!\.{1,2}$)[A-Za-z0-9._:/+=-]{1,64}$/,
    'must have 1 to 64 characters, only letters, digits and . _ : / + = -, and must not be . or ..',
  )
  .meta({ maxLength: 64 });

/** The client chooses the key; visible ASCII. */
export const IDEMPOTENCY_KEY_PATTERN = /^[\x21-\x7e]{1,128}$/;

/**
 * No control character, no line break, no half of a surrogate pair. The pattern has the same meaning with and without the `u` flag, because
 * tools that read the documents may or may not set it.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it refuses
const PLAIN_TEXT = /^(?:[^\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff]|[\ud800-\udbff][\udc00-\udfff])*$/;

/** A short text of a client: one line, without characters that break a terminal, a log or another program. */
export function textInput(longest: number, shortest = 0) {
  const text = boundedText(longest).regex(PLAIN_TEXT, 'must be well-formed Unicode without control characters and line breaks');
  return shortest === 0 ? text : text.check(atLeast(shortest));
}

/** Characters that are not shown or change how others are shown: control, format (bidi, zero width), private and unassigned ones. */
const INVISIBLE = /\p{C}/u;

/** A name that people judge by what they see: it has a visible character, and none that is invisible. */
export function nameInput(longest: number) {
  return textInput(longest, 1).refine(
    (name) => !INVISIBLE.test(name) && name.trim() !== '',
    'must have a visible character, and no invisible one such as U+200B or U+202E',
  );
}

/** Any text up to a length. The caller adds the characters that it may have. */
export function boundedText(longest: number) {
  return z.string().check(atMost(longest));
}

export function listInput<Entry extends z.ZodType>(entry: Entry, fewest: number, max?: number) {
  const list = listOf(entry, max ?? Number.POSITIVE_INFINITY).check(atLeast(fewest));
  return max === undefined ? list : list.check(atMost(max));
}

/**
 * By default zod compares the `length` of any value, also of an object that a client sends. Such a `length` may be
 * `{"toString": 1, "valueOf": 1}`, and comparing it throws. So only texts and lists are measured. A wrong length ends the checks.
 */
const hasOwnLength = ({ value }: z.core.ParsePayload) => typeof value === 'string' || Array.isArray(value);

function atLeast(minimum: number) {
  return new z.core.$ZodCheckMinLength({ check: 'min_length', minimum, when: hasOwnLength, abort: true });
}

/** The limit counts code points. A text of more than `2 * maximum` UTF-16 units is cut before it is counted, to bound the time. */
function atMost(maximum: number) {
  const length = new z.core.$ZodCheckMaxLength({ check: 'max_length', maximum, when: hasOwnLength, abort: true });
  const { check } = length._zod;
  length._zod.check = (payload) => {
    const { value } = payload as { readonly value: unknown };
    return typeof value === 'string' && value.length > 2 * maximum
      ? check({ ...payload, value: value.slice(0, 2 * maximum + 1) })
      : check(payload);
  };
  return length;
}

/** An id in a path or a query. It is looked up, so the schema accepts any short text. */
export const idInput = textInput(64, 1);

export const accountParams = z.strictObject({ accountId: idInput });
export const marketParams = z.strictObject({ marketId: idInput });
export const marketFilter = { marketId: ours(idInput.optional(), 'Only this market.') };

export const SETTLEMENT_ASSET = 'USD.E';
export const settlementAsset = z.literal(SETTLEMENT_ASSET);

export const side = z.enum(['buy', 'sell']).meta({ id: 'Side' });
export const orderType = z.enum(['limit', 'market']).meta({ id: 'OrderType' });

/** Where a subscription continues after this snapshot. */
export const resync = <Stream extends string>(stream: Stream) =>
  z.strictObject({ stream: z.literal(stream), fromSequence: sequence });

/** How current a response is (2.12). */
export const freshness = z
  .strictObject({
    status: z.enum(['fresh', 'stale']),
    degradedState: z.enum(['none', 'venue_halted']),
    journalSequence: sequence,
    asOfEpochMs: epochMs,
    projectorLagMs: z.int().min(0),
    dbReplicaLagMs: z.int().min(0),
    backfillStatus: z.enum(['live', 'catching_up']),
  })
  .meta({ id: 'Freshness' });
export type Freshness = z.infer<typeof freshness>;

/** An integer in a query string. */
export function wholeNumberInput(lowest: number, highest: number) {
  const range = `must be a whole number from ${lowest} to ${highest}`;
  return z
    .string()
    .regex(/^[0-9]{1,16}$/, range)
    .transform(Number)
    .pipe(z.int().min(lowest).max(highest));
}

/** A time in a query string, in milliseconds since the Unix epoch. */
export const timeInput = wholeNumberInput(0, 9_999_999_999_999);

export const cursorInput = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,256}$/, 'must be the nextCursor of the previous page')
  .optional();

/** The maximum number of entries of a page. */
export const limitInput = ours(wholeNumberInput(1, 500).default(100), 'The maximum number of entries.');

const pageParameters = {
  limit: limitInput,
  since: ours(timeInput.optional(), 'Epoch milliseconds, inclusive. If given, the list is oldest first.'),
  until: ours(timeInput.optional(), 'Epoch milliseconds, inclusive. Must not be before since.'),
  cursor: ours(cursorInput, 'The nextCursor of the previous page. All other parameters must stay the same; limit may change.'),
};

/** The query of a list ordered by time, with its filters. Newest first; with `since` oldest first from that time on. */
export function pageQuery<Filters extends z.ZodRawShape>(filters: Filters) {
  return betweenTimes(z.strictObject({ ...pageParameters, ...filters }));
}

/** Refuses a query whose `until` is before its `since`. */
export function betweenTimes<Query extends z.ZodObject>(query: Query): Query {
  return query.refine(
    (rangeQuery) => {
      const { since, until } = rangeQuery as { readonly since?: number | undefined; readonly until?: number | undefined };
      return since === undefined || until === undefined || since <= until;
    },
    { path: ['until'], message: 'until must not be before since' },
  );
}

export const nextCursor = ours(z.string().nullable(), 'Continues the list; null on its last page.');
