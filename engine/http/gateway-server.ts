/**
 * The HTTP server of a gateway that stands alone: the operations of /v2, and whether it lives and its venue answers. Who may do what, and how
 * often, is for the venue behind it to say: what a caller sends as its bearer goes on to there, and only with what needs one.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isPublic, type Operation, type Outcome } from '#contract/operation.ts';
import { getHealth, getReady } from '#contract/system.ts';
import { UNIFIED_OPERATION_IDS, unifiedOperations } from '#contract/unified.ts';
import type { Gateway, Venue } from '#gateway/port.ts';
import { demandBearer } from './access.ts';
import { type AnyHandler, bind } from './binding.ts';
import { type FrameworkParts, openFramework } from './framework.ts';
import { health } from './handlers/system.ts';
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
  /** As the venue says. Rejects with {@link Refused} `upstream_unavailable` where it says nothing. */
  readonly readiness: () => Promise<Outcome<typeof getReady>>;
}

/** Every request is let through that has what its operation needs: the venue counts, and refuses. */
const ADMITS_ALL = {
  to:
    ({ access }: Operation) =>
    (request: FastifyRequest) => {
      if (!isPublic(access)) demandBearer(request.raw);
      return undefined;
    },
  chargeFor: () => undefined,
};

export function createGatewayServer({ gateway, venueOf, readiness, ...parts }: GatewayServerPorts): FastifyInstance {
  const { clock, observe } = parts;
  const operations: readonly Operation[] = [getHealth, getReady, ...Object.values(unifiedOperations)];
  const server = openFramework({ ...parts, countStranger: () => undefined, routes: routesOf(operations) });
  bind(server, getHealth, () => health(clock), ADMITS_ALL, observe);
  bind(server, getReady, readiness, ADMITS_ALL, observe);
  for (const id of UNIFIED_OPERATION_IDS) {
    const operation: Operation = unifiedOperations[id];
    const handler: AnyHandler = async (call, { request, reply }) =>
      gateway[id](
        call as never,
        venueOf(forwarded(operation, request), (headers) => reply.headers(headers)),
      );
    bind(server, operation, handler, ADMITS_ALL, observe);
  }
  return server;
}

function forwarded({ access }: Operation, { headers, id, clientAddress }: FastifyRequest): ForwardedRequest {
  return { authorization: isPublic(access) ? undefined : headers.authorization, requestId: id, clientAddress };
}
