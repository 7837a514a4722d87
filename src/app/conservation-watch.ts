/** Counts all money now and then, for whoever asks, and says so once it does not add up. */

import { countedSeldom } from '#observability/counted-seldom.ts';
import { type Ask, readBack } from '#reads/answers.ts';
import type { Conservation } from '#reads/reads.ts';
import type { SteadyClock } from '#time/clock.ts';

/** It takes the longer the more accounts there are. */
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
          ? 'conservation: what accounts and ledgers hold is what came in again'
          : `conservation: accounts and ledgers hold ${imbalance} USD.E more than came in: stop the venue and keep the data directory`,
      );
    last = imbalance;
    return counted;
  });
}
