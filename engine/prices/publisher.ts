/**
 * Brings index prices to the venue: asks the source at a steady pace and submits what it sees, on the market's tick. A
 * refusal is told once; when the writer is full a price is left out, since the next one says more.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { MarketOrdinal } from '#units/ids.ts';
import { priceAtoms } from '#units/money.ts';
import type { CommandRefused } from '#venue/event.ts';
import type { Clock } from '#writer/clock.ts';
import { type Submit, VenueHalted, WriterBusy } from '#writer/submit.ts';
import type { PriceObservation, PriceSource } from './price-source.ts';

/** A market that has an index. */
export interface PricedMarket {
  readonly market: MarketOrdinal;
  readonly priceScale: number;
}

export interface PublisherOptions {
  readonly source: PriceSource;
  /** By market id; what is not in here is never observed. */
  readonly markets: ReadonlyMap<string, PricedMarket>;
  readonly submit: Submit;
  readonly clock: Clock;
  readonly intervalMs: number;
  /** Takes lines for people. */
  readonly log: (line: string) => void;
  /** Takes what should not have happened. */
  readonly onDefect: (error: unknown) => void;
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
      if (!stopping.signal.aborted && !(error instanceof VenueHalted)) options.onDefect(error);
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

async function publish(
  { source, markets, submit, clock, intervalMs, log }: PublisherOptions,
  signal: AbortSignal,
  onPublished: () => void,
): Promise<never> {
  const told = new Set<CommandRefused['code']>();
  for (;;) {
    await Promise.all(
      source.observe(clock.now()).map(async (observation) => {
        const refused = await publishOne(observation, markets, submit);
        if (refused === undefined || told.has(refused)) return;
        told.add(refused);
        log(`prices: the venue refused ${observation.price} for ${observation.marketId}: ${refused} (told once)`);
      }),
    );
    onPublished();
    await sleep(intervalMs, undefined, { signal });
  }
}

async function publishOne(
  { marketId, price, observedAtEpochMs }: PriceObservation,
  markets: PublisherOptions['markets'],
  submit: Submit,
): Promise<CommandRefused['code'] | undefined> {
  const priced = markets.get(marketId);
  if (priced === undefined) throw new Error(`prices for ${marketId}, which is not listed`);
  const onTick = priceAtoms(Math.round(price * 10 ** priced.priceScale));
  const { market } = priced;
  try {
    let { events } = await submit({
      command: { type: 'PublishIndexPrice', market, priceAtoms: onTick, observedAtEpochMs },
    });
    const refused = events.find((event) => event.type === 'CommandRefused');
    // What a price sets going (liquidations, funding) may fit into no single turn: others take theirs in between.
    while (events.some((event) => event.type === 'MarketWorkPending')) {
      ({ events } = await submit({ command: { type: 'AdvanceMarket', market } }));
    }
    return refused?.code;
  } catch (error) {
    if (error instanceof WriterBusy) return undefined;
    throw error;
  }
}
