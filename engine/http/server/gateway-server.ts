/**
 * The HTTP server of a stand-alone gateway: the operations of /v2, their document, liveness and readiness. The venue behind it
 * gets the bearer of each request, and decides access and rate limits.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { GATEWAY_OPERATIONS, gatewayDocument } from '#contract/gateway-document.ts';
import type { Operation, Outcome } from '#contract/operation.ts';
import { getHealth, getOpenApi, getReady } from '#contract/system.ts';
import { UNIFIED_OPERATION_IDS, unifiedOperations } from '#contract/unified.ts';
import type { Gateway, Venue } from '#gateway/port.ts';
import { demandBearer } from '#http/access/access.ts';
import { health } from '#http/handlers/system.ts';
import { type AnyHandler, bind } from './binding.ts';
import { bindDocument } from './documents.ts';
import { type FrameworkParts, openFramework } from './framework.ts';
import { routesOf } from './unrouted.ts';

/** The identity of a request, as the venue gets it. */
export interface ForwardedRequest {
  readonly authorization?: string | undefined;
  readonly requestId: string;
  readonly clientAddress: string;
}

/** Restricts an upstream response to the declaration of the operation. */
export interface ResponseDeclaration {
  readonly headers: (operation: Operation, code: undefined, headers: Readonly<Record<string, string>>) => Record<string, string>;
  /** The refusal for a thrown value; the value itself if it is an internal error. */
  readonly refusal: (operation: Operation, thrown: unknown) => unknown;
}

export interface GatewayServerPorts extends Omit<FrameworkParts, 'countAnonymous' | 'routes'> {
  readonly gateway: Gateway;
  /** The venue for one request; `passOn` receives headers for its response. */
  readonly venueOf: (request: ForwardedRequest, passOn: (headers: Record<string, string>) => void) => Venue;
  readonly declared: ResponseDeclaration;
  /** The venue's own readiness. Rejects with {@link Refused} `upstream_unavailable` if it does not respond. */
  readonly readiness: () => Promise<Outcome<typeof getReady>>;
}

export function createGatewayServer({ gateway, venueOf, readiness, declared, ...parts }: GatewayServerPorts): FastifyInstance {
  const { clock, observe } = parts;
  const server = openFramework({ ...parts, countAnonymous: () => undefined, routes: routesOf(GATEWAY_OPERATIONS) });
  const admission = admissionTo(venueOf, declared);
  bind(server, getHealth, () => health(clock), admission, observe);
  bind(server, getReady, readiness, admission, observe);
  bindDocument(server, getOpenApi, gatewayDocument(parts.limits), admission, observe);
  for (const id of UNIFIED_OPERATION_IDS) {
    const operation: Operation = unifiedOperations[id];
    const handler: AnyHandler = async (call, { request, reply }) =>
      gateway[id](
        call as never,
        venueOf(forwarded(operation, request), (headers) => reply.headers(declared.headers(operation, undefined, headers))),
      ).catch((thrown: unknown) => {
        throw declared.refusal(operation, thrown);
      });
    bind(server, operation, handler, admission, observe);
  }
  return server;
}

/**
 * The venue counts requests and refuses bearers; here a bearer only has to be well-formed. For a public read it is checked by
 * reading its account from the venue first: an unknown symbol is refused without another request to the venue.
 */
function admissionTo(venueOf: GatewayServerPorts['venueOf'], declared: ResponseDeclaration) {
  const admit = (operation: Operation, request: FastifyRequest): Promise<void> | undefined => {
    const isOptional = operation.access === 'none-or-bearer';
    // An empty header counts as absent, as it does at the venue.
    if (operation.access === 'none' || (isOptional && !request.headers.authorization)) return undefined;
    demandBearer(request.raw);
    return isOptional
      ? venueOf(forwarded(operation, request), () => {})
          .accountId()
          .then(
            () => {},
            (thrown: unknown) => {
              throw declared.refusal(operation, thrown);
            },
          )
      : undefined;
  };
  return { to: (operation: Operation) => (request: FastifyRequest) => admit(operation, request), chargeFor: () => undefined };
}

function forwarded({ access }: Operation, { headers, id, clientAddress }: FastifyRequest): ForwardedRequest {
  const authorization = access === 'none' ? undefined : headers.authorization || undefined;
  return { authorization, requestId: id, clientAddress };
}
