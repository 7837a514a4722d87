/**
 * The prices of one market on their way to the venue: one at a time, and of those that come meanwhile the newest. What a price
 * sets going goes on beside that in turns of its own: it goes by the prices that follow, and holds none of them up.
 */
import type { MarketOrdinal } from '#units/ids.ts';
import { priceAtoms } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { CommandRefused, VenueEvent } from '#venue/event.ts';
import { type Submit, VenueHalted, WriterBusy } from '#writer/port/submit.ts';
import type { PriceObservation } from './price-source.ts';

/** A market that has an index. */
export interface PricedMarket {
  readonly market: MarketOrdinal;
  readonly priceScale: number;
}

export interface FeedListener {
  readonly onRefused: (price: number, code: CommandRefused['code']) => void;
  /** Takes an internal error with one price: the feed goes on with the next. */
  readonly onInternalError: (error: unknown) => void;
  /** The venue takes nothing any more: nothing more comes of this feed. */
  readonly onHalted: (halted: VenueHalted) => void;
}

export class MarketFeed {
  /** Resolves when its first price is settled, or none will be. */
  readonly firstPublished: Promise<void>;
  readonly #priced: PricedMarket;
  readonly #submit: Submit;
  readonly #listener: FeedListener;
  readonly #onFirst: () => void;
  #waiting: PriceObservation | undefined;
  #publishing: Promise<void> | undefined;
  #advancing: Promise<void> | undefined;
  /** The venue has said that work is left over, and no turn was asked for since. */
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

  /** Sends a price, after the one that is under way; another one that waits for that is left out: this one says more. */
  publish(observation: PriceObservation): void {
    this.#waiting = observation;
    this.#publishing ??= this.#publishWaiting().finally(() => {
      this.#publishing = undefined;
    });
  }

  /** Resolves when what is under way is settled; nothing follows it. */
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
    const events = await this.#told(() => {
      const onTick = priceAtoms(Math.round(price * 10 ** priceScale));
      return { type: 'PublishIndexPrice', market, priceAtoms: onTick, observedAtEpochMs };
    });
    const refused = events.find((event) => event.type === 'CommandRefused');
    if (refused !== undefined) this.#listener.onRefused(price, refused.code);
    if (!isPending(events)) return;
    this.#hasPending = true;
    this.#advancing ??= this.#advance();
  }

  /** Liquidations and funding that fit into no single turn: others take theirs in between. */
  async #advance(): Promise<void> {
    const { market } = this.#priced;
    while (this.#hasPending && !this.#hasEnded) {
      // A price that is answered meanwhile may say so again.
      this.#hasPending = false;
      if (isPending(await this.#told(() => ({ type: 'AdvanceMarket', market })))) this.#hasPending = true;
    }
    this.#advancing = undefined;
  }

  /** What came of a command; nothing where the writer is full: the next price says more, and what is pending. */
  async #told(command: () => Command): Promise<readonly VenueEvent[]> {
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
