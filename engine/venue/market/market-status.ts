/** Tables of what a market's status, index and liquidation backlog permit, and of valid status transitions. */
import type { IndexStatus, MarketStatus } from './specification.ts';

/** The activities in a market, by their effect on risk: an account takes it on, gives it up, or is forced to. */
export type MarketActivity = 'open_risk' | 'reduce' | 'cancel' | 'liquidate' | 'fund';

type Permissions = Readonly<Record<MarketActivity, boolean>>;

const ALL_PERMITTED: Permissions = { open_risk: true, reduce: true, cancel: true, liquidate: true, fund: true };
const CANCEL_ONLY: Permissions = { open_risk: false, reduce: false, cancel: true, liquidate: false, fund: false };

/**
 * Cancelling is always permitted. Liquidations and funding stop in a status in which owners cannot reduce their positions
 * themselves. Funding must not follow a frozen book.
 */
const BY_STATUS: Readonly<Record<MarketStatus, Permissions>> = {
  draft: CANCEL_ONLY,
  open: ALL_PERMITTED,
  reduce_only: { ...ALL_PERMITTED, open_risk: false },
  cancel_only: CANCEL_ONLY,
  closed: CANCEL_ONLY,
};

/** Without a reliable index there is no mark for opening, liquidations or funding. Reducing stays permitted. */
const WITHOUT_INDEX: Permissions = { open_risk: false, reduce: true, cancel: true, liquidate: false, fund: false };

const BY_INDEX: Readonly<Record<IndexStatus, Permissions>> = {
  current: ALL_PERMITTED,
  unconfirmed: WITHOUT_INDEX,
  stale: WITHOUT_INDEX,
};

/**
 * While a due liquidation has not been tried, no account may take on risk. Otherwise profitable positions could sell to new
 * accounts, and no position would be left for deleveraging. Parked positions do not count, because they may wait for long.
 */
const DURING_LIQUIDATIONS: Permissions = { ...ALL_PERMITTED, open_risk: false };

const NEXT_STATUSES: Readonly<Record<MarketStatus, readonly MarketStatus[]>> = {
  draft: ['open', 'closed'],
  open: ['reduce_only', 'cancel_only'],
  reduce_only: ['open', 'cancel_only'],
  cancel_only: ['open', 'reduce_only', 'closed'],
  closed: [],
};

/** How much a status permits: the higher, the less. */
const STRICTNESS: Readonly<Record<MarketStatus, number>> = { open: 0, reduce_only: 1, cancel_only: 2, draft: 2, closed: 2 };

/** The status of a market within the limit of the venue: whichever of both permits less. */
export function limitedStatus(status: MarketStatus, limit: MarketStatus): MarketStatus {
  return STRICTNESS[limit] > STRICTNESS[status] ? limit : status;
}

/** Whether an activity is permitted: status, index and liquidation backlog must all permit it. */
export function isPermitted(
  activity: MarketActivity,
  status: MarketStatus,
  indexStatus: IndexStatus,
  hasLiquidationDue: boolean,
): boolean {
  const permitted = BY_STATUS[status][activity] && BY_INDEX[indexStatus][activity];
  return permitted && (!hasLiquidationDue || DURING_LIQUIDATIONS[activity]);
}

/** Whether `next` may follow `status`; no status follows itself. The caller checks that a market is empty before it closes. */
export function isValidTransition(status: MarketStatus, next: MarketStatus): boolean {
  return NEXT_STATUSES[status].includes(next);
}
