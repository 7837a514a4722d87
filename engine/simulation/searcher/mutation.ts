/** New episodes: assembled from moves at random, or changed from episodes that took something. */
import type { Random } from '#simulation/seeded-random.ts';
import { BY, colluderAfter, draw, PARTY, vary } from './argument.ts';
import type { Episode, Step } from './episode.ts';
import { MOVE_NAMES, MOVES, type MoveName } from './moves.ts';
import { stageOf } from './stage.ts';

const STAGES = 1_000_000;
const MAX_STEPS = 14;
const TOTAL_WEIGHT = MOVE_NAMES.reduce((sum, name) => sum + MOVES[name].weight, 0);

/** The moves of known attacks, without their values, and the paths on which they can succeed. */
const SKETCHES: readonly { readonly moves: readonly MoveName[]; readonly paths: RegExp }[] = [
  { moves: ['pair', 'catch'], paths: /fall|rise/ },
  { moves: ['pair', 'rungs'], paths: /fall|rise/ },
  { moves: ['pair', 'catch', 'wait', 'close'], paths: /return/ },
  { moves: ['pair', 'stub'], paths: /fall|rise/ },
  { moves: ['sweep', 'spoof', 'catch'], paths: /calm|noise/ },
  { moves: ['pair', 'spoof', 'catch'], paths: /calm|noise/ },
  { moves: ['take', 'dust'], paths: /premium/ },
  { moves: [], paths: /./ },
  { moves: [], paths: /./ },
];

/** Moves of a sketch and of chance, with values of chance. */
export function randomEpisode(random: Random, isHarsh: boolean): Episode {
  const { moves, paths } = SKETCHES[Math.floor(random() * SKETCHES.length)]!;
  let stage = newStage(random);
  if (!isHarsh) while (!paths.test(stageOf(stage).path)) stage = newStage(random);
  const steps = moves.map((move) => stepOf(random, move));
  for (let left = Math.floor(random() * 4); left > 0 || steps.length < 2; left -= 1)
    steps.splice(Math.floor(random() * (steps.length + 1)), 0, randomStep(random));
  return { stage, isHarsh, steps: steps.map((step) => met(random, step, steps)) };
}

/** Usually aims a move at an account of the other moves. */
function met(random: Random, step: Step, steps: readonly Step[]): Step {
  const at = MOVES[step.move].arguments.indexOf(PARTY);
  if (at < 0 || random() < 0.3) return step;
  const other = steps[Math.floor(random() * steps.length)]!;
  const [account, by] = other.values;
  if (MOVES[other.move].arguments[1] !== BY) return step;
  const party = random() < 0.5 ? account! : colluderAfter(account!, by!);
  return { ...step, values: step.values.map((value, place) => (place === at ? party : value)) };
}

/** Changes one episode in one to three ways; sometimes its tail is that of `other`. */
export function mutated(random: Random, episode: Episode, other: Episode): Episode {
  let { stage, steps } = episode;
  if (random() < 0.15) {
    const at = Math.floor(random() * (steps.length + 1));
    steps = [...steps.slice(0, at), ...other.steps.slice(Math.floor(random() * other.steps.length))];
    if (random() < 0.5) ({ stage } = other);
  }
  for (let changes = 1 + Math.floor(random() * 3); changes > 0; changes -= 1) steps = changed(random, steps);
  if (random() < 0.25) stage = newStage(random);
  return { ...episode, stage, steps: steps.slice(0, MAX_STEPS) };
}

function newStage(random: Random): number {
  return Math.floor(random() * STAGES);
}

function changed(random: Random, steps: readonly Step[]): readonly Step[] {
  const at = Math.floor(random() * steps.length);
  const kind = random();
  if (steps.length === 0 || kind < 0.25) return [...steps.slice(0, at), randomStep(random), ...steps.slice(at)];
  if (kind < 0.4) return steps.filter((_, place) => place !== at);
  if (kind < 0.5) return [...steps.slice(0, at), ...steps.slice(at + 1), steps[at]!];
  return steps.map((step, place) => (place === at ? varied(random, step) : step));
}

function varied(random: Random, { move, values }: Step): Step {
  const { arguments: list } = MOVES[move];
  const at = Math.floor(random() * list.length);
  return { move, values: values.map((value, place) => (place === at ? vary(random, list[at]!, value) : value)) };
}

function randomStep(random: Random): Step {
  let left = random() * TOTAL_WEIGHT;
  for (const name of MOVE_NAMES) {
    left -= MOVES[name].weight;
    if (left < 0) return stepOf(random, name);
  }
  return stepOf(random, 'wait');
}

function stepOf(random: Random, move: MoveName): Step {
  return { move, values: MOVES[move].arguments.map((of) => draw(random, of)) };
}
