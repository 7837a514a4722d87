/**
 * The attack that no rule prevents (ADR 0104, 0107), with what it takes. A rule that prevents it turns the test red: then it moves to
 * `closed-attacks.test.ts`, and its path to the paths that every search uses.
 */
import { expect, test } from 'vitest';
import { RISK_RULES } from '#venue/risk/risk-rules.ts';
import { episodeOf, type Outcome, play } from './episode.ts';
import { USD } from './market.ts';

function played(text: string): Outcome {
  return play(episodeOf(text), RISK_RULES);
}

function dollars(atoms: number): number {
  return Math.round(atoms / USD);
}

/**
 * The loss beyond the margin is there, and a rule only says who bears it (ADR 0107). Margin bounds it: at 28 × it covers the step of 3.6 %,
 * but for what the position of the stranger lacks.
 */
test.each([
  { leverageX: 50, deleveraged: 14_172, score: 11_853 },
  { leverageX: 33, deleveraged: 4_974, score: 2_655 },
  { leverageX: 28, deleveraged: 143, score: -2_176 },
])('a pair at $leverageX × takes from deleveraged strangers what one step exceeds the margin of its loser by', (expected) => {
  const { score, flows } = played(`163h pair:1,1,0,1900,${expected.leverageX}`);
  expect(dollars(flows.covered)).toBe(0);
  expect([dollars(flows.deleveraged), dollars(score)]).toEqual([expected.deleveraged, expected.score]);
});
