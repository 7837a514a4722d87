/** The private channels of deposits and withdrawals over a real core, and nothing about other accounts. */
import { describe, expect, test } from 'vitest';
import { advanceWithdrawal, requestWithdrawal } from '#simulation/owner-flows.ts';
import type { AccountOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import { ALICE, aliceOn, updatesAfterPublishing } from './testing/alice.ts';
import { RecordedService } from './testing/recorded-service.ts';
import type { Frame } from './testing/socket-client.ts';

describe('account.balance', () => {
  test('publishes deposits and settled withdrawals with their signs, and the cash of the snapshot', async () => {
    const service = await RecordedService.start();
    const { history } = service;
    const client = await aliceOn(service, 'account.balance');
    const account = 1 as AccountOrdinal;
    history.run({ type: 'CreditCash', account, amountAtoms: 2_500_000 as QuoteAtoms, reference: 'more' });
    history.run({ type: 'ReserveWithdrawal', account, amountAtoms: 1_000_000 as QuoteAtoms, destination: 'party::elsewhere' });
    history.run({ type: 'SettleWithdrawal', withdrawal: 1 as WithdrawalOrdinal });
    history.run({ type: 'TransferCash', account, to: 2 as AccountOrdinal, amountAtoms: 1 as QuoteAtoms, reference: 'gift' });
    const updates = (await updatesAfterPublishing(service, client, 'account.balance')).map(({ data }) => data);
    expect(updates).toEqual([
      {
        changes: [{ kind: 'deposit', asset: 'USD.E', amountAtoms: '2500000', amount: '2.5' }],
        cashAtoms: '10002500000',
        cash: '10002.5',
      },
      // The cash left the account when the withdrawal was reserved.
      {
        changes: [{ kind: 'withdrawal', asset: 'USD.E', amountAtoms: '-1000000', amount: '-1' }],
        cashAtoms: '10001500000',
        cash: '10001.5',
      },
    ]);
  });
});

describe('account.withdrawals', () => {
  const statusOf = ({ withdrawalId, status, settled, dueSigningStep, reason }: Frame) =>
    `${withdrawalId} ${status} ${settled} ${dueSigningStep} ${reason}`;

  test('publishes every status, the due step and the reason of the end, of its owner only, and replays them', async () => {
    const service = await RecordedService.start();
    const { history } = service;
    const client = await aliceOn(service, 'account.withdrawals');
    const from = history.records.length;
    requestWithdrawal(history, 2, 1_000_000);
    requestWithdrawal(history, 1, 2_500_000);
    requestWithdrawal(history, 1, 1);
    const [second, third] = [2, 3] as WithdrawalOrdinal[];
    for (let taken = 0; taken < 5; taken += 1) advanceWithdrawal(history, second!);
    for (let taken = 0; taken < 2; taken += 1) advanceWithdrawal(history, third!);
    advanceWithdrawal(history, third!, 'party_unknown');
    const updates = await updatesAfterPublishing(service, client, 'account.withdrawals');
    expect(updates.flatMap(({ data }) => data.withdrawals).map(statusOf)).toEqual([
      'withdrawal-2 requested false null null',
      'withdrawal-3 requested false null null',
      'withdrawal-2 reserved false null null',
      'withdrawal-2 authorized false owner_withdrawal_consent null',
      'withdrawal-2 submitted false null null',
      'withdrawal-2 submitted false null null',
      'withdrawal-2 submitted false null null',
      'withdrawal-2 submitted false owner_offer_acceptance null',
      'withdrawal-2 submitted false null null',
      'withdrawal-2 submitted true null null',
      'withdrawal-3 reserved false null null',
      'withdrawal-3 authorized false owner_withdrawal_consent null',
      'withdrawal-3 submitted false null null',
      'withdrawal-3 blocked false null party_unknown',
    ]);
    expect(updates[0]!.data.withdrawals[0]).toMatchObject({ asset: 'USD.E', amountAtoms: '2500000', amount: '2.5' });
    const late = await service.connectAs(1);
    await late.subscribed('account.withdrawals', ALICE, from);
    await late.drained();
    expect(late.updates('account.withdrawals').map(({ data }) => data)).toEqual(updates.map(({ data }) => data));
  });

  test('publishes withdrawals of the operator, a released one as blocked', async () => {
    const service = await RecordedService.start();
    const { history } = service;
    const client = await aliceOn(service, 'account.withdrawals');
    const [account, amountAtoms] = [1 as AccountOrdinal, 1_000_000 as QuoteAtoms];
    history.run({ type: 'ReserveWithdrawal', account, amountAtoms, destination: 'party::elsewhere' });
    history.run({ type: 'ReleaseWithdrawal', withdrawal: 1 as WithdrawalOrdinal });
    history.run({ type: 'DebitCash', account, amountAtoms, reference: 'bank' });
    const updates = await updatesAfterPublishing(service, client, 'account.withdrawals');
    expect(updates.flatMap(({ data }) => data.withdrawals).map(statusOf)).toEqual([
      'withdrawal-1 reserved false null null',
      'withdrawal-1 blocked false null null',
      'withdrawal-2 submitted true null null',
    ]);
  });
});
