/**
 * A submission in progress: the request, and the promise that its caller awaits. There are many, so it allocates nothing else.
 */
import type { Outcome, Submission } from './submit.ts';

type Resolve = (outcome: Outcome) => void;
type Reject = (cause: unknown) => void;

export class Waiting {
  readonly submission: Submission;
  readonly promise: Promise<Outcome>;
  readonly resolve: Resolve;
  readonly reject: Reject;
  /** The next one in the same slot of `pending-keys.ts`. */
  next: Waiting | undefined = undefined;

  constructor(submission: Submission) {
    this.submission = submission;
    this.promise = new Promise(takeSettlers);
    this.resolve = takenResolve;
    this.reject = takenReject;
  }
}

let takenResolve: Resolve;
let takenReject: Reject;

/** One shared executor for all promises: it runs before `new Promise` returns. */
function takeSettlers(resolve: Resolve, reject: Reject): void {
  takenResolve = resolve;
  takenReject = reject;
}
