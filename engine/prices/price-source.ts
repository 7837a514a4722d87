/**
 * Sources of index prices: the port. A source is polled and never calls back; its prices depend only on the given time and its
 * construction.
 */
import type { EpochMs } from '#units/money.ts';

/** An observed price of an underlying. Not rounded to the market's tick: the publisher rounds it. */
export interface PriceObservation {
  readonly marketId: string;
  /** In the quote asset, above zero. */
  readonly price: number;
  readonly observedAtEpochMs: EpochMs;
}

export interface PriceSource {
  /** One line for the log: what these prices are. */
  readonly description: string;
  /** The prices at that moment: at most one per market, and no price during an outage of its feed. */
  observe(nowEpochMs: EpochMs): readonly PriceObservation[];
}

/** Combines sources, each for markets of its own. */
export function joinPriceSources(sources: readonly PriceSource[]): PriceSource {
  return {
    description: sources.map((source) => source.description).join('; '),
    observe: (nowEpochMs) => sources.flatMap((source) => source.observe(nowEpochMs)),
  };
}

/** Unavailable prices. The message is one line and says what to change. */
export class PriceSourceFault extends Error {
  override readonly name = 'PriceSourceFault';
}
