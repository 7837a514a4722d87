/** Moves cash into the margin of a position, or margin out of it. What stays has the initial margin at the mark. */
import { ceilDiv, larger, smaller } from './arithmetic.ts';
import { equityOf, sizeOf } from './equity.ts';
import { noteFundReceipt } from './fund-budget.ts';
import { fundedHolding, settleFunding } from './funding-payment.ts';
import { notionalOf, reservedOf, restingOf } from './margin.ts';
import { postCash, repayFund } from './money.ts';
import { initialMarginIn, openInterestOf } from './open-interest.ts';
import { checkActivity } from './order-checks.ts';
import { afterChange } from './positions.ts';
import { listedMarket } from './prices.ts';
import { Refused, refuseIf } from './refused.ts';
import type { Market, Position, World } from './world.ts';
import { accountOf, note, positionOf } from './world.ts';

export function adjustMargin(world: World, account: number, ordinal: number, direction: 'add' | 'remove', amount: bigint): void {
  refuseIf(accountOf(world, account) === undefined, 'account_not_found');
  const market = listedMarket(world, ordinal);
  const position = positionOf(market, account);
  if (position === undefined) throw new Refused('position_not_found');
  refuseIf(amount < 1n, 'amount_out_of_bounds');
  if (direction === 'add') {
    refuseIf(amount > accountOf(world, account)!.cash - reservedOf(world, account), 'insufficient_cash');
  } else {
    checkActivity(world, market, false);
    const removable = removableOf(world, market, position);
    refuseIf(amount > removable, 'margin_required', removable);
  }
  settleFunding(world, market, position);
  const added = direction === 'add' ? amount : -amount;
  const repaid = direction === 'add' ? 0n : smaller(position.insured, amount);
  postCash(world, account, direction === 'add' ? 'margin_lock' : 'margin_release', -added);
  repayFund(world, account, repaid);
  position.margin += added;
  position.insured -= repaid;
  noteFundReceipt(world, market, position, repaid, position.insured);
  note(world, {
    type: 'PositionMarginAdjusted',
    position: position.episode,
    account,
    market: ordinal,
    addedAtoms: added,
    repaidAtoms: repaid,
    marginAtoms: position.margin,
  });
  afterChange(market, position);
}

/**
 * What margin and equity have above the initial margin at the mark, at the open interest, in the tier of the position and the orders that
 * may open.
 */
function removableOf(world: World, market: Market, position: Position): bigint {
  const held = fundedHolding(market, position);
  const exposure = held.entry + restingOf(world, market, position.account).notional;
  const rateBps = initialMarginIn(market.specification, exposure, openInterestOf(market));
  const needed = ceilDiv(notionalOf(market, market.mark, sizeOf(position)) * rateBps, 10_000n);
  return larger(0n, smaller(held.margin, equityOf(market, held, market.mark)) - needed);
}
