/**
 * Requests without an operation. They count by network like other unauthenticated requests; then a preflight gets the allowed
 * methods, and anything else gets 404 or 405.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '#contract/operation.ts';
import { Refused } from '#contract/refused.ts';
import { pathOf } from './address.ts';
import { PREFLIGHT_HEADERS } from './common-headers.ts';

/** Throws {@link Refused} `rate_limited`, or rejects with it. */
type Count = (request: FastifyRequest, reply: FastifyReply) => Promise<void> | undefined;

const READABLE = ['GET', 'HEAD'];

/** All paths with their methods. A hidden one does not count. */
export type Routes = readonly {
  readonly pattern: RegExp;
  readonly methods: readonly string[];
  readonly isHidden: () => boolean;
}[];

/** Routes of operations, and of paths that can only be read. */
export function routesOf(
  operations: readonly Operation[],
  readable: readonly string[] = [],
  isHidden: (operation: Operation) => boolean = () => false,
): Routes {
  const routed = operations.map((operation) => {
    const { path, method } = operation;
    return { pattern: patternOf(path), methods: method === 'GET' ? READABLE : [method], isHidden: () => isHidden(operation) };
  });
  return [...routed, ...readable.map((path) => ({ pattern: patternOf(path), methods: READABLE, isHidden: () => false }))];
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
}

/** For an `onRequest` hook, with requests without a route. Throws {@link Refused}, or passes it to `done`. */
export function replyToUnrouted(count: Count, routes: Routes) {
  return (request: FastifyRequest, reply: FastifyReply, done: (refused: Error) => void): void => {
    const counted = count(request, reply);
    if (counted === undefined) response(request, reply, routes);
    else counted.then(() => response(request, reply, routes)).catch(done);
  };
}

/** A preflight needs no bearer: a browser sends it before a page's request. */
function response(request: FastifyRequest, reply: FastifyReply, routes: Routes): void {
  const methods = methodsOf(request.url, routes);
  if (request.method !== 'OPTIONS' || methods.length === 0) throw unroutedRefusal(request, methods);
  const allow = methods.join(', ');
  reply.code(204).headers({ ...PREFLIGHT_HEADERS, 'access-control-allow-methods': allow, allow });
  reply.send();
}

/** A path that exists with another method gets 405 with the allowed ones; any other path gets 404. */
function unroutedRefusal({ method }: FastifyRequest, methods: readonly string[]): Refused {
  if (methods.length === 0) return new Refused('path_not_found');
  const allow = methods.join(', ');
  return new Refused('method_not_allowed', `The path exists, but not with ${method}: use ${allow}.`, { headers: { allow } });
}

/** The methods of a path; empty if it is unknown. */
function methodsOf(url: string, routes: Routes): readonly string[] {
  const path = pathOf(url);
  const methods = routes.filter((route) => route.pattern.test(path) && !route.isHidden()).flatMap((route) => route.methods);
  return methods.length === 0 ? [] : [...methods, 'OPTIONS'];
}
