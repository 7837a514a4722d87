/** Shrinks an episode while it keeps a property: first steps are removed, then values are replaced by simpler ones. */
import type { Episode, Step } from './episode.ts';
import { MOVES } from './moves.ts';

export function shrunk(episode: Episode, keeps: (candidate: Episode) => boolean): Episode {
  const isKept = (steps: readonly Step[]): boolean => keeps({ ...episode, steps });
  let { steps } = episode;
  for (let before = -1; before !== steps.length; ) {
    before = steps.length;
    steps = withoutChunks(steps, isKept);
  }
  return { ...episode, steps: withSimpleValues(steps, isKept) };
}

/** Removes chunks of half of the steps, then of a quarter, down to single steps. */
function withoutChunks(all: readonly Step[], isKept: (steps: readonly Step[]) => boolean): readonly Step[] {
  let steps = all;
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < steps.length; ) {
      const fewer = [...steps.slice(0, at), ...steps.slice(at + size)];
      if (isKept(fewer)) steps = fewer;
      else at += size;
    }
  }
  return steps;
}

/** Gives each argument the first value of its list, where that changes nothing that matters. */
function withSimpleValues(all: readonly Step[], isKept: (steps: readonly Step[]) => boolean): readonly Step[] {
  let steps = all;
  for (const [at, { move, values }] of all.entries()) {
    for (let place = 0; place < values.length; place += 1) {
      const simple = MOVES[move].arguments[place]!.values[0]!;
      const step = { move, values: steps[at]!.values.map((value, index) => (index === place ? simple : value)) };
      const simpler = steps.map((other, index) => (index === at ? step : other));
      if (steps[at]!.values[place] !== simple && isKept(simpler)) steps = simpler;
    }
  }
  return steps;
}
