/**
 * Seeded noise over time: a sum of octaves, each interpolating smoothly between random values at grid points. The amplitude of an
 * octave grows with the square root of its period, as in a random walk; the longest period is finite, so the sum is bounded and
 * returns to zero. It has no state: any moment can be computed.
 */

/** The amplitude of an octave of one second; the others follow from it. */
export interface NoiseShape {
  readonly seed: number;
  /** Standard deviation of the octave of one second. */
  readonly perSecond: number;
  readonly shortestPeriodMs: number;
  readonly longestPeriodMs: number;
}

/** The ratio of the periods of neighboring octaves. */
const OCTAVE_FACTOR = 4;

/** The noise at a moment: around zero, within {@link noiseBound}. */
export function noiseAt(shape: NoiseShape, epochMs: number): number {
  let sum = 0;
  for (
    let octave = 0, periodMs = shape.shortestPeriodMs;
    periodMs <= shape.longestPeriodMs;
    octave++, periodMs *= OCTAVE_FACTOR
  ) {
    sum += swingOf(shape, periodMs) * curveAt(shape.seed ^ Math.imul(octave + 1, 0x9e3779b1), epochMs / periodMs);
  }
  return sum;
}

/** The maximum absolute value of the noise. */
export function noiseBound(shape: NoiseShape): number {
  let sum = 0;
  for (let periodMs = shape.shortestPeriodMs; periodMs <= shape.longestPeriodMs; periodMs *= OCTAVE_FACTOR)
    sum += swingOf(shape, periodMs);
  return sum;
}

/** A uniform value in ±√3 has a standard deviation of 1. */
function swingOf(shape: NoiseShape, periodMs: number): number {
  return Math.sqrt(3) * shape.perSecond * Math.sqrt(periodMs / 1_000);
}

/** Interpolates with zero slope at grid points, so it never exceeds ±1. */
function curveAt(seed: number, position: number): number {
  const point = Math.floor(position);
  const share = position - point;
  const eased = share * share * (3 - 2 * share);
  return gridValue(seed, point) * (1 - eased) + gridValue(seed, point + 1) * eased;
}

/** A pseudorandom value in ±1, determined by seed and point. */
export function gridValue(seed: number, point: number): number {
  let bits = (seed ^ Math.imul(point | 0, 0x85ebca6b) ^ Math.imul(Math.floor(point / 2 ** 32) | 0, 0xc2b2ae35)) | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x7feb352d);
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
  bits ^= bits >>> 16;
  return (bits >>> 0) / 2 ** 31 - 1;
}

/** A 32-bit hash of a text, so that every market has its own noise. */
export function seedOf(text: string): number {
  let bits = 0x811c9dc5;
  for (const character of text) bits = Math.imul(bits ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return bits | 0;
}
