/** Our own checks, of methods that ccxt 2.9.8 does not test, or tests too loosely. */
import type { Stage, Surface } from './stage.ts';
import { describe } from './watched.ts';

export interface OwnCheck {
  readonly method: string;
  /** The property that holds. */
  readonly description: string;
  /** Runs only on this surface; by default on the class and on `/v2` if it has the method. */
  readonly on?: Surface;
  /** Why the account has no data for the check; undefined if it has. */
  lacking?(stage: Stage): Promise<string | undefined>;
  /** Throws if the property does not hold. */
  run(stage: Stage): Promise<void>;
}

/** The problems found by a check; empty if there are no problems. */
export async function runOwn(check: OwnCheck, stage: Stage): Promise<readonly string[]> {
  try {
    await check.run(stage);
    return [];
  } catch (error) {
    return [`${check.description}: ${describe(error)}`];
  }
}
