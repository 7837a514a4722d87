/**
 * Ids that the caller of a money command chooses. An id is refused for good after its first use, so that a command that is sent again
 * after an idempotency key was forgotten does not move money twice.
 */
import type { Refusal } from '#venue/refusal.ts';
import type { Turn } from '#venue/turn.ts';
import { emitSettlement } from './settlement-fold.ts';

/** The maximum length of an id, in UTF-16 units: a key of the longest permitted form after the name of its action. */
export const MAX_MONEY_ID = 160;

interface MoneyCommand {
  /** Absent in commands of earlier programs. */
  readonly moneyId?: string;
}

export function checkMoneyId({ state }: Turn, { moneyId }: MoneyCommand): Refusal | undefined {
  if (moneyId === undefined) return undefined;
  if (moneyId.length === 0 || moneyId.length > MAX_MONEY_ID) return { code: 'money_id_invalid', bound: MAX_MONEY_ID };
  return state.settlement.moneyIds.has(moneyId) ? { code: 'money_id_used' } : undefined;
}

/** The last event of its command. */
export function useMoneyId(turn: Turn, { moneyId }: MoneyCommand): void {
  if (moneyId !== undefined) emitSettlement(turn, { type: 'MoneyIdUsed', moneyId });
}
