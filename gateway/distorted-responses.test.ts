/**
 * A standalone gateway in front of a venue whose responses are distorted one at a time: the gateway always responds as the
 * operation of /v2 declares, never with an internal error.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '#app/gateway-start.ts';
import { errorEnvelope } from '#contract/error-envelope.ts';
import { ALWAYS_POSSIBLE, ERRORS } from '#contract/errors.ts';
import { type Operation, refusalsOf } from '#contract/operation.ts';
import { RESPONSE_HEADERS } from '#contract/response-headers.ts';
import { getReady } from '#contract/system.ts';
import { UNIFIED_OPERATION_IDS, unifiedOperations } from '#contract/unified.ts';
import { unifiedError } from '#contract/unified-errors.ts';
import { publishedContract } from '#http/testing/published-contract.ts';
import { type Stage, setStage } from '#http/testing/stage.ts';
import type { Request, VenueResponse } from '#http/testing/venue-under-test.ts';
import { seededRandom } from '#simulation/seeded-random.ts';
import { DISTORTIONS, type WireResponse } from './testing/distortions.ts';

/** Each kind of distortion is applied to each upstream response at least once. */
const CASES = Number(process.env.OPENPERP_DISTORTED_ANSWERS ?? 0);
const SEED = Number(process.env.OPENPERP_SEED ?? 1);

/** A request under /v2, and the upstream requests that the gateway makes for it, with their valid responses. */
interface Subject {
  readonly operation: Operation;
  readonly init: RequestInit;
  readonly address: string;
  readonly valid: ReadonlyMap<string, WireResponse>;
}

let stage: Stage;
let upstream: Server;
let respond: (request: IncomingMessage, body: Buffer) => WireResponse | Promise<WireResponse>;
let gateway: RunningGateway;
const subjects: Subject[] = [];
const internalErrors: unknown[] = [];
const contract = publishedContract();

