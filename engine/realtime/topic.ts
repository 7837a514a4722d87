/** A topic, a channel of one market or account, and its subscribers. An update is rendered once for all of them. */
import type { LiveCandleSeriesName, Timeframe } from '#contract/markets.ts';
import type { AccountChannel, MarketChannel } from '#contract/realtime-channels.ts';
import type { MarketScales } from '#projection/market-scales.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { renderAccountId } from '#units/ids.ts';
import { textFrame } from './frame-bytes.ts';

export type Subject =
  | {
      readonly channel: MarketChannel;
      readonly market: MarketScales;
      /** Only of `market.candles`. */
      readonly series?: LiveCandleSeriesName;
      readonly timeframe?: Timeframe;
    }
  | { readonly channel: AccountChannel; readonly account: AccountOrdinal };

/** One update before it is rendered. */
export interface Update {
  readonly sequence: number;
  readonly epochMs: number;
  readonly data: object;
}

/** Rendered frames for a socket. */
export interface Outgoing {
  readonly bytes: Buffer;
  readonly frames: number;
}

export class Topic<Subscriber> {
  readonly subject: Subject;
  readonly key: string;
  readonly connections = new Set<Subscriber>();
  /** The sequence of the last update; see `previousSequence` of the contract. */
  lastSequence: number;
  /** The newest update of a topic whose updates replace each other. */
  newest: Outgoing | undefined;
  /** The state in the last update, as JSON. */
  publishedState: string | undefined;
  /** When it first changed since the last flush, if its state goes out with the next one. */
  changedSinceEpochMs: number | undefined;
  #pending: Buffer[] = [];

  constructor(subject: Subject, sequence: number) {
    this.subject = subject;
    this.key = keyOf(subject);
    this.lastSequence = sequence;
  }

  /** Notes a change; the next flush renders the state. */
  changed(epochMs: number): void {
    this.changedSinceEpochMs ??= epochMs;
  }

  push(update: Update): void {
    this.#add(update, JSON.stringify(update.data));
  }

  /** Skips an unchanged state. */
  pushState(update: Update): void {
    const state = JSON.stringify(update.data);
    if (state === this.publishedState) return;
    this.publishedState = state;
    this.#add(update, state);
  }

  /** Returns and clears the updates of the flush. */
  takePending(): Outgoing | undefined {
    const pending = this.#pending;
    if (pending.length === 0) return undefined;
    this.#pending = [];
    return { bytes: pending.length === 1 ? pending[0]! : Buffer.concat(pending), frames: pending.length };
  }

  #add(update: Update, data: string): void {
    this.#pending.push(updateBytes(this.subject, update, this.lastSequence, data));
    this.lastSequence = update.sequence;
  }
}

/** `data` is JSON. */
export function updateBytes(
  subject: Subject,
  { sequence, epochMs }: Omit<Update, 'data'>,
  previousSequence: number,
  data: string,
): Buffer {
  const address = addressOf(subject);
  const head = JSON.stringify({ type: 'update', channel: subject.channel, ...address, sequence, previousSequence, epochMs });
  return textFrame(`${head.slice(0, -1)},"data":${data}}`);
}

/** The fields by which frames name the subject. */
export function addressOf(subject: Subject): Readonly<Record<string, string>> {
  if ('account' in subject) return { accountId: renderAccountId(subject.account) };
  const { market, series, timeframe } = subject;
  return { marketId: market.marketId, ...(series !== undefined && { series }), ...(timeframe !== undefined && { timeframe }) };
}

export function keyOf(subject: Subject): string {
  return [subject.channel, ...Object.values(addressOf(subject))].join(' ');
}
