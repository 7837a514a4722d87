/**
 * Searches for attacks. `OPENPERP_SEARCHER_EPISODES=10000 npm test -- engine/simulation/searcher` sets the episodes with all rules on (200 by
 * default), OPENPERP_SEARCHER_SEED the first seed, OPENPERP_SEARCHER_PATHS=harsh the paths on which attacks are open, and fast steps;
 * =fast or =squeeze only those.
 * `OPENPERP_SEARCHER_EPISODE='…'` repeats one episode, with the rules of OPENPERP_SEARCHER_OFF off.
 */
import { describe, expect, test } from 'vitest';
import { RISK_RULES, type RiskRules } from '#venue/risk/risk-rules.ts';
import { type Episode, episodeOf, play, textOf } from './episode.ts';
import { MOVE_NAMES } from './moves.ts';
import { reportOf } from './report.ts';
import { type Finding, type Search, search } from './search.ts';
import { shrunk } from './shrink.ts';
import { FAST_PATHS } from './stage.ts';

const ONLY = process.env.OPENPERP_SEARCHER_EPISODE;
const OFF = process.env.OPENPERP_SEARCHER_OFF?.split(',') ?? [];
const EPISODES = Number(process.env.OPENPERP_SEARCHER_EPISODES ?? 200);
const PATHS = process.env.OPENPERP_SEARCHER_PATHS;
const SEARCHED = {
  isHarsh: PATHS !== undefined,
  ...(PATHS === 'fast' && { only: FAST_PATHS }),
  ...(PATHS === 'squeeze' && { only: ['squeeze'] as const }),
};
const FIRST_SEED = Number(process.env.OPENPERP_SEARCHER_SEED ?? 1);
/** A search forgets what it has found after so many episodes, so that it does not follow one idea for all of them. */
const PER_SEED = 1_000;
/** The budget for an attack that is known: one of these searches of 200 episodes finds it. */
const BUDGET = 200;
const SEARCHES = 12;

function without(...names: readonly string[]): RiskRules {
  return { ...RISK_RULES, ...Object.fromEntries(names.map((name) => [name, false])) };
}

/** Throws the listing of the finding's smallest form. */
function fail({ episode }: Finding, rules: RiskRules): never {
  const smallest = shrunk(episode, (candidate) => play(candidate, rules).score > 0);
  throw new Error(reportOf(smallest, rules));
}

test(ONLY === undefined ? `finds no attack on the rules in ${EPISODES} episodes` : 'repeats an episode', {
  timeout: 600_000 + EPISODES * 1_000,
}, () => {
  if (ONLY !== undefined) {
    const rules = without(...OFF);
    console.log(reportOf(episodeOf(ONLY), rules));
    expect(play(episodeOf(ONLY), rules).score).toBeLessThanOrEqual(0);
    return;
  }
  for (let from = 0; from < EPISODES; from += PER_SEED) {
    const seed = FIRST_SEED + from / PER_SEED;
    const episodes = Math.min(PER_SEED, EPISODES - from);
    const found = search({ seed, episodes, rules: RISK_RULES, ...SEARCHED });
    if (found !== undefined) fail(found, RISK_RULES);
  }
});

describe('a search without a rule', () => {
  /**
   * `also` is off with and without the rule: while the fund is bounded, it does not pay for half of a position; while liquidations wait for the
   * index, no mark takes anything, and while they go in steps, no quote far from the index does.
   */
  test.each([
    { attack: 'harvests the fund (1)', off: 'boundsFund', also: [], from: 1 },
    { attack: 'keeps what the fund paid for (2)', off: 'clawsBack', also: ['boundsFund', 'stepsLimit'], from: 12 },
    { attack: 'liquidates strangers by a trade of one lot (3)', off: 'averagesMark', also: ['confirmsByIndex'], from: 1 },
    { attack: 'liquidates strangers by the averaged mark', off: 'confirmsByIndex', also: ['stepsLimit'], from: 9 },
    { attack: 'suppresses funding with dust (6)', off: 'walksLevels', also: [], from: 1 },
    { attack: 'saves the liquidation fee with a stub (7)', off: 'chargesFeeByFill', also: [], from: 1 },
  ])('finds an episode that $attack, which the rule prevents', ({ off, also, from }) => {
    expect(firstFinding({ rules: without(off, ...also), preventedBy: without(...also) }, from)).toBeDefined();
  });

  test('finds an episode that takes the rest of a fast step (8), which the rule prevents', () => {
    const rules = without('deleveragesEarly');
    expect(firstFinding({ rules, preventedBy: RISK_RULES, isHarsh: true, only: FAST_PATHS })).toBeDefined();
  });
});

/** Searches from one seed, then from the next ones: a change of the rules may let another seed find it first. */
function firstFinding(of: Omit<Search, 'seed' | 'episodes'>, from = 1): Finding | undefined {
  for (let seed = from; seed < from + SEARCHES; seed += 1) {
    const found = search({ seed, episodes: BUDGET, ...of });
    if (found !== undefined) return found;
  }
  return undefined;
}

describe('a finding', () => {
  const rules = without('boundsFund');
  const found = firstFinding({ rules })!;

  test('is the same for the same seed, and repeats from its text', () => {
    expect(firstFinding({ rules })).toEqual(found);
    expect(episodeOf(textOf(found.episode))).toEqual(found.episode);
  });

  test('shrinks to steps of which none is superfluous', () => {
    const scores = (episode: Episode): boolean => play(episode, rules).score > 0;
    const transfer = { move: 'transfer', values: [4, 1, 1] } as const;
    const padded = { ...found.episode, steps: found.episode.steps.flatMap((step) => [transfer, step, transfer]) };
    const { steps } = shrunk(padded, scores);
    expect(steps.length).toBeLessThanOrEqual(found.episode.steps.length);
    for (const [at] of steps.entries())
      expect(scores({ ...padded, steps: steps.filter((_, place) => place !== at) }), `${at}`).toBe(false);
  });

  test('is reported with the command that repeats it, its moves and its flows', () => {
    const report = reportOf(found.episode, rules);
    expect(report).toContain(
      `OPENPERP_SEARCHER_EPISODE='${textOf(found.episode)}' OPENPERP_SEARCHER_OFF=boundsFund npm test -- `,
    );
    expect(report).toMatch(/second \d+: index \d+, mark \d+/);
    expect(report).toMatch(/\d+\.\d\d {2}the fund pays for closes/);
    expect(() => fail(found, rules)).toThrow(/the colluders take \d/);
  });
});

test('an unknown move is refused with the moves that exist', () => {
  expect(() => episodeOf('7 fly:1')).toThrow(`unknown move 'fly'; moves are ${MOVE_NAMES.join(', ')}`);
});
