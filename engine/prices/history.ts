/**
 * The synthetic past of a market: index prices, trades and premiums from before the venue started. A pure function of the
 * journaled terms, the specification and the time, computed on each read. It ends at the market's start price.
 */
import type { EpochMs, Ppb, PriceAtoms } from '#units/money.ts';
import { ppb, priceAtoms, WHOLE_BPS, WHOLE_PPB } from '#units/money.ts';
import type { MarketHistory } from '#venue/market/history.ts';
import { type MarketSpecification, quoteAtomsPerTickLot } from '#venue/market/specification.ts';
import { generatedNoise } from './generated-noise.ts';
import { gridValue, type NoiseShape, noiseAt, seedOf } from './value-noise.ts';

export type PastSeries = 'trade' | 'index' | 'mark';

/** Amounts are atoms. The series of the index and of the mark have no volume. */
export interface PastCandle {
  readonly openAtoms: PriceAtoms;
  readonly highAtoms: PriceAtoms;
  readonly lowAtoms: PriceAtoms;
  readonly closeAtoms: PriceAtoms;
  readonly volumeAtoms: number;
  readonly notionalAtoms: number;
}

const MINUTE_MS = 60_000;
/** A minute is sampled at these moments, from its first second to its last. */
const SAMPLE_OFFSETS_MS = [0, 14_000, 29_000, 44_000, 59_000];

/** The maximum distance of trades from the index: that of the market makers' best quotes. */
const TRADE_SPREAD = 0.000_2;
/** The notional traded per sample, in impact notionals: what takers trade in twelve seconds. */
const MIN_NOTIONAL = 0.2;
const MAX_NOTIONAL = 1.6;
/** Keeps the volume of a day exact, however large the impact notional is. */
const MAX_IMPACT_ATOMS = 100_000_000_000;

/** The premium varies by some hundredths of a percent, over hours and days. */
const PREMIUM_PER_SECOND = 0.000_000_6;
const MIN_PREMIUM_MS = 3_600_000;
const MAX_PREMIUM_MS = 72 * 3_600_000;

export class MarketPast {
  readonly history: MarketHistory;
  readonly specification: MarketSpecification;
  readonly #noise: NoiseShape;
  readonly #premium: NoiseShape;
  readonly #startNoise: number;
  readonly #tradeSeed: number;
  readonly #volumeSeed: number;
  readonly #tickLotAtoms: number;

  constructor(history: MarketHistory, specification: MarketSpecification) {
    const { seed, volatilityPpb, startedAtEpochMs } = history;
    const { marketId } = specification;
    this.history = history;
    this.specification = specification;
    this.#noise = generatedNoise(seed, marketId, volatilityPpb / WHOLE_PPB);
    this.#premium = {
      seed: seedOf(`${seed} ${marketId} premium`),
      perSecond: PREMIUM_PER_SECOND,
      shortestPeriodMs: MIN_PREMIUM_MS,
      longestPeriodMs: MAX_PREMIUM_MS,
    };
    this.#startNoise = noiseAt(this.#noise, startedAtEpochMs);
    this.#tradeSeed = seedOf(`${seed} ${marketId} trade`);
    this.#volumeSeed = seedOf(`${seed} ${marketId} volume`);
    this.#tickLotAtoms = quoteAtomsPerTickLot(specification);
  }

  /** The index at a moment that is not after the start. */
  indexPriceAt(epochMs: number): PriceAtoms {
    return this.#onTick(this.#unroundedAt(epochMs));
  }

  /** The average premium of the funding period that ends at `epochMs`. */
  premiumAt(epochMs: number): Ppb {
    return ppb(Math.round(noiseAt(this.#premium, epochMs) * WHOLE_PPB));
  }

  /** `undefined` if the minute does not start before the venue. The minute of the venue's start ends at that moment. */
  minute(series: PastSeries, openTimeEpochMs: number): PastCandle | undefined {
    const { startedAtEpochMs } = this.history;
    if (openTimeEpochMs >= startedAtEpochMs) return undefined;
    let candle: PastCandle | undefined;
    for (const offsetMs of SAMPLE_OFFSETS_MS) {
      const epochMs = openTimeEpochMs + offsetMs;
      if (epochMs < startedAtEpochMs) candle = nextCandle(candle, this.#sample(series, epochMs));
    }
    const isLast = openTimeEpochMs + MINUTE_MS > startedAtEpochMs;
    return isLast ? nextCandle(candle, this.#sample(series, startedAtEpochMs)) : candle;
  }

  #sample(series: PastSeries, epochMs: number): PastCandle {
    if (series === 'mark') return flatCandle(this.#markAt(epochMs));
    const index = this.#unroundedAt(epochMs);
    if (series === 'index') return flatCandle(this.#onTick(index));
    const point = Math.floor(epochMs / 1_000);
    const price = this.#onTick(index * (1 + TRADE_SPREAD * gridValue(this.#tradeSeed, point)));
    const share = (gridValue(this.#volumeSeed, point) + 1) / 2;
    const impactAtoms = Math.min(this.specification.impactNotionalAtoms, MAX_IMPACT_ATOMS);
    const notionalAtoms = impactAtoms * (MIN_NOTIONAL + (MAX_NOTIONAL - MIN_NOTIONAL) * share);
    const volumeAtoms = Math.max(1, Math.round(notionalAtoms / (price * this.#tickLotAtoms)));
    return { ...flatCandle(price), volumeAtoms, notionalAtoms: volumeAtoms * price * this.#tickLotAtoms };
  }

  /** The index with the premium of the moment, within the band of the mark. */
  #markAt(epochMs: number): PriceAtoms {
    const band = this.specification.markBandBps / WHOLE_BPS;
    const premium = Math.max(-band, Math.min(band, noiseAt(this.#premium, epochMs)));
    return this.#onTick(this.#unroundedAt(epochMs) * (1 + premium));
  }

  #unroundedAt(epochMs: EpochMs | number): number {
    return this.history.startPriceAtoms * Math.exp(noiseAt(this.#noise, epochMs) - this.#startNoise);
  }

  #onTick(price: number): PriceAtoms {
    const { minPriceAtoms, maxPriceAtoms } = this.specification;
    return priceAtoms(Math.max(minPriceAtoms, Math.min(maxPriceAtoms, Math.round(price))));
  }
}

function flatCandle(price: PriceAtoms): PastCandle {
  return { openAtoms: price, highAtoms: price, lowAtoms: price, closeAtoms: price, volumeAtoms: 0, notionalAtoms: 0 };
}

/** Merges two consecutive candles. */
export function nextCandle(first: PastCandle | undefined, then: PastCandle): PastCandle {
  if (first === undefined) return then;
  return {
    openAtoms: first.openAtoms,
    highAtoms: Math.max(first.highAtoms, then.highAtoms) as PriceAtoms,
    lowAtoms: Math.min(first.lowAtoms, then.lowAtoms) as PriceAtoms,
    closeAtoms: then.closeAtoms,
    volumeAtoms: first.volumeAtoms + then.volumeAtoms,
    notionalAtoms: first.notionalAtoms + then.notionalAtoms,
  };
}
