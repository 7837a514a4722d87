/** Leaves out commands as long as the implementations still differ. */
import { Comparison, type TimedCommand, type VenueClass } from './comparison.ts';
import type { Difference } from './difference.ts';

export interface Shrunk {
  readonly commands: readonly TimedCommand[];
  readonly difference: Difference;
}

/** The commands must end with a difference. */
export function shrunk(commands: readonly TimedCommand[], venueClass?: VenueClass): Shrunk {
  let best = differenceAfter(commands, venueClass);
  if (best === undefined) throw new Error('a second run of the same commands finds no difference');
  for (let size = Math.floor(best.commands.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < best.commands.length; ) {
      const fewer = differenceAfter([...best.commands.slice(0, at), ...best.commands.slice(at + size)], venueClass);
      if (fewer === undefined) at += size;
      else best = fewer;
    }
  }
  return best;
}

/** The commands up to the first difference. */
function differenceAfter(commands: readonly TimedCommand[], venueClass: VenueClass | undefined): Shrunk | undefined {
  const comparison = new Comparison(undefined, venueClass);
  for (const [index, command] of commands.entries()) {
    const difference = comparison.run(command);
    if (difference !== undefined) return { commands: commands.slice(0, index + 1), difference };
  }
  return undefined;
}
