/**
 * Calls operations from inside: parses by their declarations and runs their handlers, with the principal of the request being
 * translated. That request has passed admission, so the calls are not.
 */
import type { FastifyReply } from 'fastify';
import type { Operation, Outcome, RenderedBody } from '#contract/operation.ts';
import { type ParseResult, parseBody, parsePath, parseQuery } from '#contract/parse.ts';
import { Refused } from '#contract/refused.ts';
import { CALLED, type CalledId, type CallResult, type TranslatedLists, type Venue, type VenueCall } from '#gateway/port.ts';
import type { Principal } from '#identity/directory.ts';
import { isRendered, parseRendered, type RenderedReads } from '#reads/resource-reads.ts';
import { renderAccountId } from '#units/ids.ts';
import type { Call, Handlers } from './binding.ts';

/** The principal of the translated request, if any, and its caller's reads. */
export type Caller = Pick<Call<Operation>, 'reads' | 'unifiedReads'> & { readonly principal?: Principal | undefined };

/** The venue for the caller of a request. Copies response headers to the reply. */
export function innerCalls(handlers: Pick<Handlers, CalledId>) {
  return (caller: Caller, reply?: FastifyReply): Venue => {
    const bodyOf = async <Id extends CalledId>(
      id: Id,
      { params, query, body, idempotencyKey }: VenueCall<Id>,
      reads: RenderedReads,
    ) => {
      const operation: Operation = CALLED[id];
      const call = {
        params: rethrowAsRefusal(parsePath(operation, params ?? {})),
        query: rethrowAsRefusal(parseQuery(operation, query ?? {})),
        body: rethrowAsRefusal(parseBody(operation, body)),
        idempotencyKey,
        principal: caller.principal,
        reads,
      };
      const response = (await handlers[id](call as never)) as Outcome<Operation>;
      if ('headers' in response && response.headers !== undefined) reply?.headers(response.headers);
      return response.body;
    };
    return {
      accountId: async () => renderAccountId(caller.principal!.account),
      call: async <Id extends CalledId>(id: Id, request: VenueCall<Id>) => {
        const body = await bodyOf(id, request, caller.reads);
        // Parses a body that the reading thread rendered.
        return (isRendered(body) ? parseRendered(body) : body) as CallResult<Id>;
      },
      translated: async <Id extends keyof TranslatedLists>(id: Id, request: VenueCall<Id>) =>
        (await bodyOf(id, request, caller.unifiedReads)) as RenderedBody<TranslatedLists[Id]>,
    };
  };
}

function rethrowAsRefusal<Value>(parsed: ParseResult<Value>): Value {
  if ('fault' in parsed) throw new Refused('invalid_request', parsed.fault);
  return parsed.value;
}
