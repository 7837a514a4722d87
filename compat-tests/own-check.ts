/** A check of ours: of a method that ccxt 2.9.8 has no test of, or of what its test lets pass. */
import type { Stage } from './stage.ts';

export interface OwnCheck {
  readonly method: string;
  /** What holds. */
  readonly says: string;
  /** Throws when it does not. */
  run(stage: Stage): Promise<void>;
}
