/**
 * Makes any operation return a code that does not depend on its effect, from its declaration and a valid request alone. Codes
 * specific to an operation are for its own tests.
 */

import type { ErrorCode } from '#contract/errors.ts';
import { isUnified, type Operation } from '#contract/operation.ts';
import type { OperationId } from '#contract/operations.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { StoreAway } from '#identity/store-away.ts';
import { VenueHalted, WriterBusy } from '#writer/port/submit.ts';
import { type Answer, type Bot, type DrivenVenue, expectDeclared, type Request } from './driven-venue.ts';
import { sendRaw } from './raw-http.ts';
import { withNamed } from './sound-value.ts';
import type { Stage } from './stage.ts';
import type { Planted } from './venue-under-test.ts';

/** `undefined` if the operation cannot return the code this way. */
export type Provocation = (stage: Stage, id: OperationId, sound: Request) => Promise<Answer> | undefined;

export const PROVOCATIONS: { readonly [Code in ErrorCode]?: Provocation } = {
  invalid_request: ({ venue }, id, sound) => venue.call(id, { ...sound, query: { nonsense: '1' } }),
  malformed_request: (stage, id) => raw(stage, id, 'Expect: 200-maybe\r\n\r\n'),
  headers_too_large: (stage, id) => raw(stage, id, `X-Long: ${'a'.repeat(20_000)}\r\n\r\n`),
  request_timeout: (stage, id) => raw(stage, id, 'X-Unfinished: 1'),

  malformed_json: ({ venue }, id, sound) => venue.call(id, { ...sound, body: '{"a":' }),
  payload_too_large: ({ venue }, id, sound) => venue.call(id, { ...sound, body: `"${'a'.repeat(70_000)}"` }),
  unsupported_media_type: ({ venue }, id, sound) =>
    venue.call(id, { ...sound, body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),

  idempotency_key_required: ({ venue }, id, { idempotencyKey: _, ...sound }) => venue.call(id, sound),
  idempotency_key_invalid: ({ venue }, id, sound) => venue.call(id, { ...sound, idempotencyKey: 'with a space' }),
  idempotency_conflict: async ({ venue, soundRequest }, id, sound) => {
    await venue.call(id, sound);
    return venue.call(id, { ...(await soundRequest(id)), idempotencyKey: sound.idempotencyKey ?? '' });
  },

  unauthorized: ({ venue }, id, { bot: _, ...sound }) =>
    venue.call(id, { ...sound, headers: { authorization: 'Bearer nobody' } }),
  insufficient_scope: async ({ venue, bot }, id, sound) => venue.call(id, { ...sound, bot: await venue.keyOf(bot, ['funding']) }),
  account_forbidden: ({ venue, bot, other }, id, sound) => {
    // If the account is optional, the request must name it.
    const canSay =
      sound.body !== undefined && (OPERATIONS[id] as Operation).body?.safeParse({ ...sound.body, accountId: 'acct-1' }).success;
    const body = canSay ? { ...(sound.body as object), accountId: bot.accountId } : sound.body;
    return venue.call(id, { ...sound, body, bot: other });
  },

  market_not_found: ({ venue }, id, sound) =>
    named(id, 'marketId', (where) => venue.call(id, replaced(sound, where, 'DOGE-USD-PERP'))) ??
    named(id, 'symbol', (where) => venue.call(id, replaced(sound, where, 'DOGE/USD.E:USD.E'))),
  unknown_market: ({ venue }, id, sound) => {
    const nobodys = isUnified(OPERATIONS[id]) ? { symbol: 'DOGE' } : { marketId: 'DOGE-USD-PERP' };
    const body = Array.isArray(sound.body) ? withNamed(sound.body, nobodys) : { ...(sound.body as object), ...nobodys };
    return venue.call(id, { ...sound, body });
  },
  order_not_found: ({ venue }, id, sound) =>
    named(id, 'orderId', (where) => venue.call(id, replaced(sound, where, '999999'))) ??
    named(id, 'clientOrderId', (where) => venue.call(id, replaced(sound, where, 'nobody-s'))),
  invalid_cursor: ({ venue }, id, sound) => named(id, 'cursor', (where) => venue.call(id, replaced(sound, where, 'abc'))),

  account_retired: async ({ venue, soundRequest }, id) => {
    // Retiring revokes its keys, so it must be retired while the request is in progress.
    const gone = await venue.bot(0);
    const sound = await soundRequest(id, gone);
    return whilePlanted(venue.planted, { beforeSubmit: () => retire(venue, gone) }, () => venue.call(id, sound));
  },

  internal_error: async ({ venue }, id, sound) => {
    const planted = new Error('planted');
    const answer = await whilePlanted(venue.planted, { submit: planted, reads: planted }, () => venue.call(id, sound));
    if (answer.status === 500) return answer;
    // An operation without reads still looks up the key, or the time.
    return whilePlanted(venue.planted, sound.bot ? { keys: planted } : { clock: planted }, () => venue.call(id, sound));
  },
  venue_busy: ({ venue }, id, sound) => {
    const busy = new WriterBusy('planted');
    return whilePlanted(venue.planted, { submit: busy, reads: busy }, () => venue.call(id, sound));
  },
  venue_halted: ({ venue }, id, sound) => {
    const halted = new VenueHalted('planted');
    return whilePlanted(venue.planted, { submit: halted, reads: halted }, () => venue.call(id, sound));
  },
  dependency_unavailable: ({ venue }, id, sound) =>
    whilePlanted(venue.planted, { submit: new StoreAway('planted') }, () => venue.call(id, sound)),
};

export function retire({ operate }: Pick<DrivenVenue, 'operate'>, { account }: Bot): Promise<unknown> {
  return operate({ type: 'RetireAccount', account }, 'AccountRetired');
}

export async function whilePlanted(planted: Planted, faults: Planted, during: () => Promise<Answer>): Promise<Answer> {
  Object.assign(planted, faults);
  try {
    return await during();
  } finally {
    for (const key of Object.keys(faults)) Object.assign(planted, { [key]: undefined });
  }
}

type Place = { readonly part: 'params' | 'query'; readonly name: string };

function named(id: OperationId, name: string, call: (where: Place) => Promise<Answer>): Promise<Answer> | undefined {
  const operation: Operation = OPERATIONS[id];
  for (const part of ['params', 'query'] as const) if (operation[part]?.shape[name] !== undefined) return call({ part, name });
  return undefined;
}

function replaced(sound: Request, { part, name }: Place, value: string): Request {
  return { ...sound, [part]: { ...sound[part], [name]: value } };
}

/** Sends the head of a request whose path parameters are never parsed, and then `rest`. */
async function raw({ venue }: Stage, id: OperationId, rest: string): Promise<Answer> {
  const { method, path } = OPERATIONS[id];
  const answers = await sendRaw(venue.port, `${method} ${path.replace(/[{}]/g, '')} HTTP/1.1\r\nHost: localhost\r\n${rest}`);
  const { status, headers, body } = answers[0]!;
  const answer = { status, headers: new Headers(headers), body: JSON.parse(body) };
  expectDeclared(OPERATIONS[id], answer);
  return answer;
}
