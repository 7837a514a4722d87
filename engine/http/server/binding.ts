/**
 * Binds a declaration to its handler: admit, parse, handle, serialize. The types ensure that a handler gets only declared input
 * and returns only declared output.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { IDEMPOTENCY_KEY_PATTERN } from '#contract/fields.ts';
import { largestBodyOf } from '#contract/largest-body.ts';
import { type Operation, type Outcome, type Part, tokensOfPage } from '#contract/operation.ts';
import type { OPERATIONS, OperationId } from '#contract/operations.ts';
import type { Parsed } from '#contract/parse.ts';
import { parseBody, parsePath, parseQuery } from '#contract/parse.ts';
import { Refused } from '#contract/refused.ts';
import type { UnifiedOperationId } from '#contract/unified.ts';
import type { Admission } from '#http/access/admission.ts';
import type { Principal } from '#identity/directory.ts';
import type { Ask } from '#reads/answers.ts';
import type { Reader } from '#reads/reader.ts';
import type { Observe } from './observation.ts';

/** The argument of a handler. */
export interface Call<Declared extends Operation> {
  readonly params: Part<Declared, 'params'>;
  readonly query: Part<Declared, 'query'>;
  readonly body: Part<Declared, 'body'>;
  /** The caller's reads; and the same with lists in the form of /v2. */
  readonly ask: Ask;
  readonly askUnified: Ask;
  readonly principal: Declared extends { readonly access: 'none' }
    ? undefined
    : Declared extends { readonly access: 'none-or-bearer' }
      ? Principal | undefined
      : Principal;
  readonly idempotencyKey: Declared extends { readonly needsIdempotencyKey: true } ? string : undefined;
}

/** Throws {@link Refused}. */
export type Handler<Declared extends Operation> = (call: Call<Declared>) => Outcome<Declared> | Promise<Outcome<Declared>>;

/** Handlers of the venue's own operations: those of /v2 are in the gateway. */
export type Handlers = { readonly [Id in Exclude<OperationId, UnifiedOperationId>]: Handler<(typeof OPERATIONS)[Id]> };

/** The reads of a request's caller. */
export type AskOf = (request: FastifyRequest, reader: Pick<Reader, 'cost' | 'form'>) => Ask;

function noReads(): never {
  throw new Error('this server has no reads');
}

/** Any operation's handler, with the exchange of the call. */
export type AnyHandler = (call: unknown, exchange: { readonly request: FastifyRequest; readonly reply: FastifyReply }) => unknown;

export function bind(
  server: FastifyInstance,
  operation: Operation,
  handler: AnyHandler,
  admission: Pick<Admission, 'to' | 'chargeFor'>,
  observe: Observe,
  askOf: AskOf = noReads,
): void {
  const admit = admission.to(operation);
  const charge = admission.chargeFor(operation);
  const observeAnswer = observe(operation.id);
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const unsupported = operation.unsupported?.(request);
    if (unsupported !== undefined) throw new Refused('not_supported', unsupported);
    const params = orRefuse(parsePath(operation, request.params));
    const query = orRefuse(parseQuery(operation, request.query));
    const call = {
      params,
      query,
      idempotencyKey: operation.needsIdempotencyKey ? idempotencyKeyOf(request) : undefined,
      body: orRefuse(parseBody(operation, request.body)),
      principal: request.principal,
      get ask() {
        return askOf(request, { cost: tokensOfPage(operation, query), form: 'native' });
      },
      get askUnified() {
        return askOf(request, { cost: tokensOfPage(operation, query), form: 'unified' });
      },
    };
    if (charge !== undefined) await charge(request, reply, call);
    return send(reply, operation, (await handler(call, { request, reply })) as Outcome<Operation>);
  };
  server.route({
    method: operation.method,
    url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
    bodyLimit: largestBodyOf(operation),
    onRequest: (request, reply, done) => {
      request.observeAnswer = observeAnswer;
      const admitted = admit(request, reply);
      if (admitted === undefined) done();
      else admitted.then(() => done(), done);
    },
    ...(operation.takesAnything && {
      preParsing: async (request, reply) => {
        await answer(request, reply);
      },
    }),
    handler: answer,
  });
}

function orRefuse<Value>(parsed: Parsed<Value>): Value {
  if ('fault' in parsed) throw new Refused('invalid_request', parsed.fault);
  return parsed.value;
}

function idempotencyKeyOf(request: FastifyRequest): string {
  const key = request.headers['idempotency-key'];
  if (key === undefined || key === '') throw new Refused('idempotency_key_required');
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY_PATTERN.test(key)) throw new Refused('idempotency_key_invalid');
  return key;
}

function send(reply: FastifyReply, operation: Operation, answer: Outcome<Operation>): FastifyReply {
  const status = 'status' in answer ? (answer.status as number) : operation.success.status;
  if ('headers' in answer && answer.headers !== undefined) reply.headers(answer.headers);
  return answer.body === undefined ? reply.code(status).send() : sendJson(reply, status, answer.body);
}

export function sendJson(reply: FastifyReply, status: number, body: unknown): FastifyReply {
  return reply.code(status).type('application/json; charset=utf-8').send(writtenOut(body));
}

/** A body that the reading thread has rendered is sent as it is. */
function writtenOut(body: unknown): string | Buffer {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.length);
  return JSON.stringify(body);
}
