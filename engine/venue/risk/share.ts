/** Computes a whole from a part: `part / (bps / 10,000)` in atoms, exact at any size, without big integers. */
import { exact, mulDivDown, mulDivUp, WHOLE_BPS } from '#units/money.ts';

/** The smallest amount whose share of `shareBps` is at least `part`. `part` is not negative, `shareBps` is positive. */
export function wholeAtLeast<Unit extends number>(part: Unit, shareBps: number): Unit {
  const shares = mulDivDown(part as number, 1, shareBps);
  return exact(shares * WHOLE_BPS + mulDivUp(part - shares * shareBps, WHOLE_BPS, shareBps));
}

/** The largest amount whose share of `shareBps` is at most `part`. */
export function wholeAtMost<Unit extends number>(part: Unit, shareBps: number): Unit {
  const shares = mulDivDown(part as number, 1, shareBps);
  return exact(shares * WHOLE_BPS + mulDivDown(part - shares * shareBps, WHOLE_BPS, shareBps));
}
