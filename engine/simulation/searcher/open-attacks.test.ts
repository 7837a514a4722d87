/**
 * Attacks that the searcher has found and that no rule prevents yet (ADR 0104), each with what it takes today. A rule that prevents one turns
 * its test red: then the attack moves to `closed-attacks.test.ts`, and its path to the paths that every search uses.
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

test('a pair takes from deleveraged strangers when one step of the index exceeds the margin of its loser', () => {
  const { score, flows } = played('163h pair:1,1,0,1900,50');
  expect([dollars(flows.covered), dollars(flows.deleveraged)]).toEqual([0, 14_172]);
  expect(dollars(score)).toBe(11_853);
});

test('quotes at the end of the band liquidate strangers in an empty book by the funding that they pay for it', () => {
  const { score, flows } = played('294851h order:1,1,0,1,65,1900,50 spoof:1,1,-60');
  expect(dollars(flows.liquidated)).toBe(7_323);
  expect(dollars(score)).toBe(6_490);
});
