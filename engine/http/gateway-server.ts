/**
 * The HTTP server of a gateway that stands alone: the operations of /v2 and nothing else. Who may do what, and how often, is for the venue
 * behind it to say: what a caller sends as its bearer goes on to there, and only with what needs one.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Operation } from '#contract/operation.ts';
import { UNIFIED_OPERATION_IDS, unifiedOperations } from '#contract/unified.ts';
import type { Gateway, Venue } from '#gateway/port.ts';
import { demandOneBearer } from './access.ts';
import { type AnyHandler, bind } from './binding.ts';
import { type FrameworkParts, openFramework } from './framework.ts';
import { routesOf } from './unrouted.ts';

/** A request, as the venue is told whose it is. */
export interface ForwardedRequest {
  readonly authorization?: string | undefined;
  readonly requestId: string;
  readonly clientAddress: string;
}

export interface GatewayServerPorts extends Omit<FrameworkParts, 'countStranger' | 'routes'> {
  readonly gateway: Gateway;
  /** The venue for one request; `passOn` takes headers for its answer. */
  readonly venueOf: (request: ForwardedRequest, passOn: (headers: Record<string, string>) => void) => Venue;
}

/** Every request is let through: the venue counts, and refuses. */
const ADMITS_ALL = { to: () => () => undefined, chargeFor: () => undefined };

export function createGatewayServer({ gateway, venueOf, ...parts }: GatewayServerPorts): FastifyInstance {
  const operations: readonly Operation[] = Object.values(unifiedOperations);
  const server = openFramework({ ...parts, countStranger: () => undefined, routes: routesOf(operations) });
  for (const id of UNIFIED_OPERATION_IDS) {
    const operation: Operation = unifiedOperations[id];
    const handler: AnyHandler = async (call, { request, reply }) =>
      gateway[id](
        call as never,
        venueOf(forwarded(operation, request), (headers) => reply.headers(headers)),
      );
    bind(server, operation, handler, ADMITS_ALL, parts.observe);
  }
  return server;
}

function forwarded({ access }: Operation, request: FastifyRequest): ForwardedRequest {
  const needsBearer = access !== 'none';
  if (needsBearer) demandOneBearer(request.raw);
  const authorization = needsBearer ? request.headers.authorization : undefined;
  return { authorization, requestId: request.id, clientAddress: request.clientAddress };
}
