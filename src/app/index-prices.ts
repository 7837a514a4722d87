/**
 * Provides index prices to the venue: replayed if there are candles, else generated. Continues from the last index that the venue
 * knows and from the saved place of a replay.
 */
import { join } from 'node:path';
import { DEVNET_MARKETS, type DevnetMarket } from '#devnet/markets.ts';
import { type GeneratedMarket, generatedPrices } from '#prices/generated.ts';
import type { PricedMarket } from '#prices/market-feed.ts';
import type { PriceChoice } from '#prices/price-choice.ts';
import { joinPriceSources, type PriceSource } from '#prices/price-source.ts';
import { startPublisher } from '#prices/publisher.ts';
import { type Replay, replayedPrices } from '#prices/replay.ts';
import { readReplayPosition, writeReplayPosition } from '#prices/replay-position.ts';
import { parseRendered, type RenderedReads } from '#reads/resource-reads.ts';
import type { Clock } from '#time/clock.ts';
import type { Timers } from '#time/timers.ts';
import type { Submit } from '#writer/port/submit.ts';
import type { VenueConfig } from './config.ts';
import { defaultMarket, FURTHER_MARKETS } from './default-market.ts';

export interface IndexPricesOptions {
  readonly config: Pick<VenueConfig, 'dataDirectory' | 'seed' | 'speed'>;
  readonly choice: PriceChoice;
  readonly markets: ReadonlyMap<string, PricedMarket>;
  readonly reads: RenderedReads;
  readonly submit: Submit;
  /** The journal's clock: price times must be comparable with the venue's time. */
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: (line: string) => void;
  readonly onInternalError: (error: unknown) => void;
}

/** Prices are published once per second of their own time, and at most ten times per second of real time. */
const INTERVAL_MS = 1_000;
const MIN_INTERVAL_MS = 100;
const SAVE_INTERVAL_MS = 5_000;
const POSITION_FILE = 'replay.json';

export interface IndexPrices {
  /** The source of the prices, in one line. */
  readonly description: string;
  /** Resolves when the first prices are committed, or no prices will arrive. */
  readonly published: Promise<void>;
  /** Generates the index of a further market from now on. Returns false if no market has an index. */
  generate(market: DevnetMarket): boolean;
}

export async function startIndexPrices(options: IndexPricesOptions, resources: AsyncDisposableStack): Promise<IndexPrices> {
  const { choice, markets, submit, clock, timers, log, onInternalError } = options;
  if (!choice.hasPrices) {
    const description = 'none: no market has an index price';
    return { description, published: Promise.resolve(), generate: () => false };
  }
  const replay = choice.replayed.size === 0 ? undefined : openReplay(options, choice, resources);
  const generated = await openGenerated(options);
  const source = joinPriceSources([replay, generated].filter((part) => part !== undefined));
  const added: PriceSource[] = [];
  const publisher = startPublisher({
    source: { ...source, observe: (now) => [source, ...added].flatMap((part) => part.observe(now)) },
    markets,
    submit,
    clock,
    timers,
    intervalMs: replay === undefined ? INTERVAL_MS : intervalAt(options.config.speed),
    log,
    onInternalError,
  });
  resources.defer(() => publisher.stop());
  const { seed } = options.config;
  return {
    description: source.description,
    published: publisher.published,
    generate: (market) => {
      added.push(generatedPrices({ seed, markets: [pathOf(market)], lastPrices: new Map(), startedAtEpochMs: clock.now() }));
      return true;
    },
  };
}

function intervalAt(speed: number): number {
  return Math.max(MIN_INTERVAL_MS, Math.round(INTERVAL_MS / speed));
}

function openReplay(
  { config, clock, timers, log }: IndexPricesOptions,
  { prices, replayed }: PriceChoice,
  resources: AsyncDisposableStack,
): Replay {
  const positionFile = join(config.dataDirectory, POSITION_FILE);
  const saved = readReplayPosition(positionFile, prices);
  if ('problem' in saved) log(`prices: ${POSITION_FILE} ${saved.problem}: the replay starts at the first candle`);
  const replay = replayedPrices({
    paths: replayed,
    speed: config.speed,
    startedAtEpochMs: clock.now(),
    placeEpochMs: 'placeEpochMs' in saved ? saved.placeEpochMs : undefined,
    report: (line) => log(`prices: ${line}`),
  });
  let hasFailed = false;
  const savePosition = () => {
    try {
      writeReplayPosition(positionFile, { prices, placeEpochMs: replay.positionAt(clock.now()) }, (line) =>
        log(`prices: ${line}`),
      );
    } catch (error) {
      if (!hasFailed)
        log(`prices: the place of the replay cannot be saved, so the next start replays from the first candle: ${String(error)}`);
      hasFailed = true;
    }
  };
  const keeping = timers.setInterval(savePosition, SAVE_INTERVAL_MS);
  resources.defer(() => {
    keeping.cancel();
    savePosition();
  });
  return replay;
}

async function openGenerated({
  config,
  choice,
  markets: listed,
  reads,
  clock,
}: IndexPricesOptions): Promise<PriceSource | undefined> {
  const known = new Map([...DEVNET_MARKETS, ...FURTHER_MARKETS].map((market) => [market.specification.marketId, market]));
  const lastPrices = new Map<string, number>();
  const markets: GeneratedMarket[] = [];
  for (const [marketId, { market }] of listed) {
    if (choice.replayed.has(marketId)) continue;
    const last = parseRendered(await reads.marketStats(market)).indexPrice;
    if (last !== null) lastPrices.set(marketId, Number(last));
    const path = known.get(marketId) ?? (last === null ? undefined : defaultMarket(marketId, Number(last)));
    // A market of the operator without any price yet: it has none until it is created with one.
    if (path !== undefined) markets.push(pathOf(path));
  }
  if (markets.length === 0) return undefined;
  return generatedPrices({ seed: config.seed, markets, lastPrices, startedAtEpochMs: clock.now() });
}

function pathOf({ specification: { marketId }, basePrice, volatilityPerSecond }: DevnetMarket): GeneratedMarket {
  return { marketId, basePrice, volatilityPerSecond };
}
