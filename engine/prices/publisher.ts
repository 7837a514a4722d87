/**
 * Publishes index prices to the venue: polls the source at an interval and submits its prices, rounded to the tick, each market
 * by a feed of its own (`market-feed.ts`), so that markets do not delay each other. Logs each refusal once.
 */

import type { Clock } from '#time/clock.ts';
import { sleep, type Timers } from '#time/timers.ts';
import type { CommandRefused } from '#venue/event.ts';
import { type Submit, VenueHalted } from '#writer/port/submit.ts';
import { MarketFeed, type PricedMarket } from './market-feed.ts';
import type { PriceObservation, PriceSource } from './price-source.ts';

export interface PublisherOptions {
  readonly source: PriceSource;
  /** By market id; prices of other markets are an error. */
  readonly markets: ReadonlyMap<string, PricedMarket>;
  readonly submit: Submit;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly intervalMs: number;
  /** Receives log lines. */
  readonly log: (line: string) => void;
  /** Receives an internal error of the source, or with one price: publishing continues. */
  readonly onInternalError: (error: unknown) => void;
}

export interface Publisher {
  /** Resolves when the first prices are settled, or no price will be submitted. */
  readonly published: Promise<void>;
  /** Resolves when the last price in progress is settled. */
  stop(): Promise<void>;
}

export function startPublisher(options: PublisherOptions): Publisher {
  const stopping = new AbortController();
  const { promise: published, resolve: onPublished } = Promise.withResolvers<void>();
  const running = publish(options, stopping.signal, onPublished)
    .catch((error: unknown) => {
      // A halted venue reports that itself, and accepts no prices until it is restarted.
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

/** Rejects when a feed halts or the signal aborts, after all commands in progress are settled. */
async function publish(
  { source, markets, submit, clock, timers, intervalMs, log, onInternalError }: PublisherOptions,
  signal: AbortSignal,
  onPublished: () => void,
): Promise<never> {
  const failing = new AbortController();
  const ending = AbortSignal.any([signal, failing.signal]);
  const logged = new Set<CommandRefused['code']>();
  const feeds = new Map<string, MarketFeed>();
  const feedOf = ({ marketId }: PriceObservation) => {
    const known = feeds.get(marketId);
    if (known !== undefined) return known;
    const priced = markets.get(marketId);
    if (priced === undefined) throw new Error(`prices for ${marketId}, which is not listed`);
    const onRefused = (price: number, code: CommandRefused['code']) => {
      if (logged.has(code)) return;
      logged.add(code);
      log(`prices: the venue refused ${price} for ${marketId}: ${code} (logged once)`);
    };
    const feed = new MarketFeed(priced, submit, {
      onRefused,
      onInternalError,
      onHalted: (halted) => failing.abort(halted),
    });
    feeds.set(marketId, feed);
    return feed;
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
      // Awaits only per-tick promises: waiting on a longer-lived one would add a handler to it on each tick.
      await sleep(timers, intervalMs, { signal: ending }).catch((ended: unknown) => {
        throw failing.signal.aborted ? failing.signal.reason : ended;
      });
      publishAll();
    }
  } finally {
    await Promise.all([...feeds.values()].map((feed) => feed.end()));
  }
}
