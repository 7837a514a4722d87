/** What takes long to count: it is counted again when somebody asks and what was counted last is so old, once at a time. */

/** Whoever asks while it is counted waits for that, however long it takes. What fails is counted again for the next who asks. */
export function countedSeldom<Counted>(everyMs: number, count: () => Promise<Counted>): () => Promise<Counted> {
  let last: { readonly counted: Counted; readonly atMs: number } | undefined;
  let counting: Promise<Counted> | undefined;
  const countAnew = async (): Promise<Counted> => {
    try {
      const counted = await count();
      last = { counted, atMs: performance.now() };
      return counted;
    } finally {
      counting = undefined;
    }
  };
  return async () => {
    if (last !== undefined && performance.now() - last.atMs < everyMs) return last.counted;
    counting ??= countAnew();
    return counting;
  };
}
