/**
 * Operations called from inside, by what stands for a caller: parsed by their declarations and answered by the handlers that answer
 * requests, for the principal of the request that they are made for. That one was admitted and counted, so they are not again.
 */
import type { FastifyReply } from 'fastify';
import type { Operation, Outcome, Rendered } from '#contract/operation.ts';
import { type Parsed, parseBody, parsePath, parseQuery } from '#contract/parse.ts';
import { Refused } from '#contract/refused.ts';
import { type Answered, type Asked, CALLED, type CalledId, type Venue } from '#gateway/port.ts';
import type { Principal } from '#identity/directory.ts';
import { renderAccountId } from '#units/ids.ts';
import { readBack } from './answers.ts';
import type { Handlers } from './binding.ts';

/** The venue as the principal of a request has it; as anyone has it, where there is none. Headers of answers go to the reply. */
export function innerCalls(handlers: Pick<Handlers, CalledId>) {
  return (principal?: Principal, reply?: FastifyReply): Venue => ({
    accountId: async () => renderAccountId(principal!.account),
    call: async <Id extends CalledId>(id: Id, { params, query, body, idempotencyKey }: Asked<Id>) => {
      const operation: Operation = CALLED[id];
      const call = {
        params: orRefuse(parsePath(operation, params ?? {})),
        query: orRefuse(parseQuery(operation, query ?? {})),
        body: orRefuse(parseBody(operation, body)),
        idempotencyKey,
        principal,
      };
      const answer = (await handlers[id](call as never)) as Outcome<Operation>;
      if ('headers' in answer && answer.headers !== undefined) reply?.headers(answer.headers);
      const { body: answered } = answer;
      const isWrittenOut = typeof answered === 'string' || answered instanceof Uint8Array;
      return (isWrittenOut ? readBack(answered as Rendered<Answered<Id>>) : answered) as Answered<Id>;
    },
  });
}

function orRefuse<Value>(parsed: Parsed<Value>): Value {
  if ('fault' in parsed) throw new Refused('invalid_request', parsed.fault);
  return parsed.value;
}
