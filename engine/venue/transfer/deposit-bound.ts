/** The bound of all deposits. Deposits that are bound to an intent count before they are confirmed, so that confirming cannot break it. */
import type { QuoteAtoms } from '#units/money.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { VenueState } from '#venue/state.ts';

/** The maximum of net deposits: half of the exact integers' range. The rest is room for profits. */
export const MAX_DEPOSITS_ATOMS = (2 ** 52) as QuoteAtoms;

export function checkDepositAmount({ netDepositsAtoms, settlement }: VenueState, amountAtoms: QuoteAtoms): Refusal | undefined {
  const maxAtoms = MAX_DEPOSITS_ATOMS - netDepositsAtoms - settlement.boundDepositsAtoms;
  return amountAtoms < 1 || amountAtoms > maxAtoms ? { code: 'amount_out_of_bounds', bound: maxAtoms } : undefined;
}
