/** The terms of orders that wait for a price, and of the stop-loss and take-profit that an entry order carries. */
import type { Bps, PriceAtoms } from '#units/money.ts';

export const TRIGGER_KINDS = ['stop_loss', 'take_profit', 'trigger', 'trailing_stop'] as const;
export type TriggerKind = (typeof TRIGGER_KINDS)[number];

/** The price that an order waits for. */
export const TRIGGER_SOURCES = ['mark', 'index', 'last'] as const;
export type TriggerSource = (typeof TRIGGER_SOURCES)[number];

/** On which side of its trigger price the source must be: `below` is at or below, `above` is at or above. */
export const TRIGGER_DIRECTIONS = ['below', 'above'] as const;
export type TriggerDirection = (typeof TRIGGER_DIRECTIONS)[number];

/** What an order waits for. Without a price it is a trailing stop, which has a distance: an amount or a share of the best price. */
export interface TriggerTerms {
  readonly kind: TriggerKind;
  readonly source: TriggerSource;
  /** `derived`: it follows from kind and side, or for a plain trigger from the price of the source when the order is placed. */
  readonly direction: TriggerDirection | 'derived';
  /** 0 for a trailing stop. */
  readonly priceAtoms: PriceAtoms;
  /** Exactly one of these is above 0 for a trailing stop, none for other kinds. */
  readonly trailingAtoms: PriceAtoms;
  readonly trailingBps: Bps;
  /** The order closes whatever the position is when it triggers. Its own quantity is 0. */
  readonly closePosition: boolean;
  /** The client order id of the waiting order that is cancelled when this one triggers, and the other way round; or empty. */
  readonly linkedClientOrderId: string;
}

/** A stop-loss or take-profit of an entry order. */
export interface LegTerms {
  readonly source: TriggerSource;
  readonly triggerPriceAtoms: PriceAtoms;
  /** The limit price when triggered; 0 for a market order. */
  readonly priceAtoms: PriceAtoms;
}

export interface AttachedLegs {
  readonly stopLoss?: LegTerms;
  readonly takeProfit?: LegTerms;
}
