/**
 * The source of book updates: a venue in a thread of its own whose every turn changes the best levels of one book. Each update is
 * published at its time, as a committed group (`venue`) or as its rendered frame (`naive`, `windowed`).
 */
import { parentPort, workerData } from 'node:worker_threads';
import { gathered, LiveModel } from '#projection/projection.ts';
import { bookData } from '#realtime/market-updates.ts';
import { SCENARIO_MARKET } from '#simulation/scenario.ts';
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, Sequence } from '#units/ids.ts';
import type { BaseAtoms, EpochMs, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { Command, Side } from '#venue/command.ts';
import { Venue } from '#venue/venue.ts';
import { CHAIN_START, GroupBuilder } from '#writer/journal/group.ts';
import { DurableGroup } from '#writer/port/durable-group.ts';

/** `windowed` is `naive` with the window of the service. */
export type FeedKind = 'venue' | 'naive' | 'windowed';

/** The number of updates, and the rate per second. */
export interface Feed {
  readonly updates: number;
  readonly perSecond: number;
}

export type FeederMessage =
  | { readonly type: 'group'; readonly bytes: Uint8Array; readonly epochMs: EpochMs }
  | { readonly type: 'frame'; readonly text: string }
  /** A book exists. */
  | { readonly type: 'started' }
  /** All updates of a feed are published. */
  | { readonly type: 'done'; readonly startedAtMs: number; readonly sequence: number };

const ACCOUNT = 1 as AccountOrdinal;
const MARKET = 1 as MarketOrdinal;
const LEVELS = 50;

export const EMPTY = gathered({ sequence: 0 as Sequence, chainDigest: '', epochMs: 0 as EpochMs, pieces: [] });

class Feeder {
  readonly #kind: FeedKind;
  readonly #venue = new Venue();
  readonly #model = new LiveModel(EMPTY);
  readonly #builder = new GroupBuilder();
  #digest: Uint8Array = CHAIN_START;
  #sequence = 0;
  #orders = 0;
  readonly #resting: OrderOrdinal[] = [];

  constructor(kind: FeedKind) {
    this.#kind = kind;
    this.#publish({ type: 'ListMarket', specification: SCENARIO_MARKET, status: 'open' });
    this.#publish({ type: 'PublishIndexPrice', market: MARKET, priceAtoms: 10_000 as PriceAtoms, observedAtEpochMs: now() });
    this.#publish({ type: 'OpenAccount', label: 'maker', partyId: 'party', digestSeed: 1 });
    this.#publish({ type: 'CreditCash', account: ACCOUNT, amountAtoms: 1_000_000_000_000 as QuoteAtoms, reference: 'bench' });
    for (let level = 1; level <= LEVELS; level += 1) {
      this.#publish(this.#order('buy', 10_000 - level));
      this.#publish(this.#order('sell', 10_000 + level));
    }
  }

  async feed({ updates, perSecond }: Feed): Promise<void> {
    const startedAtMs = sharedMs();
    for (let reported = 0; reported < updates; ) {
      const due = Math.min(updates, Math.floor(((sharedMs() - startedAtMs) * perSecond) / 1_000) + 1);
      for (; reported < due; reported += 1) this.#update();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    post({ type: 'done', startedAtMs, sequence: this.#sequence });
  }

  /**
   * Adds an order at the best price, or removes the one before the last: no book equals an earlier one, since equal books are not
   * sent.
   */
  #update(): void {
    if (this.#resting.length === 2) {
      this.#publish({ type: 'CancelOrder', account: ACCOUNT, order: this.#resting.shift()! });
      return;
    }
    this.#publish(this.#order('buy', 9_999, 1_000 + (this.#orders % 10_000)));
    this.#resting.push(this.#orders as OrderOrdinal);
  }

  #order(side: Side, price: number, quantity = 1_000): Command {
    this.#orders += 1;
    const clientOrderId = `order-${this.#orders}`;
    const terms = {
      kind: 'limit',
      priceAtoms: price as PriceAtoms,
      quantityAtoms: quantity as BaseAtoms,
      postOnly: false,
    } as const;
    const flags = { reduceOnly: false, leverageHundredths: 0, idempotencyKey: clientOrderId };
    return { type: 'PlaceOrder', account: ACCOUNT, market: MARKET, clientOrderId, side, terms, ...flags };
  }

  #publish(command: Command): void {
    const previousSequence = this.#sequence;
    this.#sequence += 1;
    const [sequence, epochMs] = [this.#sequence as Sequence, now()];
    this.#builder.begin(this.#sequence, sequence, this.#digest);
    this.#builder.openRecord({ sequence, epochMs, rulesVersion: 1, key: undefined }, command);
    this.#venue.turn({ sequence, epochMs, command }, this.#builder.events);
    this.#builder.closeRecord();
    this.#builder.seal();
    this.#digest = Uint8Array.from(this.#builder.digest);
    const bytes = new Uint8Array(this.#builder.sealed.bytes);
    if (this.#kind === 'venue') {
      post({ type: 'group', bytes, epochMs }, [bytes.buffer]);
      return;
    }
    const [record] = new DurableGroup(this.#builder.sealed).records;
    this.#model.fold(record!, { number: 0, firstSequence: sequence, lastSequence: sequence, digest: '', previousDigest: '' });
    const market = this.#model.scales(MARKET);
    const { marketId } = market;
    const data = bookData(this.#model, market);
    const frame = { type: 'update', channel: 'market.book', marketId, sequence, previousSequence, epochMs, data };
    post({ type: 'frame', text: JSON.stringify(frame) });
  }
}

/** On a clock that all processes share. */
function sharedMs(): number {
  return performance.timeOrigin + performance.now();
}

function now(): EpochMs {
  return Math.floor(sharedMs()) as EpochMs;
}

function post(fed: FeederMessage, transfer: readonly ArrayBuffer[] = []): void {
  parentPort!.postMessage(fed, transfer);
}

if (parentPort !== null) {
  const feeder = new Feeder((workerData as { kind: FeedKind }).kind);
  post({ type: 'started' });
  parentPort.on('message', (feed: Feed) => void feeder.feed(feed));
}
