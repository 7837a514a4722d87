/**
 * What is asked where no operation is. It counts like any stranger's request before it is looked at; then a browser hears what may be
 * asked there, and everyone else that there is no such path or method.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '#contract/operation.ts';
import { Refused } from '#contract/refused.ts';
import { pathOf } from './address.ts';
import { PREFLIGHT_HEADERS } from './answer-headers.ts';

/** Throws {@link Refused} `rate_limited`, or rejects with it. */
type Count = (request: FastifyRequest, reply: FastifyReply) => Promise<void> | undefined;

const READABLE = ['GET', 'HEAD'];

/** What paths there are, and what each can be asked with. */
export type Routes = readonly { readonly pattern: RegExp; readonly methods: readonly string[] }[];

/** Of operations, and of paths that are there to be read. */
export function routesOf(operations: readonly Operation[], readable: readonly string[] = []): Routes {
  return [
    ...operations.map(({ path, method }) => ({ pattern: patternOf(path), methods: method === 'GET' ? READABLE : [method] })),
    ...readable.map((path) => ({ pattern: patternOf(path), methods: READABLE })),
  ];
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
}

/** For a hook `onRequest`, of requests that are of no route. Throws {@link Refused}, or hands it on. */
export function answerUnrouted(count: Count, routes: Routes) {
  return (request: FastifyRequest, reply: FastifyReply, done: (refused: Error) => void): void => {
    const counted = count(request, reply);
    if (counted === undefined) answer(request, reply, routes);
    else counted.then(() => answer(request, reply, routes)).catch(done);
  };
}

/** Anyone may ask what may be asked: a browser does before it sends what a page wants. */
function answer(request: FastifyRequest, reply: FastifyReply, routes: Routes): void {
  const methods = methodsOf(request.url, routes);
  if (request.method !== 'OPTIONS' || methods.length === 0) throw refusalOf(request, methods);
  const allow = methods.join(', ');
  reply.code(204).headers({ ...PREFLIGHT_HEADERS, 'access-control-allow-methods': allow, allow });
  reply.send();
}

/** A path that exists with another method answers 405 and says which; any other path answers 404. */
function refusalOf({ method }: FastifyRequest, methods: readonly string[]): Refused {
  if (methods.length === 0) return new Refused('path_not_found');
  const allow = methods.join(', ');
  return new Refused('method_not_allowed', `The path exists, but not with ${method}: use ${allow}.`, { headers: { allow } });
}

/** What a path can be asked with; nothing where there is no such path. */
function methodsOf(url: string, routes: Routes): readonly string[] {
  const path = pathOf(url);
  const methods = routes.filter(({ pattern }) => pattern.test(path)).flatMap((route) => route.methods);
  return methods.length === 0 ? [] : [...methods, 'OPTIONS'];
}