beforeAll(async () => {
  stage = await setStage();
  upstream = createServer(async (request, response) => {
    send(await respond(request, Buffer.concat(await request.toArray())), response);
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  for (const id of UNIFIED_OPERATION_IDS) {
    const operation: Operation = unifiedOperations[id];
    if (!operation.acceptsAnyBody) subjects.push(await recorded(operation, await stage.validRequest(id)));
  }
  subjects.push(await recorded(getReady, {}));
  await startAnother();
}, 120_000);
afterAll(async () => {
  await gateway.stop();
  upstream.closeAllConnections();
  upstream.close();
  await stage.venue.close();
  expect(internalErrors).toEqual([]);
});

function send({ status, headers, body, isCut }: WireResponse, response: ServerResponse): void {
  for (const [name, value] of Object.entries(headers)) if (value !== '') response.setHeader(name, value);
  response.statusCode = status;
  if (isCut !== true) {
    response.end(body);
    return;
  }
  response.setHeader('content-length', body.length + 1);
  response.write(body, () => response.destroy());
}

/** Starts a gateway that has made no upstream request yet except for readiness. */
async function startAnother(): Promise<void> {
  await gateway?.stop();
  const { port } = upstream.address() as AddressInfo;
  respond = fromVenue;
  const config = { upstream: `http://127.0.0.1:${port}`, host: 'localhost', port: 0, trustedProxies: [] };
  gateway = await startGateway(config, (error) => internalErrors.push(error));
}

async function fromVenue({ method = '', url = '', headers }: IncomingMessage, body: Buffer): Promise<WireResponse> {
  const { host: _, connection: __, ...forwardedHeaders } = headers as Record<string, string>;
  const response = await fetch(`http://127.0.0.1:${stage.venue.port}${url}`, {
    method,
    headers: forwardedHeaders,
    ...(body.length > 0 && { body }),
  });
  const { 'content-length': ___, connection: ____, ...responseHeaders } = Object.fromEntries(response.headers);
  return { status: response.status, headers: responseHeaders, body: await response.text() };
}

/** Records the real venue's responses for a request. */
async function recorded(operation: Operation, { params, query, body, bot, idempotencyKey }: Request): Promise<Subject> {
  await startAnother();
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params?.[name] ?? ''));
  const init = {
    method: operation.method,
    headers: {
      ...(bot !== undefined && { authorization: `Bearer ${bot.key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
  const valid = new Map<string, WireResponse>();
  respond = async (request, sent) => {
    const response = await fromVenue(request, sent);
    valid.set(nameOf(request), response);
    return response;
  };
  const subject = { operation, init, address: `${path}?${new URLSearchParams(query)}`, valid };
  expect((await sendTo(subject)).status).toBe(operation.success.status);
  return subject;
}

function nameOf({ method, url }: IncomingMessage): string {
  return `${method} ${url}`;
}

async function sendTo({ address, init }: Subject): Promise<VenueResponse> {
  const { status, headers, body } = await fetchWhole(`${gateway.url}${address}`, init);
  return { status, headers, body: JSON.parse(body) };
}

async function fetchWhole(address: string, init: RequestInit) {
  const response = await fetch(address, init);
  return { status: response.status, headers: response.headers, body: await response.text() };
}

/** Checks a response of the gateway against its declaration; returns the fault. */
function faultOf(operation: Operation, given: VenueResponse): string | undefined {
  const { status, headers, body } = given;
  if (status === 500) return `500: ${body.message}`;
  if (headers.get('content-type') !== 'application/json; charset=utf-8') return `content-type ${headers.get('content-type')}`;
  if (operation === getReady) {
    const isRefusal = status === 503 && errorEnvelope.safeParse(body).success && body.code === 'upstream_unavailable';
    return isRefusal ? undefined : contract.faultOf(operation, given);
  }
  for (const [name, { schema }] of Object.entries(RESPONSE_HEADERS))
    if (headers.has(name) && !schema.safeParse(headers.get(name)).success) return `${name}: ${headers.get(name)}`;
  if (status === operation.success.status)
    return operation.success.schema!.safeParse(body).error?.message ?? contract.faultOf(operation, given);
  const { data: refused, error } = unifiedError.safeParse(body);
  if (refused === undefined) return `${body.code} in another shape: ${error.message}`;
  const { info } = refused;
  if (!refusalsOf(operation, ALWAYS_POSSIBLE).includes(info.code) || ERRORS[info.code].status !== status)
    return `${status} ${info.code}`;
  if (info.requestId !== headers.get('x-request-id')) return `request id ${info.requestId}`;
  return contract.faultOf(operation, given);
}

/** Each distortion of each response in turn, then again with other randomness. */
function* distorted(): Generator<{ readonly subject: Subject; readonly place: string; readonly kind: string }> {
  for (;;)
    for (const kind of Object.keys(DISTORTIONS))
      for (const subject of subjects) for (const place of subject.valid.keys()) yield { subject, place, kind };
}

test('responds as the operation declares to every distorted response', { timeout: 900_000 }, async () => {
  const places = subjects.flatMap(({ valid }) => [...valid.keys()]);
  const others = subjects.flatMap(({ valid }) => [...valid.values()]);
  const cases = Math.max(CASES, places.length * Object.keys(DISTORTIONS).length);
  const random = seededRandom(SEED);
  const faults: string[] = [];
  const outcomes = new Map<number | string, number>();
  let count = 0;
  for (const { subject, place, kind } of distorted()) {
    if (count++ === cases) break;
    // These responses are cached or shared for a second.
    if (/ \/(?:v1\/markets|v1\/api-keys\/current|ready)$/.test(place)) await startAnother();
    const bad = DISTORTIONS[kind]!(subject.valid.get(place)!, random, others);
    respond = (request) => (nameOf(request) === place ? bad : subject.valid.get(nameOf(request))!);
    const given = await sendTo(subject);
    const fault = faultOf(subject.operation, given);
    if (fault !== undefined)
      faults.push(`${count}: ${subject.operation.id}, ${place}: ${kind}: ${fault}\n${String(bad.body).slice(0, 300)}`);
    const outcome = given.body.code ?? given.status;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  expect(faults.slice(0, 20), `${faults.length} of ${cases}, seed ${SEED}: ${JSON.stringify([...outcomes])}`).toEqual([]);
  // Most distortions are detected; harmless ones, such as an unknown field, get a normal response.
  expect(outcomes.get('upstream_unavailable')).toBeGreaterThan(cases / 2);
  expect(outcomes.get(200)).toBeGreaterThan(cases / 50);
});
