/** What a market's status, its index and its backlog permit, and how a status may change. Tables; who asks decides. */
import type { IndexStatus, MarketStatus } from './specification.ts';

/** What happens in a market, by who may come to harm by it: whoever takes on risk, gives it up, or is made to. */
export type MarketActivity = 'open_risk' | 'reduce' | 'cancel' | 'liquidate' | 'fund';

type Permissions = Readonly<Record<MarketActivity, boolean>>;

const ALL_PERMITTED: Permissions = { open_risk: true, reduce: true, cancel: true, liquidate: true, fund: true };
const CANCEL_ONLY: Permissions = { open_risk: false, reduce: false, cancel: true, liquidate: false, fund: false };

/**
 * An open order can be cancelled whatever happens. Nobody is liquidated, and nobody pays funding by a frozen book,
 * where they could not reduce their position themselves.
 */
const BY_STATUS: Readonly<Record<MarketStatus, Permissions>> = {
  draft: CANCEL_ONLY,
  open: ALL_PERMITTED,
  reduce_only: { ...ALL_PERMITTED, open_risk: false },
  cancel_only: CANCEL_ONLY,
  closed: CANCEL_ONLY,
};

/** Without an index that can be relied on there is no mark to open, liquidate or pay by; whoever wants out may leave. */
const WITHOUT_INDEX: Permissions = { open_risk: false, reduce: true, cancel: true, liquidate: false, fund: false };

const BY_INDEX: Readonly<Record<IndexStatus, Permissions>> = {
  current: ALL_PERMITTED,
  unconfirmed: WITHOUT_INDEX,
  stale: WITHOUT_INDEX,
};

/**
 * While a position is to be liquidated and no turn has come to it yet, nobody takes on risk: else whoever is in profit sells
 * to newcomers, and nobody is left to close it against. Those that wait for another price count no more: that may take long.
 */
const DURING_LIQUIDATIONS: Permissions = { ...ALL_PERMITTED, open_risk: false };

const NEXT_STATUSES: Readonly<Record<MarketStatus, readonly MarketStatus[]>> = {
  draft: ['open', 'closed'],
  open: ['reduce_only', 'cancel_only'],
  reduce_only: ['open', 'cancel_only'],
  cancel_only: ['open', 'reduce_only', 'closed'],
  closed: [],
};

/** Whether an activity may go on in a market of this status, with an index and a backlog in this state: all must permit it. */
export function isPermitted(
  activity: MarketActivity,
  status: MarketStatus,
  indexStatus: IndexStatus,
  hasLiquidationDue: boolean,
): boolean {
  const permitted = BY_STATUS[status][activity] && BY_INDEX[indexStatus][activity];
  return permitted && (!hasLiquidationDue || DURING_LIQUIDATIONS[activity]);
}

/** Whether a status may follow another; none follows itself. Whoever closes a market makes sure that nobody holds anything in it. */
export function isValidTransition(status: MarketStatus, next: MarketStatus): boolean {
  return NEXT_STATUSES[status].includes(next);
}
