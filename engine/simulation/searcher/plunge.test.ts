/** An attack on steps of the index that are faster than a book refills, which deleveraging at the mark prevents (ADR 0107). */
import { expect, test } from 'vitest';
import { RISK_RULES } from '#venue/risk/risk-rules.ts';
import { episodeOf, type Outcome, play } from './episode.ts';
import { USD } from './market.ts';

/** The index rises by 40 basis points a second. Account 3 bids between the bankruptcy price of account 1 and the mark. */
const EPISODE = episodeOf('66h pair:1,1,0,1900,50 rungs:2,1,10,10,34');
const WAITING = { ...RISK_RULES, deleveragesEarly: false };

function rounded({ score, flows }: Outcome): number[] {
  return [flows.covered, flows.deleveraged, score].map((atoms) => Math.round(atoms / USD));
}

test('the fund paid for the bids while positions waited for their bankruptcy', () => {
  expect(rounded(play(EPISODE, WAITING))).toEqual([3_837, 0, 1_359]);
});

test('the fund pays nothing, and the colluders lose a liquidation fee', () => {
  const [covered, deleveraged, score] = rounded(play(EPISODE, RISK_RULES));
  expect([covered, deleveraged]).toEqual([0, 0]);
  expect(score).toBeLessThan(0);
});
