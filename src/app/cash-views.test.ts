/**
 * Four views of an owner's cash agree after a deposit, a settled and a blocked withdrawal: the channel account.balance, the list of
 * transfers, the account snapshot, and `journal inspect --why cash`, which names the ids that clients know.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runJournalCommand } from '#cli/journal-command.ts';
import type { TransferResource } from '#contract/transfers.ts';
import { TestOwner } from '#http/testing/test-owner.ts';
import { type Frame, SocketClient } from '#realtime/testing/socket-client.ts';
import { eventually } from '#time/testing/eventually.ts';
import { parseWithdrawalId } from '#units/ids.ts';
import type { CashMove } from '#writer/journal-tool/inspection.ts';
import { startInThreads, type VenueInThreads } from './testing/venue-in-threads.ts';

let venue: VenueInThreads;
let owner: TestOwner;
let client: SocketClient;
beforeEach(async () => {
  venue = await startInThreads();
  owner = await TestOwner.register(venue);
  client = await subscriber();
});
afterEach(async () => {
  client.socket.terminate();
  await venue.close();
  expect(venue.internalErrors).toEqual([]);
});

async function subscriber(fromSequence?: number): Promise<SocketClient> {
  const connected = await SocketClient.connect(Number(new URL(venue.realtimeUrl).port), '127.0.0.1');
  const { ticket } = (await owner.call('mintRealtimeTicket')).body;
  await connected.request({ op: 'auth', ticket });
  for (const channel of ['account.balance', 'account.withdrawals'])
    await connected.subscribed(channel, { accountId: owner.accountId }, fromSequence);
  return connected;
}

async function cashMoves(): Promise<readonly CashMove[]> {
  const { accountId } = owner;
  const args = ['inspect', '--account', accountId, '--why', 'cash', '--data-dir', venue.dataDirectory, '--json'];
  return JSON.parse((await runJournalCommand(args)).text);
}

const balancesOf = (from: SocketClient): readonly Frame[] => from.updates('account.balance').map(({ data }) => data);
const sumOf = (amounts: readonly (string | number)[]) => amounts.reduce<number>((sum, amount) => sum + Number(amount), 0);
/** What a transfer leaves in the cash. */
const effectOf = ({ kind, status, amountAtoms }: TransferResource) =>
  status === 'released' ? 0 : Number(amountAtoms) * (kind === 'deposit' ? 1 : -1);

test('balance updates, transfers, the snapshot and the journal tool agree on the cash and its ids', async () => {
  const from = venue.sequence();
  await owner.fund();
  const settled = (await owner.requestWithdrawal('2500.5')).body.withdrawalId;
  await owner.settleWithdrawal(settled);
  const blocked = (await owner.requestWithdrawal('100')).body.withdrawalId;
  expect(await owner.body('getAccount')).toMatchObject({ cashBalance: '7399.5' });
  await venue.operate({ type: 'BlockWithdrawal', withdrawal: parseWithdrawalId(blocked)!, reason: 'test' }, 'WithdrawalBlocked');

  const { cashBalance, cashBalanceAtoms: cashAtoms } = await owner.body('getAccount');
  expect([cashBalance, cashAtoms]).toEqual(['7499.5', '7499500000']);

  const { transfers } = (await owner.body('listTransfers')) as { transfers: readonly TransferResource[] };
  expect(transfers).toMatchObject([
    { kind: 'deposit', status: 'credited', amount: '10000', depositId: 'dep-1' },
    { transferId: settled, status: 'settled', amount: '2500.5' },
    { transferId: blocked, status: 'released', amount: '100' },
  ]);
  expect(sumOf(transfers.map(effectOf))).toBe(Number(cashAtoms));

  await eventually(() =>
    expect(
      client
        .updates('account.withdrawals')
        .flatMap(({ data }) => data.withdrawals)
        .at(-1),
    ).toMatchObject({
      withdrawalId: blocked,
      status: 'blocked',
      settled: false,
      reason: 'test',
    }),
  );
  await client.drained();
  expect(balancesOf(client)).toMatchObject([
    { changes: [{ kind: 'deposit', amountAtoms: '10000000000' }], cashAtoms: '10000000000' },
    { changes: [{ kind: 'withdrawal', amountAtoms: '-2500500000' }], cashAtoms },
  ]);
  client.demandValid();
  const late = await subscriber(from);
  await late.drained();
  expect(balancesOf(late)).toEqual(balancesOf(client));
  late.demandValid();
  late.socket.terminate();

  const moves = await cashMoves();
  expect(moves.filter(({ isUnexplained }) => isUnexplained)).toEqual([]);
  expect([sumOf(moves.map(({ amountAtoms }) => amountAtoms)), moves.at(-1)!.cashAtoms]).toEqual([
    Number(cashAtoms),
    Number(cashAtoms),
  ]);
  for (const transfer of transfers) {
    const { transferId, depositId } = transfer;
    const own = moves.filter(({ ids }) => ids.includes(transferId));
    expect([transferId, sumOf(own.map(({ amountAtoms }) => amountAtoms))]).toEqual([transferId, effectOf(transfer)]);
    if (depositId !== null) expect(own.every(({ ids }) => ids.includes(depositId))).toBe(true);
  }
  expect(moves.map(({ kind }) => kind)).toEqual(['deposit', 'withdrawal_reserve', 'withdrawal_reserve', 'withdrawal_release']);
});
