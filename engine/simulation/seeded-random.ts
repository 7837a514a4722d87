/** Repeatable randomness for test worlds: the same seed makes the same run. */

/** A uniform value from 0 up to, but never, 1. */
export type Random = () => number;

export function seededRandom(seed: number): () => number {
  let state = Math.imul(seed ^ 0x3c6ef372, 0x9e3779b1) | 0;
  return () => {
    state = (state + 0x61c88647) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x7feb352d);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}
