/**
 * Submits the prices of one market: one at a time, and of those that arrive meanwhile only the newest. Work that a price causes
 * continues in turns of its own, which delay no later price.
 */
import type { MarketOrdinal } from '#units/ids.ts';
import { priceAtoms } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { CommandRefused, VenueEvent } from '#venue/event.ts';
import { type Submit, VenueHalted, WriterBusy } from '#writer/port/submit.ts';
import type { PriceObservation } from './price-source.ts';

/** A market with an index. */
export interface PricedMarket {
  readonly market: MarketOrdinal;
  readonly priceScale: number;
}

export interface FeedListener {
  readonly onRefused: (price: number, code: CommandRefused['code']) => void;
  /** Receives an internal error with one price: the feed continues with the next. */
  readonly onInternalError: (error: unknown) => void;
  /** The venue accepts no more commands: the feed ends. */
  readonly onHalted: (halted: VenueHalted) => void;
}

export class MarketFeed {
  /** Resolves when the first price is settled, or no price will be submitted. */
  readonly firstPublished: Promise<void>;
  readonly #priced: PricedMarket;
  readonly #submit: Submit;
  readonly #listener: FeedListener;
  readonly #onFirst: () => void;
  #waiting: PriceObservation | undefined;
  #publishing: Promise<void> | undefined;
  #advancing: Promise<void> | undefined;
  /** The venue reported pending work, and no turn for it was submitted since. */
  #hasPending = false;
  #hasEnded = false;

  constructor(priced: PricedMarket, submit: Submit, listener: FeedListener) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.firstPublished = promise;
    this.#onFirst = resolve;
    this.#priced = priced;
    this.#submit = submit;
    this.#listener = listener;
  }

  /** Submits a price after the one in progress. Replaces a price that still waits: the newer one supersedes it. */
  publish(observation: PriceObservation): void {
    this.#waiting = observation;
    this.#publishing ??= this.#publishWaiting().finally(() => {
      this.#publishing = undefined;
    });
  }

  /** Resolves when the commands in progress are settled; no more follow. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await Promise.all([this.#publishing, this.#advancing]);
    this.#onFirst();
  }

  async #publishWaiting(): Promise<void> {
    for (let next = this.#takeWaiting(); next !== undefined; next = this.#takeWaiting()) {
      await this.#publishOne(next);
      this.#onFirst();
    }
  }

  #takeWaiting(): PriceObservation | undefined {
    const next = this.#hasEnded ? undefined : this.#waiting;
    this.#waiting = undefined;
    return next;
  }

  async #publishOne({ price, observedAtEpochMs }: PriceObservation): Promise<void> {
    const { market, priceScale } = this.#priced;
    const events = await this.#eventsOf(() => {
      const onTick = priceAtoms(Math.round(price * 10 ** priceScale));
      return { type: 'PublishIndexPrice', market, priceAtoms: onTick, observedAtEpochMs };
    });
    const refused = events.find((event) => event.type === 'CommandRefused');
    if (refused !== undefined) this.#listener.onRefused(price, refused.code);
    if (!isPending(events)) return;
    this.#hasPending = true;
    this.#advancing ??= this.#advance();
  }

  /** Submits turns for liquidations and funding that do not fit into one turn; other commands run in between. */
  async #advance(): Promise<void> {
    const { market } = this.#priced;
    while (this.#hasPending && !this.#hasEnded) {
      // A price that is settled meanwhile may report pending work again.
      this.#hasPending = false;
      if (isPending(await this.#eventsOf(() => ({ type: 'AdvanceMarket', market })))) this.#hasPending = true;
    }
    this.#advancing = undefined;
  }

  /**
   * Returns the command's events; no events if the writer is busy: the next price supersedes this one, and reports pending work again.
   */
  async #eventsOf(command: () => Command): Promise<readonly VenueEvent[]> {
    if (this.#hasEnded) return [];
    try {
      return (await this.#submit({ command: command() })).events;
    } catch (error) {
      if (error instanceof VenueHalted) {
        this.#hasEnded = true;
        this.#listener.onHalted(error);
      } else if (!(error instanceof WriterBusy)) this.#listener.onInternalError(error);
      return [];
    }
  }
}

function isPending(events: readonly VenueEvent[]): boolean {
  return events.some((event) => event.type === 'MarketWorkPending');
}
