/**
 * Events: what a command changed. They carry the resulting state, so a consumer needs neither the command nor the venue.
 * The events of one command, in order, are its outcome. A refusal is an outcome too.
 */

import type { AccountEvent } from './event/account-events.ts';
import type { AffiliateEvent } from './event/affiliate-events.ts';
import type { AgentAccountEvent } from './event/agent-account-events.ts';
import type { AgentEvent } from './event/agent-events.ts';
import type { AgentFundingEvent } from './event/agent-funding-events.ts';
import type { MarketEvent } from './event/market-events.ts';
import type { MoneyEvent } from './event/money-events.ts';
import type { OrderEvent } from './event/order-events.ts';
import type { OwnerEvent } from './event/owner-events.ts';
import type { PositionEvent } from './event/position-events.ts';
import type { RefusalEvent } from './event/refusal-events.ts';
import type { SettlementEvent } from './event/settlement-events.ts';
import type { SwitchEvent } from './event/switch-events.ts';
import type { TriggerEvent } from './event/trigger-events.ts';

export * from './event/account-events.ts';
export * from './event/affiliate-events.ts';
export * from './event/agent-account-events.ts';
export * from './event/agent-events.ts';
export * from './event/agent-funding-events.ts';
export * from './event/market-events.ts';
export * from './event/money-events.ts';
export * from './event/order-events.ts';
export * from './event/owner-events.ts';
export * from './event/position-events.ts';
export * from './event/refusal-events.ts';
export * from './event/settlement-events.ts';
export * from './event/switch-events.ts';
export * from './event/trigger-events.ts';

export type VenueEvent =
  | RefusalEvent
  | MarketEvent
  | AccountEvent
  | MoneyEvent
  | OrderEvent
  | PositionEvent
  | SettlementEvent
  | SwitchEvent
  | OwnerEvent
  | AgentAccountEvent
  | AgentEvent
  | AffiliateEvent
  | AgentFundingEvent
  | TriggerEvent;
