/** Caches a count that takes long: it is repeated on request when the last one is older than `everyMs`, one at a time. */
import type { SteadyClock } from '#time/clock.ts';

/** Callers during a count wait for it, however long it takes. After a failure the next caller starts another. */
export function cachedCount<Counted>(
  steadyClock: SteadyClock,
  everyMs: number,
  count: () => Promise<Counted>,
): () => Promise<Counted> {
  let last: { readonly counted: Counted; readonly atMs: number } | undefined;
  let counting: Promise<Counted> | undefined;
  const recount = async (): Promise<Counted> => {
    try {
      const counted = await count();
      last = { counted, atMs: steadyClock.elapsedMs() };
      return counted;
    } finally {
      counting = undefined;
    }
  };
  return async () => {
    if (last !== undefined && steadyClock.elapsedMs() - last.atMs < everyMs) return last.counted;
    counting ??= recount();
    return counting;
  };
}
