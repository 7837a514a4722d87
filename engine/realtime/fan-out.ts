/**
 * From committed groups to frames. Trades and prices go out as they were committed, one frame per sequence; books and
 * tickers are noted as changed and go out a few times per second as complete snapshots of the newest state, so that a
 * burst of orders costs one frame and not a thousand. What nobody subscribes to is not made.
 */
import type { MarketStats, PublicTrade } from '#contract/markets.ts';
import type { PublicChannel, ServerFrame } from '#contract/realtime.ts';
import { renderDecimal } from '#units/decimal.ts';
import { type MarketOrdinal, renderOrdinal } from '#units/ids.ts';
import { SETTLEMENT_DECIMALS } from '#units/money.ts';
import type { MarketPriced, TradeExecuted, VenueEvent } from '#venue/event.ts';
import type { CommittedGroup, CommittedRecord } from '#writer/submit.ts';
import type { Connection } from './connection.ts';
import type { RealtimeReads, ShownMarket } from './ports.ts';

/** Levels per side of a `market.book` frame. */
const BOOK_DEPTH = 50;

interface Topic {
  readonly channel: PublicChannel;
  readonly market: ShownMarket;
  readonly connections: Set<Connection>;
}

export class FanOut {
  readonly #reads: RealtimeReads;
  readonly #provider: string;
  readonly #onDefect: (defect: unknown) => undefined;
  readonly #topics = new Map<string, Topic>();
  readonly #changed = new Set<string>();
  readonly #beingRead = new Set<string>();

  constructor(reads: RealtimeReads, provider: string, onDefect: (defect: unknown) => void) {
    this.#reads = reads;
    this.#onDefect = (defect) => {
      onDefect(defect);
      return undefined;
    };
    this.#provider = provider;
  }

  /** Adds the client and, where the channel has a state, tells it how things stand. */
  subscribe(connection: Connection, channel: PublicChannel, market: ShownMarket): void {
    const key = keyOf(channel, market.market);
    const topic: Topic = this.#topics.get(key) ?? { channel, market, connections: new Set() };
    this.#topics.set(key, topic);
    topic.connections.add(connection);
    connection.subscriptions.add(key);
    connection.send({ type: 'subscribed', channel, marketId: market.marketId, sequence: this.#reads.sequence() });
    if (channel === 'market.book' || channel === 'market.ticker') void this.#sendSnapshot(topic, connection);
  }

  unsubscribe(connection: Connection, channel: PublicChannel, market: ShownMarket): void {
    this.#leave(connection, keyOf(channel, market.market));
    connection.send({ type: 'unsubscribed', channel, marketId: market.marketId, sequence: this.#reads.sequence() });
  }

  /** Forgets a client that is gone. */
  drop(connection: Connection): void {
    for (const key of connection.subscriptions) this.#leave(connection, key);
  }

  follow({ records }: CommittedGroup): void {
    if (this.#topics.size === 0) return;
    for (const record of records) this.#followRecord(record);
  }

  /** Sends the books and tickers that changed since the last time. */
  flush(): void {
    for (const key of this.#changed) {
      const topic = this.#topics.get(key);
      // Changed again while it is being read, it goes out the next time.
      if (topic !== undefined && this.#beingRead.has(key)) continue;
      this.#changed.delete(key);
      if (topic !== undefined) void this.#publishSnapshot(key, topic);
    }
  }

  #followRecord(record: CommittedRecord): void {
    const trades = new Map<MarketOrdinal, TradeExecuted[]>();
    for (const event of record.events) {
      if (movesBook(event)) this.#changed.add(keyOf('market.book', event.market));
      if (event.type === 'MarketPriced') this.#sendPrice(record, event);
      if (event.type !== 'TradeExecuted') continue;
      // A price that nobody quoted is no ticker's: it goes out as a trade alone, and says what it is.
      if (isQuoted(event)) this.#changed.add(keyOf('market.ticker', event.market));
      const before = trades.get(event.market);
      if (before === undefined) trades.set(event.market, [event]);
      else before.push(event);
    }
    for (const [market, executed] of trades) this.#sendTrades(record, market, executed);
  }

  #sendPrice({ sequence, epochMs }: CommittedRecord, event: MarketPriced): void {
    const topic = this.#topics.get(keyOf('market.price', event.market));
    // Before the first price that holds there is none to tell.
    if (topic === undefined || event.indexPriceAtoms === 0) return;
    const { marketId, priceScale } = topic.market;
    const data = {
      indexPrice: renderDecimal(event.indexPriceAtoms, priceScale),
      markPrice: renderDecimal(event.markPriceAtoms, priceScale),
      observedAtEpochMs: event.observedAtEpochMs,
      indexStatus: event.indexStatus,
      provider: this.#provider,
    };
    publish(topic, { type: 'update', channel: topic.channel, marketId, sequence, epochMs, data });
  }

  #sendTrades({ sequence, epochMs }: CommittedRecord, market: MarketOrdinal, executed: readonly TradeExecuted[]): void {
    const topic = this.#topics.get(keyOf('market.trades', market));
    if (topic === undefined) return;
    const trades = executed.map((event) => tradeOf(event, topic.market, sequence, epochMs));
    publish(topic, {
      type: 'update',
      channel: topic.channel,
      marketId: topic.market.marketId,
      sequence,
      epochMs,
      data: { trades },
    });
  }

  /** Tells a new client how things stand, unless it is gone by then. */
  async #sendSnapshot(topic: Topic, connection: Connection): Promise<void> {
    const frame = await this.#snapshotFrame(topic).catch(this.#onDefect);
    if (frame !== undefined && topic.connections.has(connection)) connection.send(frame);
  }

  async #publishSnapshot(key: string, topic: Topic): Promise<void> {
    this.#beingRead.add(key);
    const frame = await this.#snapshotFrame(topic).catch(this.#onDefect);
    this.#beingRead.delete(key);
    if (frame !== undefined) publish(topic, frame);
  }

  async #snapshotFrame({ channel, market }: Topic): Promise<ServerFrame> {
    const { sequence, asOfEpochMs, ...data } =
      channel === 'market.book'
        ? await this.#reads.book(market.market, BOOK_DEPTH)
        : ((await this.#reads.stats(market.market)) satisfies MarketStats);
    return { type: 'update', channel, marketId: market.marketId, sequence, epochMs: asOfEpochMs, data };
  }

  #leave(connection: Connection, key: string): void {
    connection.subscriptions.delete(key);
    const topic = this.#topics.get(key);
    topic?.connections.delete(connection);
    if (topic?.connections.size === 0) this.#topics.delete(key);
  }
}

