/** A submission on its way: what was asked, and the promise that its caller holds. */
import type { Committed, Submission } from './submit.ts';

export interface Waiting extends PromiseWithResolvers<Committed> {
  readonly submission: Submission;
}
