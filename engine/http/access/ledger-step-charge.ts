/**
 * Charges what starts a step on the external ledger to `ledgerSteps`, besides the limit that has counted the request. The token is
 * taken first, so that requests at once start no more steps than the limit permits, and is given back if none started.
 */
import { Refused } from '#contract/refused.ts';
import { StoreUnavailable } from '#identity/store-unavailable.ts';
import { IdempotencyConflict, type Outcome, WriterBusy } from '#writer/port/submit.ts';

/**
 * Runs `start`, which submits the command of the step, or returns `undefined` if it submits none. Rejects with `rate_limited` before
 * that, or with what `start` rejects with. A repeated request is looked up before: its response needs no token.
 */
export type StartLedgerStep = (start: () => Promise<Outcome | undefined>) => Promise<Outcome | undefined>;

/** Takes a token and returns how to give it back. Rejects with {@link Refused} `rate_limited`. */
export type TakeToken = () => Promise<() => Promise<void>>;

export function ledgerStepCharge(take: TakeToken): StartLedgerStep {
  return async (start) => {
    const giveBack = await take();
    let outcome: Outcome | undefined;
    try {
      outcome = await start();
    } catch (error) {
      if (isBeforeTheCommand(error)) await giveBack();
      throw error;
    }
    if (outcome === undefined || outcome.replayed || isRefused(outcome)) await giveBack();
    return outcome;
  };
}

/** A halt leaves open whether the command was committed, and so does an internal error: the token stays taken. */
function isBeforeTheCommand(error: unknown): boolean {
  return [Refused, IdempotencyConflict, WriterBusy, StoreUnavailable].some((kind) => error instanceof kind);
}

function isRefused({ events }: Outcome): boolean {
  return events[0]?.type === 'CommandRefused';
}
