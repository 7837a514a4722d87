/** The list of open positions of a market, and which of them wait for another price. */
import { isDue } from './equity.ts';
import { isParked } from './status.ts';
import type { Market, Position } from './world.ts';

export function addPosition(market: Market, position: Position): void {
  market.positions.push(position);
}

/** The last position of the list takes the place of a closed one. */
export function removePosition(market: Market, position: Position): void {
  const last = market.positions.pop()!;
  if (last !== position) market.positions[market.positions.indexOf(position)] = last;
  unpark(market, position);
}

/** A parked position that has enough equity again, by its owner or by funding, waits no longer. */
export function afterChange(market: Market, position: Position): void {
  if (isParked(market, position) && !isDue(market, position)) unpark(market, position);
}

/** Lets a position wait for another price, behind all others that do. With 0 no step makes it due again. */
export function park(market: Market, position: Position, nextStep: bigint): void {
  unpark(market, position);
  market.parked.push({ account: position.account, nextStep });
}

export function unpark(market: Market, position: Position): void {
  market.parked = market.parked.filter(({ account }) => account !== position.account);
}