function keyOf(channel: PublicChannel, market: MarketOrdinal): string {
  return `${channel} ${market}`;
}

/** Trades eat what rests, so they move the book too; but for a deleveraging, which meets no book. */
function movesBook(
  event: VenueEvent,
): event is Extract<VenueEvent, { type: 'OrderRested' | 'OrderCancelled' | 'TradeExecuted' }> {
  if (event.type === 'TradeExecuted') return isQuoted(event);
  return event.type === 'OrderRested' || (event.type === 'OrderCancelled' && event.wasResting);
}

/** What deleverages closes two positions against each other, at a price that no order was placed at. */
function isQuoted({ origin }: TradeExecuted): boolean {
  return origin !== 'auto_deleveraging';
}

/** Written out once, sent to all. */
function publish({ connections }: Topic, frame: ServerFrame): void {
  const text = JSON.stringify(frame);
  for (const connection of connections) connection.sendText(text);
}

function tradeOf(
  event: TradeExecuted,
  { marketId, priceScale, quantityScale }: ShownMarket,
  sequence: number,
  epochMs: number,
): PublicTrade {
  return {
    tradeId: renderOrdinal(event.trade),
    marketId,
    side: event.takerSide,
    ...(event.origin !== 'client' && { origin: event.origin }),
    price: renderDecimal(event.priceAtoms, priceScale),
    quantity: renderDecimal(event.quantityAtoms, quantityScale),
    notional: renderDecimal(event.notionalAtoms, SETTLEMENT_DECIMALS),
    executedAtEpochMs: epochMs,
    sequence,
  };
}
