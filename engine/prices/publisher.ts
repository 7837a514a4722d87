/**
 * Brings index prices to the venue: asks the source at a steady pace and submits what it sees, on the market's tick, each market
 * for itself (`market-feed.ts`): what one of them sets going holds up no price of another. A refusal is told once.
 */

import type { Clock } from '#time/clock.ts';
import { sleep, type Timers } from '#time/timers.ts';
import type { CommandRefused } from '#venue/event.ts';
import { type Submit, VenueHalted } from '#writer/port/submit.ts';
import { MarketFeed, type PricedMarket } from './market-feed.ts';
import type { PriceObservation, PriceSource } from './price-source.ts';

export interface PublisherOptions {
  readonly source: PriceSource;
  /** By market id; what is not in here is never observed. */
  readonly markets: ReadonlyMap<string, PricedMarket>;
  readonly submit: Submit;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly intervalMs: number;
  /** Takes lines for people. */
  readonly log: (line: string) => void;
  /** Takes an internal error of the source, or with one price: the next prices come all the same. */
  readonly onInternalError: (error: unknown) => void;
}

export interface Publisher {
  /** Resolves when the first prices are settled, or none will come. */
  readonly published: Promise<void>;
  /** Resolves when the last price that was under way is settled. */
  stop(): Promise<void>;
}

export function startPublisher(options: PublisherOptions): Publisher {
  const stopping = new AbortController();
  const { promise: published, resolve: onPublished } = Promise.withResolvers<void>();
  const running = publish(options, stopping.signal, onPublished)
    .catch((error: unknown) => {
      // A halted venue says so itself, and takes no more prices until it is started again.
      if (!stopping.signal.aborted && !(error instanceof VenueHalted)) options.onInternalError(error);
    })
    .finally(onPublished);
  return {
    published,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

/** Ends by throwing, or as the signal does; in either case once nothing is under way any more. */
async function publish(
  { source, markets, submit, clock, timers, intervalMs, log, onInternalError }: PublisherOptions,
  signal: AbortSignal,
  onPublished: () => void,
): Promise<never> {
  const failing = new AbortController();
  const ending = AbortSignal.any([signal, failing.signal]);
  const told = new Set<CommandRefused['code']>();
  const feeds = new Map<string, MarketFeed>();
  const feedOf = ({ marketId }: PriceObservation) => {
    const known = feeds.get(marketId);
    if (known !== undefined) return known;
    const priced = markets.get(marketId);
    if (priced === undefined) throw new Error(`prices for ${marketId}, which is not listed`);
    const onRefused = (price: number, code: CommandRefused['code']) => {
      if (told.has(code)) return;
      told.add(code);
      log(`prices: the venue refused ${price} for ${marketId}: ${code} (told once)`);
    };
    const made = new MarketFeed(priced, submit, {
      onRefused,
      onInternalError,
      onHalted: (halted) => failing.abort(halted),
    });
    feeds.set(marketId, made);
    return made;
  };
  try {
    const publishAll = () => {
      try {
        for (const observation of source.observe(clock.now())) feedOf(observation).publish(observation);
      } catch (error) {
        onInternalError(error);
      }
    };
    publishAll();
    void Promise.all([...feeds.values()].map((feed) => feed.firstPublished)).then(onPublished);
    for (;;) {
      // Nothing that outlives a tick is waited for with it: each would leave something behind.
      await sleep(timers, intervalMs, { signal: ending }).catch((ended: unknown) => {
        throw failing.signal.aborted ? failing.signal.reason : ended;
      });
      publishAll();
    }
  } finally {
    await Promise.all([...feeds.values()].map((feed) => feed.end()));
  }
}
