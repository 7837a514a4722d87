/**
 * Hostile input to the real venue, generated from the schemas of every operation: no 5xx except a declared 503, every response as
 * declared and as published, no secret in any. OPENPERP_HOSTILE_INPUTS=10000 runs longer.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorEnvelope } from '#contract/error-envelope.ts';
import type { Operation } from '#contract/operation.ts';
import type { OperationId } from '#contract/operations.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { hostileRequests, type ValidParts, type WireRequest } from '#http/testing/hostile-requests.ts';
import { publishedContract } from '#http/testing/published-contract.ts';
import { sendRaw } from '#http/testing/raw-http.ts';
import { repeatable } from '#http/testing/seeds.ts';
import { OPERATION_IDS, type Stage, setStage } from '#http/testing/stage.ts';
import { withNamed } from '#http/testing/valid-value.ts';
import type { Bot, Request } from '#http/testing/venue-under-test.ts';
import { envelopeIn, expectDeclared } from '#http/testing/venue-under-test.ts';
import { addressOf, type WireClient, type WireResponse, wireClient } from '#http/testing/wire-client.ts';
import { SCOPES } from '#venue/command.ts';

const FILE = 'engine/http/server/hostile.test.ts';
const INPUTS = Number(process.env.OPENPERP_HOSTILE_INPUTS ?? 60);
/** The order of a request may have closed: so use another order, and another account without any, now and then. */
const ANOTHER_ORDER_AFTER = Math.min(20, Math.ceil(INPUTS / 15));
const ANOTHER_BOT_AFTER = 200;

const operations: readonly Operation[] = Object.values(OPERATIONS);
const contract = publishedContract();
let stage: Stage;
let client: WireClient;
let bot: Bot;
let attempt = 0;

beforeAll(async () => {
  stage = await setStage();
  client = wireClient(stage.venue.port);
  bot = stage.bot;
});
afterAll(async () => {
  client.close();
  await stage.venue.close();
});

describe('hostile input', () => {
  test.each(OPERATION_IDS)(
    'to %s is accepted or refused as declared',
    async (id) => {
      const statuses = new Set<number>();
      const validParts = validPartsOf(id);
      await fc.assert(
        fc.asyncProperty(hostileRequests(OPERATIONS[id]), async (corrupted) => {
          statuses.add(await expectValid(OPERATIONS[id], corrupted(await validParts())));
        }),
        repeatable(FILE, INPUTS, `to ${id} is`),
      );
      expect(stage.venue.internalErrors).toEqual([]);
      // Requests reached the handler, and validation refused some.
      const { success, acceptsAnyBody }: Operation = OPERATIONS[id];
      expect([...statuses]).toEqual(expect.arrayContaining(acceptsAnyBody ? [success.status] : [success.status, 400]));
    },
    600_000 + INPUTS * 30,
  );

  test('in the bytes of a request is refused with the envelope, or is not HTTP', async () => {
    const valid = `POST /v1/orders HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${stage.bot.key}\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
    const edit = fc.record({ at: fc.nat(valid.length), cut: fc.nat(8), insert: fc.uint8Array({ maxLength: 8 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 4 }), async (edits) => {
        let bytes = Buffer.from(valid, 'latin1');
        for (const { at, cut, insert } of edits) bytes = Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(at + cut)]);
        for (const { status, body: responded } of await sendRaw(stage.venue.port, bytes, 40)) {
          expect(status).toBeLessThan(500);
          errorEnvelope.parse(JSON.parse(responded));
        }
      }),
      repeatable(FILE, 400, 'in the bytes of a request'),
    );
  });

  test('leaves the venue without an internal error, and every operation works', async () => {
    expect(stage.venue.internalErrors).toEqual([]);
    bot = await stage.venue.bot(100_000, SCOPES);
    for (const id of OPERATION_IDS) {
      const { status } = await stage.venue.call(id, await stage.validRequest(id, bot));
      expect([id, status]).toEqual([id, OPERATIONS[id].success.status]);
    }
  });
});

/** Valid parts each time: with an idempotency key and a clientOrderId of their own, about a recently opened order. */
function validPartsOf(id: OperationId): () => Promise<ValidParts> {
  let valid: Request | undefined;
  return async () => {
    attempt += 1;
    if (attempt % ANOTHER_BOT_AFTER === 0) bot = await stage.venue.bot(1_000_000, SCOPES);
    if (attempt % ANOTHER_ORDER_AFTER === 0) valid = undefined;
    valid ??= await stage.validRequest(id, bot);
    const { params = {}, body, idempotencyKey } = valid;
    const places = idempotencyKey !== undefined && JSON.stringify(body).includes('"side"');
    const fresh = places ? withNamed(body, { clientOrderId: `hostile-${attempt}` }) : body;
    const headers = {
      ...(valid.bot && { authorization: `Bearer ${valid.bot.key}` }),
      ...(idempotencyKey && { 'idempotency-key': `hostile-${attempt}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    return { params, headers, body: fresh };
  };
}

async function expectValid(operation: Operation, wire: WireRequest): Promise<number> {
  const path = addressOf(operation, wire);
  const response = await client.send(operation.method, path, wire);
  try {
    expectResponded(operation.method, path, response);
  } catch (cause) {
    const sent = [`${operation.method} ${path}`, JSON.stringify(wire.headers), String(wire.body ?? '').slice(0, 2_000)].join(
      '\n',
    );
    throw new Error(`${sent}\ngot the response ${response.status} ${response.text.slice(0, 1_000)}\n${cause}`, { cause });
  }
  return response.status;
}

function expectResponded(method: Operation['method'], path: string, { status, headers, text }: WireResponse): void {
  const body = text === '' ? undefined : JSON.parse(text);
  expect([status < 500 || status === 501 || status === 503, status]).toEqual([true, status]);
  expect(text + [...headers].join()).not.toContain(bot.key.slice(-43));
  if (body?.code === 'path_not_found' || body?.code === 'method_not_allowed') {
    envelopeIn(body);
    return;
  }
  const operation = operationAt(method, path);
  expectDeclared(operation, { status, headers, body });
  expect(contract.faultOf(operation, { status, headers, body })).toBeUndefined();
}

/** The operation that a request reached: a corrupted parameter can match another path, and static paths take precedence. */
function operationAt(method: Operation['method'], path: string): Operation {
  const [place = ''] = path.split('?');
  const depth = ({ path: declared }: Operation) => [...declared.matchAll(/\{/g)].length;
  const matching = operations.filter(
    (operation) =>
      operation.method === method &&
      new RegExp(`^${operation.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]*')}$`).test(place),
  );
  const [first] = matching.sort((one, other) => depth(one) - depth(other));
  if (first === undefined) throw new Error(`${method} ${path} has a response, but no declaration`);
  return first;
}
