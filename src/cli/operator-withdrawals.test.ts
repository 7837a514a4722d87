/** The operator's command for withdrawals of owners, on a running venue. */
import { expect, test } from 'vitest';
import { parseAccountId, renderWithdrawalId } from '#units/ids.ts';
import { epochMs, quoteAtoms } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import { operatedVenue } from './testing/operated-venue.ts';

const operated = operatedVenue();
const { run, data, get } = operated;

/** An account with 10 USD.E, and a withdrawal of 4 that waits, because the custody of a new ledger is empty. */
async function waiting(key: string) {
  const { accountId, apiKey } = await data('account create --credit 10');
  const account = parseAccountId(accountId!)!;
  const { partyId } = (await get(`/v1/accounts/${accountId}/party`, apiKey!)).body as { partyId: string };
  const cash = { account, amountAtoms: quoteAtoms(4_000_000), destination: partyId };
  const { events } = await carryOut({ type: 'RequestWithdrawal', ...cash, ledgerKey: key, idempotencyKey: key });
  const withdrawal = events.find((event) => event.type === 'WithdrawalRequested')!.withdrawal;
  const read = async () => (await get(`/v1/withdrawals/${renderWithdrawalId(withdrawal)}`, apiKey!)).body;
  const cashBalance = async () => (await get(`/v1/accounts/${accountId}`, apiKey!)).body.cashBalance;
  return { account, accountId, withdrawal, withdrawalId: renderWithdrawalId(withdrawal), read, cashBalance };
}

async function carryOut(command: Command) {
  const outcome = await operated.venue.submit({ command });
  expect(outcome.events[0]?.type, command.type).not.toBe('CommandRefused');
  return outcome;
}

test('blocks a withdrawal that waits, and returns its cash once', async () => {
  const { accountId, withdrawalId, read, cashBalance } = await waiting('first');
  expect([(await read()).status, await cashBalance()]).toEqual(['requested', '6']);
  const blocked = { withdrawalId, accountId, status: 'blocked', cash: '10' };
  expect(await data(`withdrawal block ${withdrawalId} custody_moves`)).toEqual(blocked);
  expect(await read()).toMatchObject({ status: 'blocked', reason: 'custody_moves', settled: false });
  await expect(run(`withdrawal block ${withdrawalId} again`)).rejects.toMatchObject({
    code: 'withdrawal_state_conflict',
    message: expect.stringMatching(new RegExp(`^${withdrawalId} cannot be blocked: it has ended`)),
  });
  expect(await cashBalance()).toBe('10');
});

test('refuses to block a withdrawal that is submitted, and one that does not exist', async () => {
  const { account, withdrawal, withdrawalId } = await waiting('second');
  await carryOut({ type: 'ReserveOnLedger', withdrawal });
  await carryOut({ type: 'AuthorizeWithdrawal', account, withdrawal });
  const consent = { withdrawal, step: 'owner_withdrawal_consent', attempt: 1, offerExpiresAtEpochMs: epochMs(0) } as const;
  // In one turn after the other, so that the ledger has not answered yet.
  const submitted = operated.venue.submit({ command: { type: 'SubmitWithdrawalStep', ...consent } });
  const refused = operated.venue.submit({ command: { type: 'BlockWithdrawal', withdrawal, reason: 'late' } });
  expect((await submitted).events[0]?.type).toBe('WithdrawalStepSubmitted');
  expect((await refused).events).toMatchObject([{ code: 'withdrawal_state_conflict' }]);
  await expect(run(`withdrawal block ${withdrawalId} late`)).rejects.toMatchObject({ code: 'withdrawal_state_conflict' });
  for (const id of ['withdrawal-99', 'nonsense'])
    await expect(run(`withdrawal block ${id} late`)).rejects.toMatchObject({ code: 'withdrawal_not_found' });
});

test('needs a reason', async () => {
  await expect(run('withdrawal block withdrawal-1')).rejects.toThrow(/^usage: withdrawal block <withdrawalId> <reason>/);
  await expect(run(`withdrawal block withdrawal-1 ${'x'.repeat(65)}`)).rejects.toThrow(/^<reason> x+…? /);
});
