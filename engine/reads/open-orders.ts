/** Reads of the writer's own state, which is ahead of the projection: open orders by name, and previews. */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { PlaceOrder } from '#venue/command.ts';
import type { Preview } from '#venue/preview.ts';
import type { StateView } from '#writer/port/submit.ts';
import type { OrderName } from './resource-reads.ts';

/** Previews an order. Resolves once everything that the preview takes into account is durable. */
export type PreviewOrder = (command: PlaceOrder) => Promise<StateView<Preview>>;

/**
 * The open orders as of the venue's last turn. This is ahead of the disk and of every read: use it to decide what to submit,
 * never in a response.
 */
export interface OpenOrders {
  /** `undefined` if the venue has dropped a name: then query the reads. */
  named(account: AccountOrdinal, names: readonly OrderName[]): NamedOrders | undefined;
  /** All open orders of the account, in one market or in all, from the oldest to the newest. */
  all(account: AccountOrdinal, market?: MarketOrdinal): readonly OrderOrdinal[];
  /** The timers that will cancel the account's orders. Resolves once they are durable, so they may be in a response. */
  cancelTimers(account: AccountOrdinal): Promise<StateView<readonly ActiveCancelTimer[]>>;
  /** Whether `EndDueOrders` has something to end. */
  isDue(): boolean;
  /** Resolves when reads reflect everything seen here before; or at once if they never will, because the venue has halted. */
  settled(): Promise<void>;
}

/** A timer that will cancel orders; `null` for all markets. */
export interface ActiveCancelTimer {
  readonly marketId: string | null;
  readonly cancelsAtEpochMs: EpochMs;
}

/** The named orders in the given order, and those of them that are open and the account's, each once. */
export interface NamedOrders {
  readonly orders: readonly OrderOrdinal[];
  readonly open: readonly OrderOrdinal[];
}
