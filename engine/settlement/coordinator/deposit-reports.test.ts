/** Deposits that end otherwise than their owner expects are reported to the operator. */
import { expect, test } from 'vitest';
import { quoteAtoms } from '#units/money.ts';
import { fundedLife, offeredDeposit } from './testing/open-flows.ts';

test.each([
  [false, 'was credited to acct-1, which was retired meanwhile: its owner may withdraw the cash'],
  [
    true,
    'was credited to acct-1, which was retired as legacy meanwhile: its owner cannot withdraw the cash: pay it out, then use account debit',
  ],
])('reports a deposit that is credited to an account that was retired meanwhile (as legacy: %s)', async (isLegacy, text) => {
  const { life, account } = await fundedLife(0);
  await offeredDeposit(life, account);
  await life.carryOut({ type: 'RetireAccount', account, ...(isLegacy && { isLegacy }) });
  expect(life.coordinator.status.depositsToRetired).toBe(0);
  await life.deposit(account, 1_000);
  expect(life.holdings('alice').cashAtoms).toBe(1_000);
  expect(life.coordinator.status.depositsToRetired).toBe(1);
  expect(life.lines.filter((line) => line.startsWith('deposits: '))).toEqual([`deposits: dep-1 ${text}`]);
  await life.close();
});

test('reports deposits beyond the bound of all deposits, and not each of them in the log', async () => {
  const { life, account } = await fundedLife(0);
  await life.carryOut({ type: 'CreditInsurance', amountAtoms: quoteAtoms(2 ** 52), reference: 'all of it' });
  const request = () => life.carryOut({ type: 'GrantFaucet', account, amountAtoms: quoteAtoms(1) });
  for (let count = 0; count < 9; count += 1) await expect(request()).rejects.toThrow('amount_out_of_bounds');
  expect(life.coordinator.status.depositsBeyondBound).toBe(9);
  const lines = life.lines.filter((line) => line.startsWith('deposits: '));
  expect(lines).toHaveLength(4);
  expect(lines.at(-1)).toBe(
    'deposits: one of acct-1 was refused, because it is beyond the bound of all deposits; nothing moved (8 since the start)',
  );
  await life.close();
});

test('reports no deposit that ends as expected', async () => {
  const { life } = await fundedLife(1_000);
  expect(life.coordinator.status).toMatchObject({ depositsToRetired: 0, depositsBeyondBound: 0 });
  expect(life.lines).toEqual([]);
  await life.close();
});
