/**
 * Where index prices come from: the port, and what a source must know of a market. A source is asked and never calls;
 * what it answers depends on the time it is asked for and on how it was made, on nothing else.
 */
import type { EpochMs } from '#units/money.ts';

/** What somebody saw as the price of an underlying. Not yet on the market's tick: the publisher rounds it. */
export interface PriceObservation {
  readonly marketId: string;
  /** In the quote asset, above zero. */
  readonly price: number;
  readonly observedAtEpochMs: EpochMs;
}

export interface PriceSource {
  /** For people, one line: what these prices are. */
  readonly description: string;
  /** What is seen at that moment: at most one price per market, and none for a market whose feed is out. */
  observe(nowEpochMs: EpochMs): readonly PriceObservation[];
}

/** Several sources as one, each for markets of its own. */
export function joinPriceSources(sources: readonly PriceSource[]): PriceSource {
  return {
    description: sources.map((source) => source.description).join('; '),
    observe: (nowEpochMs) => sources.flatMap((source) => source.observe(nowEpochMs)),
  };
}

/** Prices that cannot be had as asked. The message is one line and says what to change. */
export class PriceSourceFault extends Error {
  override readonly name = 'PriceSourceFault';
}
