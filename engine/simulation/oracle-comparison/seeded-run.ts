/** Runs the world of a seed in both implementations, until they differ. */
import { Comparison, type TimedCommand, type VenueClass } from './comparison.ts';
import { crowdedCommands } from './crowded-world.ts';
import { type Difference, NumberComparison, textOf } from './difference.ts';
import type { Occurrences } from './occurrences.ts';
import { RandomWorld } from './random-world.ts';
import { shrunk } from './shrinking.ts';

/** The seed that repeats the crowded world. */
export const CROWD = 0;
const COMMANDS_PER_WORLD = 200;
/** How many of the last commands a failure shows. */
const SHOWN = 30;

export interface SeededRun {
  readonly seed: number;
  readonly commands: readonly TimedCommand[];
  /** After the last command. */
  readonly difference: Difference | undefined;
}

export interface RunOptions {
  readonly numbers?: NumberComparison;
  readonly occurrences?: Occurrences;
  readonly venueClass?: VenueClass;
}

export function runSeed(seed: number, { numbers, occurrences, venueClass }: RunOptions = {}): SeededRun {
  const world = new RandomWorld(seed);
  const comparison = new Comparison(numbers ?? new NumberComparison(), venueClass);
  const commands: TimedCommand[] = [];
  while (commands.length < COMMANDS_PER_WORLD) {
    const before = comparison.oracle.world;
    const command = world.next(before);
    commands.push(command);
    const difference = comparison.run(command);
    if (difference !== undefined) return { seed, commands, difference };
    occurrences?.note({ before, after: comparison.oracle.world, facts: comparison.oracle.world.facts });
  }
  return { seed, commands, difference: undefined };
}

/** Runs the commands of the crowded world. Its seed is 0. */
export function runCrowd({ numbers, venueClass }: RunOptions = {}): SeededRun {
  const comparison = new Comparison(numbers ?? new NumberComparison(), venueClass);
  const commands = crowdedCommands();
  for (const [index, command] of commands.entries()) {
    const difference = comparison.run(command);
    if (difference !== undefined) return { seed: CROWD, commands: commands.slice(0, index + 1), difference };
  }
  return { seed: CROWD, commands, difference: undefined };
}

/** What differs, how to repeat it, and the commands that are needed for it. */
export function reportOf({ seed, commands }: SeededRun, venueClass?: VenueClass): string {
  const { commands: needed, difference } = shrunk(commands, venueClass);
  return [
    `repeat with OPENPERP_ORACLE_SEED=${seed} npm test -- engine/simulation/oracle-comparison`,
    `the engine and the oracle differ at ${difference.path}: ${textOf(difference.engine)} and ${textOf(difference.oracle)}`,
    `after the last of these ${needed.length} commands (of ${commands.length}):`,
    ...needed.slice(-SHOWN).map(({ epochMs, command }) => `  ${epochMs} ${textOf(command)}`),
  ].join('\n');
}
