/** An expired offer that another command has withdrawn before the venue did: it ends once, and nothing is tried in a loop. */
import { expect, test } from 'vitest';
import type { Ledger } from '#settlement/port/ledger.ts';
import { OFFER_LIFETIME_MS } from './pass-ports.ts';
import type { Life } from './testing/life.ts';
import { fundedLife, isDepositDue, offeredDeposit, offeredWithdrawal } from './testing/open-flows.ts';

const HOUR_MS = 3_600_000;

/** The operator withdraws it on the ledger, and accepts the difference that this makes. */
async function withdrawByHand(life: Life, offerId: string): Promise<void> {
  await life.submitElsewhere({ step: 'offer_withdrawal', commandId: 'by-hand', offerId });
  await life.until('transfers are off', () => !life.capability('transfers'));
  await life.acceptLedger();
  await life.carryOut({ type: 'SetCapability', capability: 'transfers', isOn: true });
}

test('makes a deposit’s offer again when its owner asks', async () => {
  const { life, time, account } = await fundedLife(0);
  const deposit = await offeredDeposit(life, account);
  await withdrawByHand(life, life.owners.deposit(deposit)!.offerId);
  time.pass(OFFER_LIFETIME_MS);
  await life.until('the next attempt', () => isDepositDue(life, deposit, 'treasury_offer'));
  await time.advance(HOUR_MS);
  expect(life.owners.deposit(deposit)).toMatchObject({
    attempt: 2,
    lastOutcome: { outcome: 'rejected', reason: 'offer_withdrawn' },
  });
  expect([life.submissions('RenewDeposit'), life.submissions('RecordDepositStep')]).toEqual([1, 2]);
  await life.deposit(account, 1_000);
  expect(life.holdings('alice').cashAtoms).toBe(1_000);
  expect(await life.local.supply()).toEqual({ issuedAtoms: 1_000, heldAtoms: 1_000, offeredAtoms: 0 });
  await life.close();
});

test('blocks a withdrawal, and returns its cash once', async () => {
  const { life, time, account } = await fundedLife();
  const withdrawal = await offeredWithdrawal(life, account);
  await withdrawByHand(life, life.owners.withdrawal(withdrawal)!.offerId);
  time.pass(OFFER_LIFETIME_MS);
  await life.until('a blocked withdrawal', () => life.owners.withdrawal(withdrawal) === undefined);
  await time.advance(HOUR_MS);
  expect(life.submissions('RenewWithdrawal')).toBe(1);
  expect(life.events('WithdrawalBlocked')).toMatchObject([{ withdrawal, reason: 'payout_offer_expired' }]);
  expect(life.holdings('alice').cashAtoms).toBe(1_000);
  expect(await life.local.balance(life.owners.ledger()!.custodyPartyId)).toEqual({ availableAtoms: 1_000, offeredAtoms: 0 });
  await life.close();
});

test('waits with growing pauses while the ledger contradicts itself about an offer', async () => {
  const { life, time, account } = await fundedLife();
  const withdrawal = await offeredWithdrawal(life, account);
  const { offerId } = life.owners.withdrawal(withdrawal)!;
  const open = await life.local.offer(offerId);
  await withdrawByHand(life, offerId);
  let reads = 0;
  const local = life.local;
  const contradicting = new Proxy<Ledger>(local, {
    get: (_, name: keyof Ledger) => {
      if (name !== 'offer') return (local[name] as () => unknown).bind(local);
      return async () => {
        reads += 1;
        return open;
      };
    },
  });
  life.ledger.replace(contradicting);
  time.pass(OFFER_LIFETIME_MS);
  for (let step = 0; step < 720; step += 1) await time.advance(5_000);
  expect(life.owners.withdrawal(withdrawal)).toMatchObject({ step: 'offer_withdrawal', isSubmitted: true });
  expect(reads).toBeGreaterThan(10);
  // At most one each 30 seconds in the end.
  expect(reads).toBeLessThan(140);
  life.ledger.replace(local);
  await life.until('a blocked withdrawal', () => life.owners.withdrawal(withdrawal) === undefined);
  expect(life.holdings('alice').cashAtoms).toBe(1_000);
  await life.close();
});
