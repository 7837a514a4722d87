/**
 * The fields that resources share: ids, amounts, times, freshness. A field that the interface does not show is marked
 * `ours`, which the OpenAPI document repeats as `x-openperp-ours`.
 * Amounts named `…Atoms` are digit strings in smallest units; without that suffix they are decimal strings.
 */
import * as z from 'zod';
import { listOf } from './list-schema.ts';

/** Marks a field as our own decision and says what it holds. */
export function ours<Schema extends z.ZodType>(schema: Schema, description: string): Schema {
  return schema.meta({ description, 'x-openperp-ours': true });
}

export const MOST_DECIMALS = 40;
/** An amount of a request: digits, at most one point; never a sign or an exponent. */
export const decimalInput = z
  .string()
  .regex(
    new RegExp(`^[0-9]{1,20}(?:\\.[0-9]{1,${MOST_DECIMALS}})?$`),
    'must be a plain decimal string such as "0.25", without sign or exponent',
  )
  .meta({ description: 'A plain decimal string.', maxLength: 20 + 1 + MOST_DECIMALS });

/** An amount of an answer that is never below zero. */
export const decimal = z.string().regex(/^[0-9]+(?:\.[0-9]+)?$/);
/** An amount of an answer that may be below zero. */
export const signedDecimal = z.string().regex(/^-?[0-9]+(?:\.[0-9]+)?$/);
/** A rate of an answer as a decimal, 0.0001 for a hundredth of a percent; below zero where it goes the other way. */
export const rate = signedDecimal;
/** Smallest units, never below zero. */
export const atoms = z.string().regex(/^[0-9]+$/);
/** Smallest units, below zero for what was lost or sold. */
export const signedAtoms = z.string().regex(/^-?[0-9]+$/);

export const epochMs = z.int().min(0).meta({ description: 'Milliseconds since the Unix epoch.' });
/** A place in the venue's journal; it only grows. */
export const sequence = z.int().min(0).meta({ description: "A place in the venue's journal; it only grows." });
export const readModelDigest = z.string().regex(/^sha256:[0-9a-f]{64}$/);

export const accountId = z.string().regex(/^acct-[1-9][0-9]{0,9}$/);
export const marketId = z.string().regex(/^[A-Z0-9]{1,12}(?:-[A-Z0-9]{1,12}){1,3}$/);
/** Orders, trades and positions are numbered by the venue. */
export const numberedId = z.string().regex(/^[1-9][0-9]{0,14}$/);
/** Not `.` and `..`: an address with those is another one, to browsers and most other clients. */
export const clientOrderId = z
  .string()
  .regex(
    /^(?!\.{1,2}$)[A-Za-z0-9._:/+=-]{1,64}$/,
    'must be 1 to 64 characters out of letters, digits and . _ : / + = -, and neither . nor ..',
  )
  .meta({ maxLength: 64 });

/** Made by whoever asks, to be able to ask again: visible ASCII. */
export const IDEMPOTENCY_KEY_PATTERN = /^[\x21-\x7e]{1,128}$/;

/**
 * No control character, no line break, no half of a surrogate pair: said so that it means the same with the `u` flag and without, for tools
 * that read the documents set it or do not.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it refuses
const PLAIN_TEXT = /^(?:[^\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff]|[\ud800-\udbff][\udc00-\udfff])*$/;

/** A short text of a client's: on one line, and nothing that a terminal, a log or another program would trip over. */
export function textInput(longest: number, shortest = 0) {
  const text = z
    .string()
    .check(atMost(longest))
    .regex(PLAIN_TEXT, 'must be well-formed Unicode without control characters and line breaks');
  return shortest === 0 ? text : text.check(atLeast(shortest));
}

export function listInput<Entry extends z.ZodType>(entry: Entry, fewest: number, most?: number) {
  const list = listOf(entry, most ?? Number.POSITIVE_INFINITY).check(atLeast(fewest));
  return most === undefined ? list : list.check(atMost(most));
}

/**
 * On its own zod compares the length of anything that has one, also where it has found that it is neither text nor list: of an object that a
 * client sends that is what the client put there, such as `{"toString": 1, "valueOf": 1}`, which throws. Where a length is wrong nothing else is checked.
 */
const hasOwnLength = ({ value }: z.core.ParsePayload) => typeof value === 'string' || Array.isArray(value);

function atLeast(minimum: number) {
  return new z.core.$ZodCheckMinLength({ check: 'min_length', minimum, when: hasOwnLength, abort: true });
}

/** Texts of more than twice as many UTF-16 units are not counted in code points. */
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

/** An id in a path or a query: whatever it names is looked up, so any short text will do. */
export const idInput = textInput(64, 1);

export const accountParams = z.strictObject({ accountId: idInput });
export const marketParams = z.strictObject({ marketId: idInput });
export const marketFilter = { marketId: ours(idInput.optional(), 'Only this market.') };

export const SETTLEMENT_ASSET = 'USD.E';
export const settlementAsset = z.literal(SETTLEMENT_ASSET);

export const side = z.enum(['buy', 'sell']).meta({ id: 'Side' });
export const orderType = z.enum(['limit', 'market']).meta({ id: 'OrderType' });

/** Where a subscription picks up after this snapshot. */
export const resync = <Stream extends string>(stream: Stream) =>
  z.strictObject({ stream: z.literal(stream), fromSequence: sequence });

/** How current an answer is (2.12). */
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

/** A whole number in a query string. */
export function wholeNumberInput(lowest: number, highest: number) {
  const range = `must be a whole number from ${lowest} to ${highest}`;
  return z
    .string()
    .regex(/^[0-9]{1,16}$/, range)
    .transform(Number)
    .pipe(z.int().min(lowest).max(highest));
}

/** A moment of a query string. */
export const momentInput = wholeNumberInput(0, 9_999_999_999_999);

export const cursorInput = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,256}$/, 'must be a nextCursor of the page before')
  .optional();

/** How many entries a page has. */
export const limitInput = ours(wholeNumberInput(1, 500).default(100), 'The most entries to return.');

const pageParameters = {
  limit: limitInput,
  since: ours(momentInput.optional(), 'Epoch milliseconds, inclusive. With it the page runs oldest first.'),
  until: ours(momentInput.optional(), 'Epoch milliseconds, inclusive: nothing later is shown. Not before since.'),
  cursor: ours(cursorInput, 'The nextCursor of the page before. All other parameters stay as they were; limit may change.'),
};

/** The query of a list that goes by time, with its filters. Without `since` newest first; with it oldest first from that moment on. */
export function pageQuery<Filters extends z.ZodRawShape>(filters: Filters) {
  return betweenMoments(z.strictObject({ ...pageParameters, ...filters }));
}

/** A query from a moment on and up to another: one that ends before it begins asks for nothing, and is a mistake. */
export function betweenMoments<Query extends z.ZodObject>(query: Query): Query {
  return query.refine(
    (asked) => {
      const { since, until } = asked as { readonly since?: number | undefined; readonly until?: number | undefined };
      return since === undefined || until === undefined || since <= until;
    },
    { path: ['until'], message: 'it is before since' },
  );
}

export const nextCursor = ours(z.string().nullable(), 'Continues the list; null on its last page.');
