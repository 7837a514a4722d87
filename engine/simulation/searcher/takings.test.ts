/** What counts as taken: honest trading and luck do not, and no money is missing in the accounts. */
import { expect, test } from 'vitest';
import { seededRandom } from '#simulation/seeded-random.ts';
import { RISK_RULES, type RiskRules } from '#venue/risk/risk-rules.ts';
import { draw } from './argument.ts';
import { type Episode, episodeOf, type Outcome, play } from './episode.ts';
import { USD } from './market.ts';
import { MOVES, type MoveName } from './moves.ts';
import { HARSH_PATHS, PATHS, type Path, stageOf } from './stage.ts';
import { scoreOf, takenOf, wealthChangeOf } from './takings.ts';

/** The first stage with a path. */
function stageWith(path: Path, accepts: (stage: ReturnType<typeof stageOf>) => boolean = () => true): string {
  const isHarsh = !(PATHS as readonly Path[]).includes(path);
  const paths = isHarsh ? HARSH_PATHS : PATHS;
  for (let seed = 1; ; seed += 1) {
    const stage = stageOf(seed, paths);
    if (stage.path === path && accepts(stage)) return `${seed}${isHarsh ? 'h' : ''}`;
  }
}

function played(text: string, rules: RiskRules = RISK_RULES): Outcome {
  return play(episodeOf(text), rules);
}

const hasMakers = ({ levels }: { readonly levels: readonly unknown[] }): boolean => levels.length > 0;

test('does not count a gain by the index', () => {
  const { score, flows } = played(`${stageWith('rise', hasMakers)} take:1,0,50,5`);
  expect(flows.index).toBeGreaterThan(0);
  expect(takenOf(flows)).toBe(0);
  expect(score).toBeLessThan(0);
});

test('does not count what the fund covers of a loss that the colluders bear themselves', () => {
  const isFalling = ({ index, levels }: ReturnType<typeof stageOf>): boolean => hasMakers({ levels }) && index.at(-1)! < 98_000;
  const { score, flows } = played(`${stageWith('gap', isFalling)} take:1,0,50,50`);
  expect(flows.index).toBeLessThan(0);
  expect(score).toBeLessThan(0);
});

test('does not count a bid for a stranger whom the index has liquidated', () => {
  const isLong = ({ strangers, levels }: ReturnType<typeof stageOf>): boolean => levels.length === 0 && strangers[0]!.isLong;
  const { score, flows } = played(`${stageWith('fall', isLong)} catch:7,1,-4,100,10 catch:8,1,-4,100,10`);
  expect(flows.market).toBeGreaterThan(0);
  expect(flows.liquidated).toBe(0);
  expect(score).toBeLessThan(0);
});

test('counts a liquidation at a price that funding has moved, though the index reaches it', () => {
  const quotes = 'order:2,1,0,1,-60,20,50 order:3,0,0,1,-62,20,50 wait:38 cancel:2 cancel:3';
  const rules = { ...RISK_RULES, stepsLimit: false };
  expect(played(`294851h order:1,1,0,1,65,1900,50 ${quotes}`, rules).flows.liquidated).toBeGreaterThan(7_000 * USD);
});

/** One account alone: no other trades with it by agreement. */
const HONEST: readonly MoveName[] = ['order', 'exit', 'take', 'close', 'cancel', 'wait'];

test('does not count what one account does alone', () => {
  const random = seededRandom(1);
  for (let seed = 1; seed <= 150; seed += 1) {
    const steps = Array.from({ length: 8 }, () => {
      const move = HONEST[Math.floor(random() * HONEST.length)]!;
      const values = MOVES[move].arguments.map((of) => (of.name === 'account' ? 1 : draw(random, of)));
      return { move, values };
    });
    const episode: Episode = { stage: seed, isHarsh: false, steps };
    expect(Math.max(0, play(episode, RISK_RULES).score), JSON.stringify(episode)).toBe(0);
  }
});

test('explains every change of the colluders wealth', () => {
  const { flows } = played(`${stageWith('gap')} pair:1,1,0,1900,50 take:3,0,50,50 rungs:1,1,0,4,34 rungs:2,1,0,4,34`);
  // `play` compares the flows with the wealth of the accounts. Here all kinds of them occur.
  expect(wealthChangeOf(flows)).not.toBe(0);
  expect(scoreOf({ ...flows, market: flows.market + 1 })).toBe(scoreOf(flows));
});
