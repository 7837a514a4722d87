/** Attacks that the searcher has found: what each takes without the rule that prevents it, and that it takes nothing with all rules. */
import { expect, test } from 'vitest';
import { RISK_RULES, type RiskRules } from '#venue/risk/risk-rules.ts';
import { episodeOf, play } from './episode.ts';
import { USD } from './market.ts';
import { STRANGER_ACCOUNTS, type Table } from './table.ts';

interface Attack {
  readonly attack: string;
  readonly episode: string;
  readonly off: readonly (keyof RiskRules)[];
  /** What the colluders take from strangers, and what is left of it after their costs, in dollars. */
  readonly taken: number;
  readonly score: number;
}

const ATTACKS: readonly Attack[] = [
  {
    attack: 'large quotes and one large trade away from the index move the averaged mark past a thin book',
    episode: '321754 pair:1,1,-60,1000,50 catch:7,1,-20,34,50 pair:1,1,-30,1000,50 catch:8,1,-20,50,50',
    off: ['confirmsByIndex', 'stepsLimit'],
    taken: 6_072,
    score: 879,
  },
  {
    attack: 'an offer and one large trade away from the index move the averaged mark of an empty book',
    episode: '81 order:1,1,0,1,-30,20,50 catch:7,5,-20,100,50 wait:40 pair:1,1,-60,1500,50',
    off: ['confirmsByIndex', 'stepsLimit'],
    taken: 5_275,
    score: 3_409,
  },
  {
    attack: 'quotes in an empty book charge strangers a funding rate far from the index, and liquidate them by it',
    episode: '421h order:2,1,0,1,60,3000,33 order:3,1,0,1,60,3000,33 spoof:1,1,-60',
    off: ['boundsPremium', 'stepsLimit'],
    taken: 17_153,
    score: 15_387,
  },
  {
    attack: 'quotes at the end of the band liquidate strangers in an empty book by the funding that they pay for it',
    episode: '294851h order:1,1,0,1,65,1900,50 spoof:1,1,-60',
    off: ['stepsLimit'],
    taken: 7_323,
    score: 6_490,
  },
];

function dollars(atoms: number): number {
  return Math.round(atoms / USD);
}

test.each(ATTACKS)('$attack, until $off prevents it', ({ episode, off, taken, score }) => {
  const before = play(episodeOf(episode), { ...RISK_RULES, ...Object.fromEntries(off.map((rule) => [rule, false])) });
  expect([dollars(before.flows.liquidated), dollars(before.score)]).toEqual([taken, score]);
  const after = play(episodeOf(episode), RISK_RULES);
  expect(after.flows.liquidated).toBeLessThanOrEqual(0);
  expect(after.score).toBeLessThanOrEqual(0);
});

/** The bid is that of one account alone, and the index reaches the strangers: so the score counts nothing. Their loss shows what it takes. */
test('the only bid of a thin book closes strangers at their bankruptcy price, until stepsLimit prevents it', () => {
  const strangersAfter = (steps: string, rules: RiskRules): number => {
    let table: Table | undefined;
    play(episodeOf(`16937 ${steps}`), rules, (of) => {
      table = of;
    });
    return table!.wealth(STRANGER_ACCOUNTS);
  };
  const lossOf = (rules: RiskRules): number =>
    dollars(strangersAfter('wait:1', rules) - strangersAfter('catch:8,1,0,100,50 catch:7,1,-20,100,50', rules));
  expect(lossOf({ ...RISK_RULES, stepsLimit: false })).toBe(16_563);
  expect(lossOf(RISK_RULES)).toBe(0);
});
