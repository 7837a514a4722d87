/**
 * Calls operations from inside: parses by their declarations and runs their handlers, with the principal of the request being
 * translated. That request has passed admission, so the calls are not.
 */
import type { FastifyReply } from 'fastify';
import type { Operation, Outcome, Rendered } from '#contract/operation.ts';
import { type Parsed, parseBody, parsePath, parseQuery } from '#contract/parse.ts';
import { Refused } from '#contract/refused.ts';
import { type Answered, type Asked, CALLED, type CalledId, type TranslatedLists, type Venue } from '#gateway/port.ts';
import type { Principal } from '#identity/directory.ts';
import { type Ask, isRendered, readBack } from '#reads/answers.ts';
import { renderAccountId } from '#units/ids.ts';
import type { Call, Handlers } from './binding.ts';

/** The principal of the translated request, if any, and its caller's reads. */
export type Caller = Pick<Call<Operation>, 'ask' | 'askUnified'> & { readonly principal?: Principal | undefined };

/** The venue for the caller of a request. Copies response headers to the reply. */
export function innerCalls(handlers: Pick<Handlers, CalledId>) {
  return (caller: Caller, reply?: FastifyReply): Venue => {
    const bodyOf = async <Id extends CalledId>(id: Id, { params, query, body, idempotencyKey }: Asked<Id>, ask: Ask) => {
      const operation: Operation = CALLED[id];
      const call = {
        params: orRefuse(parsePath(operation, params ?? {})),
        query: orRefuse(parseQuery(operation, query ?? {})),
        body: orRefuse(parseBody(operation, body)),
        idempotencyKey,
        principal: caller.principal,
        ask,
      };
      const answer = (await handlers[id](call as never)) as Outcome<Operation>;
      if ('headers' in answer && answer.headers !== undefined) reply?.headers(answer.headers);
      return answer.body;
    };
    return {
      accountId: async () => renderAccountId(caller.principal!.account),
      call: async <Id extends CalledId>(id: Id, asked: Asked<Id>) => {
        const body = await bodyOf(id, asked, caller.ask);
        // Parses a body that the reading thread rendered.
        return (isRendered(body) ? readBack(body) : body) as Answered<Id>;
      },
      translated: async <Id extends keyof TranslatedLists>(id: Id, asked: Asked<Id>) =>
        (await bodyOf(id, asked, caller.askUnified)) as Rendered<TranslatedLists[Id]>,
    };
  };
}

function orRefuse<Value>(parsed: Parsed<Value>): Value {
  if ('fault' in parsed) throw new Refused('invalid_request', parsed.fault);
  return parsed.value;
}
