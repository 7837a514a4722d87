/** What can be subscribed to, and who is: a channel of one market or account. An update of it is written out once, for all of them. */
import type { CandleSeriesName, Timeframe } from '#contract/markets.ts';
import type { AccountChannel, MarketChannel } from '#contract/realtime-channels.ts';
import type { MarketScales } from '#projection/market-scales.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { renderAccountId } from '#units/ids.ts';
import { textFrame } from './frame-bytes.ts';

export type Subject =
  | {
      readonly channel: MarketChannel;
      readonly market: MarketScales;
      /** Of candles. */
      readonly series?: CandleSeriesName;
      readonly timeframe?: Timeframe;
    }
  | { readonly channel: AccountChannel; readonly account: AccountOrdinal };

/** One update, before it is written out. */
export interface Update {
  readonly sequence: number;
  readonly epochMs: number;
  readonly data: object;
}

/** Frames on their way to a socket. */
export interface Outgoing {
  readonly bytes: Buffer;
  readonly frames: number;
}

export class Topic<Subscriber> {
  readonly subject: Subject;
  readonly key: string;
  readonly connections = new Set<Subscriber>();
  /** Up to here there is no update but those that were sent; see `previousSequence` of the contract. */
  lastSequence: number;
  /** The newest update, of a topic whose updates replace each other. */
  newest: Outgoing | undefined;
  /** What it told, as JSON. */
  toldState: string | undefined;
  /** Since when it has changed, where its state goes out with the next flush. */
  changedSinceEpochMs: number | undefined;
  #pending: Buffer[] = [];

  constructor(subject: Subject, sequence: number) {
    this.subject = subject;
    this.key = keyOf(subject);
    this.lastSequence = sequence;
  }

  /** Notes that it has changed; its state is asked for with the next flush. */
  changed(epochMs: number): void {
    this.changedSinceEpochMs ??= epochMs;
  }

  push(update: Update): void {
    this.#add(update, JSON.stringify(update.data));
  }

  /** Of updates that replace each other, one that is as the last is none. */
  pushState(update: Update): void {
    const state = JSON.stringify(update.data);
    if (state === this.toldState) return;
    this.toldState = state;
    this.#add(update, state);
  }

  /** What is to go out. */
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

/** As frames name it. */
export function addressOf(subject: Subject): Readonly<Record<string, string>> {
  if ('account' in subject) return { accountId: renderAccountId(subject.account) };
  const { market, series, timeframe } = subject;
  return { marketId: market.marketId, ...(series !== undefined && { series }), ...(timeframe !== undefined && { timeframe }) };
}

export function keyOf(subject: Subject): string {
  return [subject.channel, ...Object.values(addressOf(subject))].join(' ');
}
