/**
 * Replays candles as index prices at a chosen speed. All files share one timeline, so that markets move together as they did; it
 * runs from where every file has started to where the last one ends. Afterwards there are no prices and the index keeps its
 * value. Reports the start and end of outages, and the end.
 */
import type { EpochMs } from '#units/money.ts';
import type { CandlePath } from './candle-path.ts';
import { type PriceObservation, type PriceSource, PriceSourceFault } from './price-source.ts';

export interface ReplayOptions {
  readonly paths: ReadonlyMap<string, CandlePath>;
  /** Seconds of the files per second of the clock. */
  readonly speed: number;
  readonly startedAtEpochMs: EpochMs;
  /** The position of an earlier run, in the files' time; otherwise the replay starts at its start. */
  readonly placeEpochMs: number | undefined;
  /** Receives one log line when a feed stops or resumes. */
  readonly report: (line: string) => void;
}

export interface Replay extends PriceSource {
  /** The replay's position at that moment, in the files' time. */
  positionAt(nowEpochMs: EpochMs): number;
}

/** When every file has started, in the files' time. */
export function startOfReplay(paths: ReplayOptions['paths']): number {
  return Math.max(...[...paths.values()].map((path) => path.startsAtEpochMs));
}

/** Throws {@link PriceSourceFault} if files have no time in common. */
export function replayedPrices({ paths, speed, startedAtEpochMs, placeEpochMs, report }: ReplayOptions): Replay {
  const startsAt = startOfReplay(paths);
  for (const [marketId, path] of paths) {
    if (path.endsAtEpochMs > startsAt) continue;
    throw new PriceSourceFault(
      `the candles of ${marketId} end at ${render(path.endsAtEpochMs)}, before another file starts at ${render(startsAt)}; files must overlap in time`,
    );
  }
  const from = Math.max(startsAt, placeEpochMs ?? startsAt);
  const positionAt = (nowEpochMs: EpochMs) => Math.floor(from + (nowEpochMs - startedAtEpochMs) * speed);
  const feeds = [...paths].map(([marketId, path]) => feedOf(marketId, path, speed, report));
  return {
    description: `candles of ${[...paths.keys()].join(', ')} from ${render(from)} at speed ${speed}`,
    positionAt,
    observe: (nowEpochMs) => {
      const place = positionAt(nowEpochMs);
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
  if (resumesAt === undefined) return `the candles ended at ${render(path.endsAtEpochMs)}; the index keeps its last value`;
  return `the candles have a gap at ${render(place)}: no prices for ${Math.ceil((resumesAt - place) / speed / 1_000)} s`;
}

/** `2021-05-19 13:05`, in UTC. */
const moment = new Intl.DateTimeFormat('sv-SE', { timeZone: 'UTC', dateStyle: 'short', timeStyle: 'short' });

function render(epochMs: number): string {
  return moment.format(epochMs);
}
