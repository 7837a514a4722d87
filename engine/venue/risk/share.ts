/** The whole that a share is of, in whole atoms: `part / (bps / 10,000)`, exact at any size and without big integers. */
import { exact, mulDivDown, mulDivUp, WHOLE_BPS } from '#units/money.ts';

/** The smallest amount of which `shareBps` is at least `part`. Both are non-negative, the share is above zero. */
export function wholeAtLeast<Unit extends number>(part: Unit, shareBps: number): Unit {
  const shares = mulDivDown(part as number, 1, shareBps);
  return exact(shares * WHOLE_BPS + mulDivUp(part - shares * shareBps, WHOLE_BPS, shareBps));
}

/** The largest amount of which `shareBps` is at most `part`. */
export function wholeAtMost<Unit extends number>(part: Unit, shareBps: number): Unit {
  const shares = mulDivDown(part as number, 1, shareBps);
  return exact(shares * WHOLE_BPS + mulDivDown(part - shares * shareBps, WHOLE_BPS, shareBps));
}
