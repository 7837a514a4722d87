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
import { type Ask, readBack } from './answers.ts';
import type { Handlers } from './binding.ts';

/** Of a request that is translated: its principal, if it has one, and what its caller reads. */
export interface Caller {
  readonly principal?: Principal | undefined;
  readonly ask: Ask;
}

/** The venue as the caller of a request has it. Headers of answers go to the reply. */
export function innerCalls(handlers: Pick<Handlers, CalledId>) {
  return (caller: Caller, reply?: FastifyReply): Venue => ({
    accountId: async () => renderAccountId(caller.principal!.account),
    call: async <Id extends CalledId>(id: Id, { params, query, body, idempotencyKey }: Asked<Id>) => {
      const operation: Operation = CALLED[id];
      const call = {
        params: orRefuse(parsePath(operation, params ?? {})),
        query: orRefuse(parseQuery(operation, query ?? {})),
        body: orRefuse(parseBody(operation, body)),
        idempotencyKey,
        principal: caller.principal,
        get ask() {
          return caller.ask;
        },
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
