/** Withdraws cash from a running venue with commands of its core, since no API or operator command offers it yet. */
import type { RunningVenue } from '#app/compose.ts';
import { parseAccountId } from '#units/ids.ts';
import { quoteAtoms, SETTLEMENT_DECIMALS } from '#units/money.ts';

/** The withdrawal is settled at once; `amount` is in whole units of the settlement asset. */
export async function withdraw({ submit }: Pick<RunningVenue, 'submit'>, accountId: string, amount: number): Promise<void> {
  const account = parseAccountId(accountId);
  if (account === undefined) throw new Error(`there is no account ${accountId}`);
  const amountAtoms = quoteAtoms(amount * 10 ** SETTLEMENT_DECIMALS);
  const { events } = await submit({ command: { type: 'ReserveWithdrawal', account, amountAtoms, destination: 'elsewhere' } });
  const reserved = events.find((event) => event.type === 'WithdrawalReserved');
  if (reserved === undefined) throw new Error(`no withdrawal was reserved: ${JSON.stringify(events)}`);
  await submit({ command: { type: 'SettleWithdrawal', withdrawal: reserved.withdrawal } });
}
