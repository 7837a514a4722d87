/** Checks the conservation of money periodically and on demand, and logs when it breaks or holds again. */

import { countedSeldom } from '#observability/counted-seldom.ts';
import { type Ask, readBack } from '#reads/answers.ts';
import type { Conservation } from '#reads/reads.ts';
import type { SteadyClock } from '#time/clock.ts';

/** The check takes time linear in the number of accounts. */
const COUNTED_EVERY_MS = 10_000;

export function watchConservation(
  steadyClock: SteadyClock,
  ask: Pick<Ask, 'conservation'>,
  log: (line: string) => void,
): () => Promise<Conservation> {
  let last = '0';
  return countedSeldom(steadyClock, COUNTED_EVERY_MS, async () => {
    const counted = readBack(await ask.conservation());
    const { imbalance } = counted;
    if (imbalance !== last)
      log(
        imbalance === '0'
          ? 'conservation: the balances equal net deposits again'
          : `conservation: the balances exceed net deposits by ${imbalance} USD.E: stop the venue and keep the data directory`,
      );
    last = imbalance;
    return counted;
  });
}
