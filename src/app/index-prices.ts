/**
 * Provides index prices to the venue: replayed if there are candles, else generated. Continues from the last index that the venue
 * knows and from the saved place of a replay.
 */
import { join } from 'node:path';
import { DEVNET_MARKETS } from '#devnet/markets.ts';
import { generatedPrices } from '#prices/generated.ts';
import type { PricedMarket } from '#prices/market-feed.ts';
import type { PriceChoice } from '#prices/price-choice.ts';
import { joinPriceSources, type PriceSource } from '#prices/price-source.ts';
import { startPublisher } from '#prices/publisher.ts';
import { type Replay, replayedPrices } from '#prices/replay.ts';
import { readReplayPlace, writeReplayPlace } from '#prices/replay-place.ts';
import { type Ask, readBack } from '#reads/answers.ts';
import type { Clock } from '#time/clock.ts';
import type { Timers } from '#time/timers.ts';
import type { Submit } from '#writer/port/submit.ts';
import type { VenueConfig } from './config.ts';

export interface IndexPricesOptions {
  readonly config: Pick<VenueConfig, 'dataDirectory' | 'seed' | 'speed'>;
  readonly choice: PriceChoice;
  readonly markets: ReadonlyMap<string, PricedMarket>;
  readonly ask: Ask;
  readonly submit: Submit;
  /** The journal's clock: price times must be comparable with the venue's time. */
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: (line: string) => void;
  readonly onInternalError: (error: unknown) => void;
}

/** Prices are published once per second of their own time, and at most ten times per second of real time. */
const INTERVAL_MS = 1_000;
const SHORTEST_INTERVAL_MS = 100;
const KEEP_PLACE_MS = 5_000;
const PLACE_FILE = 'replay.json';

export interface IndexPrices {
  /** The source of the prices, in one line. */
  readonly description: string;
  /** Resolves when the first prices are committed, or none will arrive. */
  readonly published: Promise<void>;
}

export async function startIndexPrices(options: IndexPricesOptions, resources: AsyncDisposableStack): Promise<IndexPrices> {
  const { choice, markets, submit, clock, timers, log, onInternalError } = options;
  const replay = choice.replayed.size === 0 ? undefined : openReplay(options, choice, resources);
  const generated = await openGenerated(options);
  const source = joinPriceSources([replay, generated].filter((part) => part !== undefined));
  const publisher = startPublisher({
    source,
    markets,
    submit,
    clock,
    timers,
    intervalMs: replay === undefined ? INTERVAL_MS : intervalAt(options.config.speed),
    log,
    onInternalError,
  });
  resources.defer(() => publisher.stop());
  return { description: source.description, published: publisher.published };
}

function intervalAt(speed: number): number {
  return Math.max(SHORTEST_INTERVAL_MS, Math.round(INTERVAL_MS / speed));
}

function openReplay(
  { config, clock, timers, log }: IndexPricesOptions,
  { prices, replayed }: PriceChoice,
  resources: AsyncDisposableStack,
): Replay {
  const placeFile = join(config.dataDirectory, PLACE_FILE);
  const kept = readReplayPlace(placeFile, prices);
  if ('problem' in kept) log(`prices: ${PLACE_FILE} ${kept.problem}: the replay starts at the first candle`);
  const replay = replayedPrices({
    paths: replayed,
    speed: config.speed,
    startedAtEpochMs: clock.now(),
    placeEpochMs: 'placeEpochMs' in kept ? kept.placeEpochMs : undefined,
    report: (line) => log(`prices: ${line}`),
  });
  let hasFailed = false;
  const keepPlace = () => {
    try {
      writeReplayPlace(placeFile, { prices, placeEpochMs: replay.placeAt(clock.now()) }, (line) => log(`prices: ${line}`));
    } catch (error) {
      if (!hasFailed)
        log(`prices: the place of the replay cannot be saved, so the next start replays from the first candle: ${String(error)}`);
      hasFailed = true;
    }
  };
  const keeping = timers.setInterval(keepPlace, KEEP_PLACE_MS);
  resources.defer(() => {
    keeping.cancel();
    keepPlace();
  });
  return replay;
}

async function openGenerated({
  config,
  choice,
  markets: listed,
  ask,
  clock,
}: IndexPricesOptions): Promise<PriceSource | undefined> {
  const markets = DEVNET_MARKETS.filter(({ specification }) => !choice.replayed.has(specification.marketId));
  if (markets.length === 0) return undefined;
  const lastPrices = new Map<string, number>();
  for (const { specification } of markets) {
    const { market } = listed.get(specification.marketId)!;
    const last = readBack(await ask.marketStats(market)).indexPrice;
    if (last !== null) lastPrices.set(specification.marketId, Number(last));
  }
  return generatedPrices({
    seed: config.seed,
    markets: markets.map(({ specification, ...path }) => ({ marketId: specification.marketId, ...path })),
    lastPrices,
    startedAtEpochMs: clock.now(),
  });
}
