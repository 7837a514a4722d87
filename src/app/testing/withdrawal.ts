/** Takes cash out of a venue that runs, by the commands of its core: neither an account nor the operator can ask for it yet. */
import type { RunningVenue } from '#app/compose.ts';
import { parseAccountId } from '#units/ids.ts';
import { quoteAtoms, SETTLEMENT_DECIMALS } from '#units/money.ts';

/** Settled at once; in whole units of the settlement asset. */
export async function withdraw({ submit }: Pick<RunningVenue, 'submit'>, accountId: string, amount: number): Promise<void> {
  const account = parseAccountId(accountId);
  if (account === undefined) throw new Error(`${accountId} is no account`);
  const amountAtoms = quoteAtoms(amount * 10 ** SETTLEMENT_DECIMALS);
  const { events } = await submit({ command: { type: 'ReserveWithdrawal', account, amountAtoms, destination: 'elsewhere' } });
  const reserved = events.find((event) => event.type === 'WithdrawalReserved');
  if (reserved === undefined) throw new Error(`no withdrawal was reserved: ${JSON.stringify(events)}`);
  await submit({ command: { type: 'SettleWithdrawal', withdrawal: reserved.withdrawal } });
}
