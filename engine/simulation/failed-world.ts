/** The failure of a seeded world, and what its runs report: how to repeat it, and counts over many worlds. */

/** A seed in whose world something is wrong. `lastSteps` are for the report. */
export class WorldFailed extends Error {
  override readonly name = 'WorldFailed';
  readonly lastSteps: readonly string[];

  constructor(seed: number, cause: unknown, lastSteps: readonly string[]) {
    super(`seed ${seed}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.lastSteps = lastSteps;
  }
}

/** The outcome of a world. The error of a failed one contains the command that repeats it and its last steps. */
export function repeatable<Outcome>(world: Promise<Outcome>, command: string): Promise<Outcome> {
  return world.catch((cause: unknown) => {
    if (!(cause instanceof WorldFailed)) throw cause;
    const report = [cause.message, `to repeat: ${command}`, 'the last steps:', ...cause.lastSteps].join('\n');
    throw new Error(report, { cause: cause.cause });
  });
}

export function addCounts(into: Map<string, number>, counts: ReadonlyMap<string, number>): void {
  for (const [name, count] of counts) into.set(name, (into.get(name) ?? 0) + count);
}
