/** Attacks that the searcher has found: what each takes without the rule that prevents it, and that it takes nothing with all rules. */
import { expect, test } from 'vitest';
import { RISK_RULES, type RiskRules } from '#venue/risk/risk-rules.ts';
import { episodeOf, play } from './episode.ts';
import { USD } from './market.ts';

interface Attack {
  readonly attack: string;
  readonly episode: string;
  readonly off: keyof RiskRules;
  /** What the colluders take from strangers, and what is left of it after their costs, in dollars. */
  readonly taken: number;
  readonly score: number;
}

const ATTACKS: readonly Attack[] = [
  {
    attack: 'large quotes and one large trade away from the index move the averaged mark past a thin book',
    episode: '321754 pair:1,1,-60,1000,50 catch:7,1,-20,34,50 pair:1,1,-30,1000,50 catch:8,1,-20,50,50',
    off: 'confirmsByIndex',
    taken: 6_072,
    score: 879,
  },
  {
    attack: 'an offer and one large trade away from the index move the averaged mark of an empty book',
    episode: '81 order:1,1,0,1,-30,20,50 catch:7,5,-20,100,50 wait:40 pair:1,1,-60,1500,50',
    off: 'confirmsByIndex',
    taken: 5_275,
    score: 3_409,
  },
  {
    attack: 'quotes in an empty book charge strangers a funding rate far from the index, and liquidate them by it',
    episode: '421h order:2,1,0,1,60,3000,33 order:3,1,0,1,60,3000,33 spoof:1,1,-60',
    off: 'boundsPremium',
    taken: 17_153,
    score: 15_387,
  },
];

function dollars(atoms: number): number {
  return Math.round(atoms / USD);
}

test.each(ATTACKS)('$attack, until $off prevents it', ({ episode, off, taken, score }) => {
  const before = play(episodeOf(episode), { ...RISK_RULES, [off]: false });
  expect([dollars(before.flows.liquidated), dollars(before.score)]).toEqual([taken, score]);
  const after = play(episodeOf(episode), RISK_RULES);
  expect(after.flows.liquidated).toBe(0);
  expect(after.score).toBeLessThanOrEqual(0);
});
