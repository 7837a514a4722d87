/** An episode: a stage and the steps of the colluders. It has a text form, which repeats it. */
import type { RiskRules } from '#venue/risk/risk-rules.ts';
import { MOVE_NAMES, MOVES, type MoveName } from './moves.ts';
import { HARSH_PATHS, PATHS, type Path, stageOf } from './stage.ts';
import { Table } from './table.ts';
import { type Flows, wealthChangeOf } from './takings.ts';

export interface Step {
  readonly move: MoveName;
  readonly values: readonly number[];
}

export interface Episode {
  readonly stage: number;
  /** Whether the stage has one of the harsh paths. */
  readonly isHarsh: boolean;
  readonly steps: readonly Step[];
}

export interface Outcome {
  /** Money atoms. */
  readonly score: number;
  readonly flows: Flows;
}

export function pathsOf({ isHarsh }: Pick<Episode, 'isHarsh'>): readonly Path[] {
  return isHarsh ? HARSH_PATHS : PATHS;
}

/** Plays an episode. `prepare` receives the table before the first step, for example to observe it. */
export function play(episode: Episode, rules: RiskRules, prepare: (table: Table) => void = () => undefined): Outcome {
  const table = new Table(stageOf(episode.stage, pathsOf(episode)), rules);
  prepare(table);
  const before = table.wealth();
  for (const { move, values } of episode.steps) MOVES[move].play(table, values);
  table.finish();
  const { flows, score } = table.takings;
  const change = table.wealth() - before;
  // The definition of the score is only as good as its accounts: no money may be missing in them.
  if (change !== wealthChangeOf(flows))
    throw new Error(`flows of ${wealthChangeOf(flows)} atoms do not explain a change of ${change}`);
  return { score, flows };
}

/** For example `17 pair:1,2,0,1900,50 wait:5`; a stage with a harsh path is `17h`. */
export function textOf({ stage, isHarsh, steps }: Episode): string {
  return [`${stage}${isHarsh ? 'h' : ''}`, ...steps.map(({ move, values }) => [move, values.join(',')].join(':'))].join(' ');
}

export function episodeOf(text: string): Episode {
  const [stage = '', ...steps] = text.trim().split(/\s+/);
  return {
    stage: Number.parseInt(stage, 10),
    isHarsh: stage.endsWith('h'),
    steps: steps.map((step) => {
      const [move = '', values = ''] = step.split(':');
      if (!MOVE_NAMES.includes(move as MoveName)) throw new Error(`unknown move '${move}'; moves are ${MOVE_NAMES.join(', ')}`);
      return { move: move as MoveName, values: values.split(',').map(Number) };
    }),
  };
}
