/**
 * Replays candles as index prices at a chosen speed. All files share one timeline, so that markets fall together as they
 * did; it runs from where every file has begun to where the last one ends, and then there are no more prices: the index
 * stays where it is. Outages and the end are reported when they begin and when they are over.
 */
import type { EpochMs } from '#units/money.ts';
import type { CandlePath } from './candle-path.ts';
import { type PriceObservation, type PriceSource, PriceSourceFault } from './price-source.ts';

export interface ReplayOptions {
  readonly paths: ReadonlyMap<string, CandlePath>;
  /** Seconds of the files per second of the clock. */
  readonly speed: number;
  readonly startedAtEpochMs: EpochMs;
  /** Where an earlier run had come to, in the files' time; otherwise the replay begins at its beginning. */
  readonly placeEpochMs: number | undefined;
  /** Takes one line for people whenever a feed stops or goes on. */
  readonly report: (line: string) => void;
}

export interface Replay extends PriceSource {
  /** Where the replay is at that moment, in the files' time. */
  placeAt(nowEpochMs: EpochMs): number;
}

/** When every file has begun, in the files' time. */
export function beginOfReplay(paths: ReplayOptions['paths']): number {
  return Math.max(...[...paths.values()].map((path) => path.beginsAtEpochMs));
}

/** Throws {@link PriceSourceFault} for files that have no time in common. */
export function replayedPrices({ paths, speed, startedAtEpochMs, placeEpochMs, report }: ReplayOptions): Replay {
  const beginsAt = beginOfReplay(paths);
  for (const [marketId, path] of paths) {
    if (path.endsAtEpochMs > beginsAt) continue;
    throw new PriceSourceFault(
      `the candles of ${marketId} end at ${render(path.endsAtEpochMs)}, before another file begins at ${render(beginsAt)}; files must overlap in time`,
    );
  }
  const from = Math.max(beginsAt, placeEpochMs ?? beginsAt);
  const placeAt = (nowEpochMs: EpochMs) => Math.floor(from + (nowEpochMs - startedAtEpochMs) * speed);
  const feeds = [...paths].map(([marketId, path]) => feedOf(marketId, path, speed, report));
  return {
    description: `candles of ${[...paths.keys()].join(', ')} from ${render(from)} at speed ${speed}`,
    placeAt,
    observe: (nowEpochMs) => {
      const place = placeAt(nowEpochMs);
      return feeds.flatMap((feed) => feed(place, nowEpochMs) ?? []);
    },
  };
}

type Feed = (place: number, nowEpochMs: EpochMs) => PriceObservation | undefined;

function feedOf(marketId: string, path: CandlePath, speed: number, report: (line: string) => void): Feed {
  let isOut = false;
  return (place, nowEpochMs) => {
    const price = path.priceAt(place);
    if ((price === undefined) !== isOut) {
      isOut = price === undefined;
      report(`${marketId}: ${isOut ? outageLine(path, place, speed) : `the feed is back at ${render(place)}`}`);
    }
    return price === undefined ? undefined : { marketId, price, observedAtEpochMs: nowEpochMs };
  };
}

function outageLine(path: CandlePath, place: number, speed: number): string {
  const resumesAt = path.resumesAfter(place);
  if (resumesAt === undefined) return `the candles ended at ${render(path.endsAtEpochMs)}; the index stays where it is`;
  return `the candles have a gap at ${render(place)}: no prices for ${Math.ceil((resumesAt - place) / speed / 1_000)} s`;
}

/** `2021-05-19 13:05`, in UTC. */
const moment = new Intl.DateTimeFormat('sv-SE', { timeZone: 'UTC', dateStyle: 'short', timeStyle: 'short' });

function render(epochMs: number): string {
  return moment.format(epochMs);
}
