/** Distorted responses of an upstream: each kind takes a valid response and seeded randomness, and returns a distorted one. */
import { ERROR_CODES, ERRORS } from '#contract/errors.ts';
import type { Random } from '#simulation/seeded-random.ts';

/** A response on the wire. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** The connection breaks before the end of the body. */
  readonly isCut?: boolean;
}

type Distort = (response: WireResponse, random: Random, others: readonly WireResponse[]) => WireResponse;
type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const HUGE_NUMBERS = [2 ** 53, 9e15, -9e15, 1e300, -1, -0.5, 0, 1e-7];
const OTHER_VALUES: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  '',
  'x',
  '0',
  '-1',
  'NaN',
  '1e400',
  '9'.repeat(400),
  [],
  {},
  [[]],
  [null],
  { a: {} },
];
const MEDIA_TYPES = [
  'text/html',
  'text/plain; charset=utf-8',
  'application/jsonp',
  'application/octet-stream',
  'json',
  '',
  'multipart/form-data',
];
const TEXTS = [
  '',
  ' ',
  'null',
  '[]',
  '{}',
  '0',
  '"taken"',
  '<h1>Bad gateway</h1>',
  '{"version":',
  '\u0000',
  'undefined',
  '{"a":1}{"a":2}',
];
const STATUSES = [200, 201, 202, 204, 206, 301, 302, 304, 400, 401, 403, 404, 409, 418, 429, 451, 500, 502, 503, 504, 599];
const GARBLED_HEADERS = [
  '',
  '0',
  '-1',
  '1.5',
  'soon',
  'Wed, 21 Oct 2037 07:28:00 GMT',
  '9'.repeat(60),
  '"x";q=',
  'true, true',
  '\u00ff\u00fe',
];
/** Larger than any valid response. */
const PADDING = ' '.repeat(5 * 1_048_576);

export const DISTORTIONS: Readonly<Record<string, Distort>> = {
  'a field is missing': inJson((holder, key) => {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
  }),
  'a field is null': inJson((holder, key) => put(holder, key, null)),
  'a value is of another type': inJson((holder, key, random) => put(holder, key, oneOf(OTHER_VALUES, random))),
  'a number is beyond its range': inJson((holder, key, random) => {
    const isText = typeof holder[key as never] === 'string';
    const huge = oneOf(HUGE_NUMBERS, random);
    put(holder, key, isText ? String(huge) : huge);
  }),
  'an amount has hundreds of digits': inJson((holder, key, random) =>
    put(holder, key, `1${oneOf(['0', '7', '.0'], random).repeat(600)}`),
  ),
  'a string is different': inJson((holder, key, random) =>
    put(holder, key, `${String(holder[key as never])}${oneOf(['x', '\n', '/', ':', '\u2028', '0'], random)}`),
  ),
  'a list is empty': inJson((holder, key) => put(holder, key, [])),
  'an entry is there twice': inJson((holder, key) => {
    if (Array.isArray(holder)) holder.push(holder[Number(key)]!);
    else put(holder, key, [holder[key]!, holder[key]!]);
  }),
  'two values are exchanged': inJson((holder, key, random) => {
    const other = oneOf(Object.keys(holder), random);
    const [one, another] = [holder[key as never], holder[other as never]];
    put(holder, key, another);
    put(holder, other, one);
  }),
  'a field is unknown': inJson((holder, _, random) =>
    put(holder, Array.isArray(holder) ? '0' : `ofTomorrow${random()}`, { a: 1 }),
  ),
  'a list has a hundred thousand entries': inJson((holder, key) =>
    put(
      holder,
      key,
      Array.from({ length: 100_000 }, () => ({})),
    ),
  ),
  'it is nested deeply': inJson(
    (holder, key) => put(holder, key, 'DEEP'),
    (text) => text.replace('"DEEP"', `${'['.repeat(50_000)}${']'.repeat(50_000)}`),
  ),
  'it is the response of another operation': (response, random, others) => ({ ...response, body: oneOf(others, random).body }),
  'it is other text': (response, random) => ({ ...response, body: oneOf(TEXTS, random) }),
  'it is truncated': (response, random) => ({
    ...response,
    body: String(response.body).slice(0, Math.floor(random() * response.body.length)),
  }),
  'it has bytes that are not UTF-8': (response, random) => {
    const bytes = Buffer.from(response.body);
    for (let count = 0; count < 3; count += 1) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    return { ...response, body: bytes };
  },
  'it is cut off': (response) => ({ ...response, isCut: true }),
  'it is too large': (response) => ({ ...response, body: `${PADDING}${response.body}` }),
  'it has another media type': (response, random) => ({
    ...response,
    headers: { ...response.headers, 'content-type': oneOf(MEDIA_TYPES, random) },
  }),
  'it has another status': (response, random) => ({ ...response, status: oneOf(STATUSES, random) }),
  'its headers are garbled': (response, random) => ({
    ...response,
    headers: {
      ...response.headers,
      ...Object.fromEntries(
        ['retry-after', 'ratelimit', 'ratelimit-policy', 'www-authenticate', 'idempotency-replayed', 'x-request-id'].map(
          (name) => [name, oneOf(GARBLED_HEADERS, random)],
        ),
      ),
    },
  }),
  'it is an error whose code is unknown': (_, random) =>
    refusal(
      oneOf([400, 401, 404, 409, 423, 429, 500, 503], random),
      oneOf(['of_tomorrow', '', '__proto__', 'toString', 'constructor'], random),
    ),
  'it is an error of another status': (_, random) => refusal(oneOf([400, 409, 418, 502], random), oneOf(ERROR_CODES, random)),
  'it is any error of the catalogue': (_, random) => anyRefusal(random),
  'it is an error with a distorted field': (_, random, others) =>
    oneOf(
      [DISTORTIONS['a field is missing']!, DISTORTIONS['a value is of another type']!, DISTORTIONS['a string is different']!],
      random,
    )(anyRefusal(random), random, others),
};

/** Includes an internal error of the venue itself. */
function anyRefusal(random: Random): WireResponse {
  const code = oneOf(
    ERROR_CODES.filter((it) => it !== 'internal_error'),
    random,
  );
  return refusal(ERRORS[code].status, code);
}

function refusal(status: number, code: string): WireResponse {
  const envelope = {
    version: 'external-rest-error/v1',
    requestId: 'r',
    code,
    safeMessage: 'In its own words.',
    retryable: false,
    recoveryActions: ['none'],
    occurredAtEpochMs: 1_700_000_000_000,
    apiKeyRejection: 'revoked',
    dependency: 'realtime_tickets',
  };
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(envelope) };
}

/** Changes one place of the body, at any depth. */
function inJson(
  change: (holder: Json[] & { [name: string]: Json }, key: string, random: Random) => void,
  finish = (text: string) => text,
): Distort {
  return (response, random) => {
    const whole = { body: JSON.parse(String(response.body)) as Json };
    const [holder, key] = oneOf([...placesIn(whole.body)], random) ?? [whole, 'body'];
    change(holder as never, key, random);
    return { ...response, body: finish(JSON.stringify(whole.body) ?? '') };
  };
}

function* placesIn(value: Json): Generator<[holder: object, key: string]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    yield [value, key];
    yield* placesIn(inner);
  }
}

function put(holder: object, key: string, value: Json | undefined): void {
  Object.assign(holder, { [key]: value });
}

function oneOf<Value>(values: readonly Value[], random: Random): Value {
  return values[Math.floor(random() * values.length)]!;
}
