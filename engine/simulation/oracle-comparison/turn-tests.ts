/** What tests of occurrences look at. */
import type { Fact, World } from '#oracle/world.ts';

/** One command's facts, and the world before and after it. */
export interface Turn {
  readonly before: World;
  readonly after: World;
  readonly facts: readonly Fact[];
}

export type Test = (turn: Turn) => boolean;

export function some(type: string, matches: (fact: Fact) => boolean = () => true): Test {
  return ({ facts }) => facts.some((fact) => fact.type === type && matches(fact));
}
