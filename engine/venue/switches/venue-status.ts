/** Tables of what the status of the venue permits, and of the status that it limits its markets to. */
import type { MarketStatus } from '#venue/market/specification.ts';

export const VENUE_STATUSES = ['open', 'intake_paused', 'halted'] as const;
export type VenueStatus = (typeof VENUE_STATUSES)[number];

/** What clients request: orders that may open risk, orders that only reduce a position, moving money, registrations, cancels. */
export type VenueActivity = 'open_risk' | 'reduce' | 'move_money' | 'register' | 'cancel';

/** The operator's own commands are permitted in every status. */
const BY_STATUS: Readonly<Record<VenueStatus, Readonly<Record<VenueActivity, boolean>>>> = {
  open: { open_risk: true, reduce: true, move_money: true, register: true, cancel: true },
  // Liquidations continue, so owners must be able to reduce their positions themselves.
  intake_paused: { open_risk: false, reduce: true, move_money: false, register: false, cancel: true },
  halted: { open_risk: false, reduce: false, move_money: false, register: false, cancel: true },
};

/** Each market permits at most what a market of this status does; its own status may permit less. */
const MARKETS_AS: Readonly<Record<VenueStatus, MarketStatus>> = {
  open: 'open',
  intake_paused: 'reduce_only',
  halted: 'cancel_only',
};

export function venuePermits(status: VenueStatus, activity: VenueActivity): boolean {
  return BY_STATUS[status][activity];
}

/**
 * Without trading, owners cannot reduce their positions, so liquidations and funding stop as in a halted venue.
 */
export function marketLimitOf(status: VenueStatus, isTradingOn: boolean): MarketStatus {
  return isTradingOn ? MARKETS_AS[status] : 'cancel_only';
}
