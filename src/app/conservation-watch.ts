/** Checks the conservation of money periodically and on demand, and logs when it breaks or holds again. */

import { cachedCount } from '#observability/cached-count.ts';
import type { Conservation } from '#reads/reads.ts';
import { parseRendered, type RenderedReads } from '#reads/resource-reads.ts';
import type { SteadyClock } from '#time/clock.ts';

/** The check takes time linear in the number of accounts. */
const CHECK_INTERVAL_MS = 10_000;

export function watchConservation(
  steadyClock: SteadyClock,
  reads: Pick<RenderedReads, 'conservation'>,
  log: (line: string) => void,
): () => Promise<Conservation> {
  let last = '0';
  return cachedCount(steadyClock, CHECK_INTERVAL_MS, async () => {
    const counted = parseRendered(await reads.conservation());
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
