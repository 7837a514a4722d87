/** Views of an account and its markets: the live one, and a past one that replays rewind and advance record by record. */

import type { AccountRow } from '#projection/account-rows.ts';
import type { AccountView } from '#projection/account-values.ts';
import type { LiveModel } from '#projection/live-model.ts';
import type { Change } from '#projection/live-table.ts';
import { type MarketScales, scalesOf } from '#projection/market-scales.ts';
import type { RecordChanges } from '#projection/record-changes.ts';
import type { EpisodeRow, MarketActivityRow, MarketRow } from '#projection/rows.ts';
import type { AccountOrdinal, MarketOrdinal, PositionOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { MarketStatus } from '#venue/market/specification.ts';

/** The state after the newest record. */
export function liveView(model: LiveModel, account: AccountOrdinal): AccountView {
  return {
    row: model.accounts.find(account)!,
    episodes: model.openEpisodes(account),
    nowEpochMs: model.epochMs,
    scales: (market) => model.scales(market),
    activity: (market) => model.marketActivity.find(market)!,
    status: (market) => model.markets.find(market)!.status,
  };
}

/** The state some records ago. */
export class PastView implements AccountView {
  nowEpochMs = 0 as EpochMs;
  readonly #model: LiveModel;
  readonly #account: AccountOrdinal;
  readonly #episodes: Map<PositionOrdinal, EpisodeRow>;
  readonly #activity: Map<MarketOrdinal, MarketActivityRow | undefined>;
  readonly #status: Map<MarketOrdinal, MarketStatus | undefined>;
  readonly #scales: Map<MarketOrdinal, MarketScales>;
  #row: AccountRow | undefined;

  /** Starts with the model's current state. Later changes of the model do not show here. */
  constructor(model: LiveModel, account: AccountOrdinal) {
    this.#model = model;
    this.#account = account;
    this.#row = model.accounts.find(account);
    this.#episodes = new Map(model.openEpisodes(account).map((episode) => [episode.position, episode]));
    this.#activity = new Map([...model.marketActivity.all()].map((activity) => [activity.market, activity]));
    this.#status = new Map([...model.markets.all()].map(({ market, status }) => [market, status]));
    this.#scales = new Map([...model.markets.all()].map(({ market }) => [market, model.scales(market)]));
  }

  /** Reverts the newest record that is applied. */
  rewind(changes: RecordChanges): void {
    this.#apply(changes, 'before');
  }

  /** Applies the next record. */
  advance(changes: RecordChanges): void {
    this.nowEpochMs = changes.epochMs;
    this.#apply(changes, 'after');
  }

  /** False before the record that opened the account. */
  get isOpened(): boolean {
    return this.#row !== undefined;
  }

  get row(): AccountRow {
    return this.#row!;
  }

  get episodes(): readonly EpisodeRow[] {
    return [...this.#episodes.values()].sort((left, right) => left.position - right.position);
  }

  readonly scales = (market: MarketOrdinal): MarketScales => this.#scales.get(market) ?? this.#model.scales(market);

  readonly activity = (market: MarketOrdinal): MarketActivityRow =>
    this.#activity.get(market) ?? this.#model.marketActivity.find(market)!;

  readonly status = (market: MarketOrdinal): MarketStatus => this.#status.get(market) ?? this.#model.markets.find(market)!.status;

  #apply({ accounts, episodes, activity, markets }: RecordChanges, side: 'before' | 'after'): void {
    for (const change of accounts) if (change.after.account === this.#account) this.#row = change[side];
    for (const change of episodes) {
      const { account, position } = change.after;
      if (account !== this.#account) continue;
      const episode = change[side];
      if (episode?.status === 'open') this.#episodes.set(position, episode);
      else this.#episodes.delete(position);
    }
    for (const change of activity) this.#activity.set(change.after.market, change[side]);
    for (const change of markets) {
      this.#status.set(change.after.market, change[side]?.status);
      if (isRespecified(change)) this.#scales.set(change.after.market, scalesOf(change[side]));
    }
  }
}

/** Whether the record gave a listed market another specification. */
export function isRespecified(change: Change<MarketRow>): change is { readonly before: MarketRow; readonly after: MarketRow } {
  return change.before !== undefined && change.before.specification !== change.after.specification;
}
