/** Liquidations: each was due, and every due position is liquidated. */
import type { LiquidationStarted } from '#venue/event.ts';
import { fail } from './audit-failed.ts';
import type { Market } from './markets.ts';
import { permits } from './markets.ts';
import type { Position, PositionBooks } from './position-books.ts';
import { bankruptcyPriceFor, equityAt, isDue, maintenanceFor } from './position-rules.ts';

/** Whether a position has less than its maintenance margin at the mark and at the index. */
export function mayLiquidate({ mark, index, listing }: Market, position: Position): boolean {
  return isDue(mark, position, listing) && isDue(index.price, position, listing);
}

/** Checks the fields of a liquidation's start, and that it is due. */
export function startLiquidation(event: LiquidationStarted, market: Market, position: Position, epochMs: number): void {
  const { mark, listing, tried } = market;
  const name = `the liquidation of account ${event.account}`;
  if (!permits(market, 'liquidate', epochMs))
    fail(
      'liquidation',
      `${name} began in a market that is ${market.status} with an index that is ${market.index.statusAt(epochMs)}`,
    );
  if (position.ordinal === 0 || position.ordinal !== event.position)
    fail('liquidation', `${name} is of position ${event.position}, not of ${position.ordinal}`);
  if (event.markPriceAtoms !== mark) fail('liquidation', `${name} uses a mark price of ${event.markPriceAtoms}, it is ${mark}`);
  const equity = equityAt(mark, position, listing);
  if (event.equityAtoms !== equity)
    fail('liquidation', `${name} has an equity of ${equity}, the event says ${event.equityAtoms}`);
  const required = maintenanceFor(Math.abs(position.signedBase) * mark * listing.tickLot, listing);
  if (event.maintenanceRequirementAtoms !== required)
    fail('liquidation', `${name} requires ${required}, the event says ${event.maintenanceRequirementAtoms}`);
  if (equity >= required) fail('liquidation', `${name} is not due: it has ${equity} of ${required}`);
  if (!isDue(market.index.price, position, listing))
    fail('liquidation', `${name} is not due at the index of ${market.index.price}`);
  const bankruptcy = bankruptcyPriceFor(position, listing);
  if (event.bankruptcyPriceAtoms !== bankruptcy)
    fail('liquidation', `${name} has its bankruptcy price at ${bankruptcy}, the event says ${event.bankruptcyPriceAtoms}`);
  tried.add(position.ordinal);
}

/** Called when an owner's order changed a position. The position is no longer parked, unless it is still due. */
export function noteOwnerChange(market: Market, ordinal: number, after: Position): void {
  if (after.ordinal === ordinal && after.signedBase !== 0 && mayLiquidate(market, after)) return;
  market.tried.delete(ordinal);
}

/** Checks a market without unfinished work: each position that is due at a current mark price has been tried. */
export function checkAllTried(market: Market, positions: PositionBooks, epochMs: number): void {
  if (!permits(market, 'liquidate', epochMs)) return;
  const { mark, listing, tried } = market;
  for (const position of positions.in(listing.market)) {
    if (!mayLiquidate(market, position) || tried.has(position.ordinal)) continue;
    const equity = equityAt(mark, position, listing);
    fail(
      'liquidation',
      `account ${position.account} has ${equity} at a mark price of ${mark}, which is due, and is not liquidated`,
    );
  }
}
