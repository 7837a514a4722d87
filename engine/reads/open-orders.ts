/** Reads of the writer's own state, ahead of the projection: open orders by name, and previews. */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { PlaceOrder } from '#venue/command.ts';
import type { Preview } from '#venue/preview.ts';
import type { Looked } from '#writer/port/submit.ts';
import type { OrderName } from './answers.ts';

/** What placing an order would do now. Resolves once everything that it takes into account is durable. */
export type PreviewOrder = (command: PlaceOrder) => Promise<Looked<Preview>>;

/**
 * What the venue has open as of its last turn. That is ahead of the disk and of every read: it decides what is submitted, and
 * nothing that is answered.
 */
export interface OpenOrders {
  /** `undefined` where a name is one that the venue has forgotten: then reads have to say. */
  named(account: AccountOrdinal, names: readonly OrderName[]): NamedOrders | undefined;
  /** All of the account, in one market or in all, from the oldest to the newest. */
  all(account: AccountOrdinal, market?: MarketOrdinal): readonly OrderOrdinal[];
  /** Resolves when reads show what was seen here before; or at once where they never will, for the venue has halted. */
  settled(): Promise<void>;
}

/** Orders as they were named, in that order, and those of them that are open and the account's, each once. */
export interface NamedOrders {
  readonly orders: readonly OrderOrdinal[];
  readonly open: readonly OrderOrdinal[];
}
