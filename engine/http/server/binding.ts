/**
 * Binds a declaration to its handler: admit, parse, handle, serialize. The types ensure that a handler gets only declared input
 * and returns only declared output.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { IDEMPOTENCY_KEY_PATTERN } from '#contract/fields.ts';
import { largestBodyOf } from '#contract/largest-body.ts';
import { type Operation, type Outcome, type Part, tokensOfPage } from '#contract/operation.ts';
import type { OPERATIONS, OperationId } from '#contract/operations.ts';
import type { ParseResult } from '#contract/parse.ts';
import { parseBody, parsePath, parseQuery } from '#contract/parse.ts';
import { Refused } from '#contract/refused.ts';
import type { UnifiedOperationId } from '#contract/unified.ts';
import type { Admission } from '#http/access/admission.ts';
import type { StartLedgerStep } from '#http/access/ledger-step-charge.ts';
import type { Principal } from '#identity/directory.ts';
import type { Reader } from '#reads/reader.ts';
import type { RenderedReads } from '#reads/resource-reads.ts';
import type { Observe } from './observation.ts';
import { remoteNetwork } from './remote-network.ts';

/** The argument of a handler. */
export interface Call<Declared extends Operation> {
  readonly params: Part<Declared, 'params'>;
  readonly query: Part<Declared, 'query'>;
  readonly body: Part<Declared, 'body'>;
  /** The caller's reads; and the same with lists in the form of /v2. */
  readonly reads: RenderedReads;
  readonly unifiedReads: RenderedReads;
  readonly principal: Declared extends { readonly access: 'none' }
    ? undefined
    : Declared extends { readonly access: 'none-or-bearer' }
      ? Principal | undefined
      : Principal;
  /** The network that the request comes from: what has no account yet counts for it. */
  readonly network: string;
  readonly idempotencyKey: Declared extends { readonly needsIdempotencyKey: true } ? string : undefined;
  readonly startLedgerStep: Declared extends { readonly startsLedgerStep: true } ? StartLedgerStep : undefined;
}

/** Throws {@link Refused}. */
export type Handler<Declared extends Operation> = (call: Call<Declared>) => Outcome<Declared> | Promise<Outcome<Declared>>;

/** Handlers of the venue's own operations: those of /v2 are in the gateway. */
export type Handlers = { readonly [Id in Exclude<OperationId, UnifiedOperationId>]: Handler<(typeof OPERATIONS)[Id]> };

/** The reads of a request's caller. */
export type ReadsOf = (request: FastifyRequest, reader: Pick<Reader, 'cost' | 'form'>) => RenderedReads;

function rejectReads(): never {
  throw new Error('this server has no reads');
}

/** Any operation's handler, with the exchange of the call. */
export type AnyHandler = (call: unknown, exchange: { readonly request: FastifyRequest; readonly reply: FastifyReply }) => unknown;

/** No operation of a gateway starts a step on the external ledger. */
type BoundAdmission = Pick<Admission, 'to' | 'chargeFor'> & Partial<Pick<Admission, 'ledgerSteps'>>;

export function bind(
  server: FastifyInstance,
  operation: Operation,
  handler: AnyHandler,
  admission: BoundAdmission,
  observe: Observe,
  readsOf: ReadsOf = rejectReads,
): void {
  const admit = admission.to(operation);
  const charge = admission.chargeFor(operation);
  const observeResponse = observe(operation.id);
  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    const unsupported = operation.unsupported?.(request);
    if (unsupported !== undefined) throw new Refused('not_supported', unsupported);
    const params = rethrowAsRefusal(parsePath(operation, request.params));
    const query = rethrowAsRefusal(parseQuery(operation, request.query));
    const call = {
      params,
      query,
      idempotencyKey: operation.needsIdempotencyKey ? idempotencyKeyOf(request) : undefined,
      body: rethrowAsRefusal(parseBody(operation, request.body)),
      principal: request.principal,
      startLedgerStep: operation.startsLedgerStep ? admission.ledgerSteps?.(request, reply) : undefined,
      get network() {
        return remoteNetwork(request.clientAddress);
      },
      get reads() {
        return readsOf(request, { cost: tokensOfPage(operation, query), form: 'native' });
      },
      get unifiedReads() {
        return readsOf(request, { cost: tokensOfPage(operation, query), form: 'unified' });
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
      request.observeResponse = observeResponse;
      const admission = admit(request, reply);
      if (admission === undefined) done();
      else admission.then(() => done(), done);
    },
    ...(operation.acceptsAnyBody && {
      preParsing: async (request, reply) => {
        await handle(request, reply);
      },
    }),
    handler: handle,
  });
}

function rethrowAsRefusal<Value>(parsed: ParseResult<Value>): Value {
  if ('fault' in parsed) throw new Refused('invalid_request', parsed.fault);
  return parsed.value;
}

function idempotencyKeyOf(request: FastifyRequest): string {
  const key = request.headers['idempotency-key'];
  if (key === undefined || key === '') throw new Refused('idempotency_key_required');
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY_PATTERN.test(key)) throw new Refused('idempotency_key_invalid');
  return key;
}

function send(reply: FastifyReply, operation: Operation, handle: Outcome<Operation>): FastifyReply {
  const status = 'status' in handle ? (handle.status as number) : operation.success.status;
  if ('headers' in handle && handle.headers !== undefined) reply.headers(handle.headers);
  return handle.body === undefined ? reply.code(status).send() : sendJson(reply, status, handle.body);
}

export function sendJson(reply: FastifyReply, status: number, body: unknown): FastifyReply {
  return reply.code(status).type('application/json; charset=utf-8').send(serialize(body));
}

/** A body that the reading thread has rendered is sent as it is. */
function serialize(body: unknown): string | Buffer {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.length);
  return JSON.stringify(body);
}
