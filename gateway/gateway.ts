/** The gateway: translates /v2 to operations of /v1. It stores only the immutable facts of markets, and decides nothing. */
import { Refused } from '#contract/refused.ts';
import { unifiedNotImplementedOperations } from '#contract/unified-not-implemented.ts';
import type { SteadyClock } from '#time/clock.ts';
import { accountReads } from './account-reads.ts';
import { marketReads } from './market-reads.ts';
import { orderCalls } from './orders.ts';
import type { Gateway, Venue } from './port.ts';
import { Symbols } from './symbols.ts';

/** Public data is read through `publicVenue`: the markets behind symbols. */
export function openGateway(publicVenue: Venue, steadyClock: SteadyClock): Gateway {
  const symbols = new Symbols(publicVenue, steadyClock);
  return { ...marketReads(symbols), ...accountReads(symbols), ...orderCalls(symbols), ...notImplemented() };
}

type NotImplemented = Pick<Gateway, keyof typeof unifiedNotImplementedOperations>;

function notImplemented(): NotImplemented {
  const refusals = Object.values(unifiedNotImplementedOperations).map(({ id, summary, description }) => {
    return [id, () => Promise.reject(new Refused('not_supported', `${summary}. ${description}`))];
  });
  return Object.fromEntries(refusals) as NotImplemented;
}
