/** Where the values of a curve are drawn: whole parts of a plot of 1,000 by 1,000, from bigint, without floating-point numbers. */
import type { EquityPoint } from './equity-curve.ts';

export const PLOT = 1_000;
const MAX_LINES = 4n;

export interface ChartScale {
  readonly xOf: (epochMs: number) => number;
  readonly yOf: (atoms: bigint) => bigint;
  /** Round values for lines of the grid, lowest first; zero is one of them. */
  readonly lines: readonly bigint[];
}

/** The range has all points and zero, and space above and below. */
export function chartScale(points: readonly EquityPoint[]): ChartScale {
  const first = points[0]?.epochMs ?? 0;
  const spanMs = Math.max(1, (points.at(-1)?.epochMs ?? 0) - first);
  let [lowest, highest] = [0n, 0n];
  for (const { equityAtoms } of points) {
    if (equityAtoms < lowest) lowest = equityAtoms;
    if (equityAtoms > highest) highest = equityAtoms;
  }
  const step = roundStep(highest - lowest);
  const top = highest + step / 2n;
  const height = top - (lowest - step / 2n);
  return {
    xOf: (epochMs) => Math.round(((epochMs - first) * PLOT) / spanMs),
    yOf: (atoms) => ((top - atoms) * BigInt(PLOT)) / height,
    lines: multiplesOf(step, lowest, highest),
  };
}

/** 1, 2 or 5 times a power of ten, so that at most {@link MAX_LINES} fit into the range. At least two, so that half of it is a whole number. */
function roundStep(range: bigint): bigint {
  for (let power = 1n; ; power *= 10n)
    for (const digit of [2n, 5n, 10n]) if (range / (digit * power) < MAX_LINES) return digit * power;
}

function multiplesOf(step: bigint, lowest: bigint, highest: bigint): readonly bigint[] {
  const lines: bigint[] = [];
  for (let value = (lowest / step) * step; value <= highest; value += step) lines.push(value);
  return lines;
}
