/** A check of ours: of a method that ccxt 2.9.8 has no test of, or of what its test lets pass. */
import type { Stage, Surface } from './stage.ts';
import { describe } from './watched.ts';

export interface OwnCheck {
  readonly method: string;
  /** What holds. */
  readonly says: string;
  /** Where it is asked alone; else of the class and of `/v2`, where that has the method. */
  readonly on?: Surface;
  /** Why the account has nothing to check it by, where it has not. */
  lacking?(stage: Stage): Promise<string | undefined>;
  /** Throws when it does not. */
  run(stage: Stage): Promise<void>;
}

/** What is wrong by a check; empty when nothing is. */
export async function runOwn(check: OwnCheck, stage: Stage): Promise<readonly string[]> {
  try {
    await check.run(stage);
    return [];
  } catch (error) {
    return [`${check.says}: ${describe(error)}`];
  }
}
