/** What an order waits for, and the legs of an entry order: stored as JSON in the order's row, because few orders have either. */
import type { OrderOrdinal } from '#units/ids.ts';
import type { Bps, EpochMs, PriceAtoms } from '#units/money.ts';
import type { TriggerDirection, TriggerKind, TriggerSource } from '#venue/trigger/trigger-terms.ts';

export interface OrderConditionColumns {
  /** A {@link StoredTrigger}. */
  readonly trigger: string | null;
  /** The numbers of the order's legs. */
  readonly attached: string | null;
}

export interface StoredTrigger {
  readonly kind: TriggerKind;
  readonly source: TriggerSource;
  readonly direction: TriggerDirection;
  /** For a trailing stop the price at which it would trigger first, then the one at which it did. */
  readonly priceAtoms: PriceAtoms;
  readonly trailingAtoms: PriceAtoms;
  readonly trailingBps: Bps;
  readonly closePosition: boolean;
  /** 0 without one. */
  readonly entry: OrderOrdinal;
  readonly linked: OrderOrdinal;
  /** `entry`: it waits for its entry order to fill. */
  readonly status: 'entry' | 'waiting' | 'triggered';
  readonly triggeredAtEpochMs: EpochMs | null;
}
