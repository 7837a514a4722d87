/** What takes long to count: it is counted again when somebody asks and what was counted last is so old, once at a time. */
import type { SteadyClock } from '#time/clock.ts';

/** Whoever asks while it is counted waits for that, however long it takes. What fails is counted again for the next who asks. */
export function countedSeldom<Counted>(
  steadyClock: SteadyClock,
  everyMs: number,
  count: () => Promise<Counted>,
): () => Promise<Counted> {
  let last: { readonly counted: Counted; readonly atMs: number } | undefined;
  let counting: Promise<Counted> | undefined;
  const countAnew = async (): Promise<Counted> => {
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
    counting ??= countAnew();
    return counting;
  };
}
