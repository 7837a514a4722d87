/** Prints one line a minute about a running venue, for its terminal: prices, trades, accounts. */
import { parseRendered, type RenderedReads } from '#reads/resource-reads.ts';
import type { Timer, Timers } from '#time/timers.ts';
import type { VenueCounts } from '#venue/venue.ts';
import { VenueHalted, WriterBusy } from '#writer/port/submit.ts';

export interface MinuteLineOptions {
  readonly timers: Timers;
  readonly reads: Pick<RenderedReads, 'marketStatsList'>;
  readonly counts: () => VenueCounts;
  readonly print: (line: string) => void;
  /** Takes an internal error of one line; the next line is still printed. */
  readonly onInternalError: (error: unknown) => void;
}

const MINUTE_MS = 60_000;

/** Prints until the timer is cancelled. A minute without successful reads has no line. */
export function startMinuteLine({ timers, reads, counts, print, onInternalError }: MinuteLineOptions): Timer {
  let tradesBefore = counts().trades;
  let isReading = false;
  let isCancelled = false;
  const printLine = async () => {
    const { stats } = parseRendered(await reads.marketStatsList());
    const { trades, accounts } = counts();
    const prices = stats.map(({ marketId, markPrice }) => `${marketId} ${markPrice ?? 'without a price'}`);
    const traded = `${counted(trades - tradesBefore, 'trade')} since the last line, ${trades} in all`;
    tradesBefore = trades;
    if (!isCancelled) print(`openperp: ${[...prices, traded, counted(accounts, 'account')].join('; ')}`);
  };
  const timer = timers.setInterval(
    () => {
      if (isReading) return;
      isReading = true;
      void printLine()
        .catch((error: unknown) => {
          if (!(error instanceof VenueHalted || error instanceof WriterBusy)) onInternalError(error);
        })
        .finally(() => {
          isReading = false;
        });
    },
    MINUTE_MS,
    { ref: false },
  );
  return {
    cancel: () => {
      isCancelled = true;
      timer.cancel();
    },
  };
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
