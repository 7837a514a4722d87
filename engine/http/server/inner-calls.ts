/**
 * Operations called from inside, by what stands for a caller: parsed by their declarations and answered by the handlers that answer
 * requests, for the principal of the request that they are made for. That one was admitted and counted, so they are not again.
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

/** Of a request that is translated: its principal, if it has one, and what its caller reads. */
export type Caller = Pick<Call<Operation>, 'ask' | 'askUnified'> & { readonly principal?: Principal | undefined };

/** The venue as the caller of a request has it. Headers of answers go to the reply. */
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
        // What was written out where it was read is read back here.
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
