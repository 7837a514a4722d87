/** The layouts of all events. Loading this module throws if two of them have the same tag. */

import { ACCOUNT_EVENTS } from '#venue/event/account-events.ts';
import { AFFILIATE_EVENTS } from '#venue/event/affiliate-events.ts';
import { AGENT_ACCOUNT_EVENTS } from '#venue/event/agent-account-events.ts';
import { AGENT_EVENTS } from '#venue/event/agent-events.ts';
import { AGENT_FUNDING_EVENTS } from '#venue/event/agent-funding-events.ts';
import { MARKET_EVENTS } from '#venue/event/market-events.ts';
import { MONEY_EVENTS } from '#venue/event/money-events.ts';
import { ORDER_EVENTS } from '#venue/event/order-events.ts';
import { OWNER_EVENTS } from '#venue/event/owner-events.ts';
import { POSITION_EVENTS } from '#venue/event/position-events.ts';
import { REFUSAL_EVENTS } from '#venue/event/refusal-events.ts';
import { SETTLEMENT_EVENTS } from '#venue/event/settlement-events.ts';
import { SWITCH_EVENTS } from '#venue/event/switch-events.ts';
import { TRIGGER_EVENTS } from '#venue/event/trigger-events.ts';
import type { VenueEvent } from '#venue/event.ts';
import { type EventLayouts, RecordFormat } from './layout.ts';

export const EVENTS: EventLayouts<VenueEvent> = {
  ...REFUSAL_EVENTS,
  ...MARKET_EVENTS,
  ...ACCOUNT_EVENTS,
  ...MONEY_EVENTS,
  ...ORDER_EVENTS,
  ...POSITION_EVENTS,
  ...SETTLEMENT_EVENTS,
  ...SWITCH_EVENTS,
  ...OWNER_EVENTS,
  ...AGENT_ACCOUNT_EVENTS,
  ...AGENT_EVENTS,
  ...AFFILIATE_EVENTS,
  ...AGENT_FUNDING_EVENTS,
  ...TRIGGER_EVENTS,
};

export const EVENT_FORMAT = new RecordFormat<VenueEvent>('event', EVENTS);
