/**
 * Charges what starts a step on the external ledger to `ledgerSteps`, besides the limit that has counted the request. The token is
 * taken first, so that parallel requests start no more steps than the limit permits, and is given back if none started.
 */
import { Refused } from '#contract/refused.ts';
import { StoreUnavailable } from '#identity/store-unavailable.ts';
import { IdempotencyConflict, type Outcome, WriterBusy } from '#writer/port/submit.ts';

/**
 * Runs `start`, which submits the command of the step, or returns `undefined` if it submits none. Rejects with `rate_limited` before
 * that, or with what `start` rejects with. The caller looks up repeated requests first: their response needs no token.
 */
export type StartLedgerStep = <Started extends Outcome | undefined>(start: () => Promise<Started>) => Promise<Started>;

/** Takes a token and returns the function that gives it back. Rejects with {@link Refused} `rate_limited`. */
type TakeToken = () => Promise<() => Promise<void>>;

export function ledgerStepCharge(take: TakeToken): StartLedgerStep {
  return async <Started extends Outcome | undefined>(start: () => Promise<Started>) => {
    const giveBack = await take();
    let outcome: Started;
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

/** Whether the error shows that nothing was submitted. A halt or an internal error does not, so that the token stays taken. */
function isBeforeTheCommand(error: unknown): boolean {
  return [Refused, IdempotencyConflict, WriterBusy, StoreUnavailable].some((kind) => error instanceof kind);
}

function isRefused({ events }: Outcome): boolean {
  return events[0]?.type === 'CommandRefused';
}
