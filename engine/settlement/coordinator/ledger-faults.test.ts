/** Deposits and withdrawals on a ledger that is down, slow, loses or repeats answers, and on a store that is an older copy. */
import { expect, test } from 'vitest';
import type { Ledger } from '#settlement/port/ledger.ts';
import type { LedgerFault } from '#settlement/testing/faulty-ledger.ts';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { seededRandom } from '#simulation/seeded-random.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import { quoteAtoms } from '#units/money.ts';
import { commandIdOf, newLedgerKey } from './command-id.ts';
import { APPROVAL_DEADLINE_MS } from './pass-ports.ts';
import { Life } from './testing/life.ts';

const RUNS = Number(process.env.OPENPERP_COORDINATOR_RUNS ?? 20);

const FAULTS: readonly LedgerFault[] = [
  { kind: 'slow', ms: 3_000 },
  { kind: 'slow', ms: 45_000 },
  { kind: 'answer_late', ms: 7_000 },
  { kind: 'request_lost' },
  { kind: 'answer_lost' },
  { kind: 'request_late', ms: 20_000 },
  { kind: 'request_repeated' },
  { kind: 'answer_repeated' },
];

test(`moves the money once behind every kind of fault, over ${RUNS} seeds`, { timeout: 600_000 }, async () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const random = seededRandom(seed);
    const time = new ManualTime();
    const faults = (): LedgerFault | undefined => {
      if (random() < 0.5) return undefined;
      const fault = FAULTS[Math.floor(random() * FAULTS.length)]!;
      seen.add(fault.kind);
      return fault;
    };
    const life = await Life.open({ time, faults });
    const account = await life.owner('alice');
    await life.activateParty(account);
    await life.deposit(account, 1_000);
    await life.withdraw(account, 400);
    expect(life.holdings('alice'), `seed ${seed}`).toMatchObject({ cashAtoms: 600, netDepositsAtoms: 600 });
    const { partyId } = life.holdings('alice');
    const { custodyPartyId } = life.owners.ledger()!;
    const balances = await Promise.all([custodyPartyId, partyId].map((party) => life.local.balance(party)));
    expect(
      balances.map((it) => it?.availableAtoms),
      `seed ${seed}`,
    ).toEqual([600, 400]);
    expect([life.errors, life.coordinator.status.difference], `seed ${seed}`).toEqual([[], null]);
    await life.close();
  }
  expect(seen.size).toBe(7);
});

test('calls a step answered only when the ledger has it, and goes on when it is up again', async () => {
  const time = new ManualTime();
  const life = await Life.open({ time });
  const account = await life.owner('alice');
  await life.activateParty(account);
  life.ledger.isDown = true;
  await life.carryOut({ type: 'GrantFaucet', account, amountAtoms: quoteAtoms(1_000) });
  const { intent } = life.owners.fundingIntents(account)[0]!;
  await life.carryOut({ type: 'BindDeposit', account, intent, ledgerKey: newLedgerKey() });
  const deposit = life.owners.fundingIntents(account)[0]!.deposit!;
  await time.advance(3_600_000);
  expect(life.coordinator.status).toMatchObject({ isUp: false, isCompared: false, difference: null });
  // Nothing was submitted: the issue comes first, and it has no answer.
  expect(life.owners.deposit(deposit)).toMatchObject({ step: 'treasury_offer', isSubmitted: false });
  life.ledger.isDown = false;
  await life.until('an offer', () => life.owners.deposit(deposit)!.step === 'owner_offer_acceptance');
  life.ledger.isDown = true;
  const acceptance = { deposit, step: 'owner_offer_acceptance', attempt: 1, offerExpiresAtEpochMs: 0 as never } as const;
  await life.carryOut({ type: 'SubmitDepositStep', ...acceptance });
  await time.advance(60_000);
  const { ledgerKey, attempt } = life.owners.deposit(deposit)!;
  const commandId = commandIdOf(ledgerKey, 'owner_offer_acceptance', attempt);
  expect(life.coordinator.isAnswered(commandId)).toBe(false);
  life.ledger.isDown = false;
  await life.deposit(account, 1_000);
  expect(life.holdings('alice').cashAtoms).toBe(1_000);
  await life.close();
});

test('keeps what a full ledger does not take, says so once, and goes on when it has room', async () => {
  const time = new ManualTime();
  const life = await Life.open({ time });
  const account = await life.owner('alice');
  await life.activateParty(account);
  await life.deposit(account, 1_000);
  const withdrawal = (await life.requestWithdrawal(account, 400))!;
  const open = () => life.owners.withdrawal(withdrawal)!;
  await life.until('a reservation', () => open().status === 'reserved');
  await life.carryOut({ type: 'AuthorizeWithdrawal', account, withdrawal });
  const before = await life.local.head();
  life.ledger.isFull = true;
  const consent = { withdrawal, step: 'owner_withdrawal_consent', attempt: 1, offerExpiresAtEpochMs: 0 as never } as const;
  await life.carryOut({ type: 'SubmitWithdrawalStep', ...consent });
  // Longer than the time after which a withdrawal without a step on the ledger is blocked.
  await time.advance(2 * APPROVAL_DEADLINE_MS);
  expect(life.coordinator.status).toMatchObject({
    isUp: true,
    isCompared: true,
    isBusy: true,
    pending: 0,
    stuck: 0,
    difference: null,
  });
  expect(life.lines.filter((line) => line.includes('the ledger is full; deposits and withdrawals wait'))).toHaveLength(1);
  expect(open()).toMatchObject({ status: 'submitted', isSubmitted: true });
  expect(life.coordinator.isAnswered(commandIdOf(open().ledgerKey, 'owner_withdrawal_consent', 1))).toBe(false);
  expect([await life.local.head(), life.holdings('alice').cashAtoms]).toEqual([before, 600]);
  life.ledger.isFull = false;
  await life.until('a payout offer', () => open().step === 'owner_offer_acceptance');
  expect(life.coordinator.status).toMatchObject({ isBusy: false, difference: null });
  expect(life.errors).toEqual([]);
  await life.close();
});

/** A venue whose owner has a deposit, and copies of both stores from before and after it. */
async function withCopies() {
  const time = new ManualTime();
  const life = await Life.open({ time });
  const account = await life.owner('alice');
  await life.activateParty(account);
  const copyOf = (files: PowerCutFiles) => files.contents();
  const { journalFiles, ledgerFiles } = life.files;
  const before = { journal: copyOf(journalFiles), ledger: copyOf(ledgerFiles) };
  await life.deposit(account, 1_000);
  await life.close();
  const after = { journal: copyOf(journalFiles), ledger: copyOf(ledgerFiles) };
  const restart = (journal: ReadonlyMap<string, Uint8Array>, ledger: ReadonlyMap<string, Uint8Array>) =>
    Life.open({
      time,
      journalFiles: new PowerCutFiles(undefined, journal),
      ledgerFiles: new PowerCutFiles(undefined, ledger),
    });
  return { time, account, before, after, restart };
}

async function expectTransfersHalted(life: Life, difference: RegExp): Promise<void> {
  await life.until('transfers are off', () => life.capability('transfers') === false);
  expect(life.coordinator.status.difference?.text).toMatch(difference);
  expect(life.capability('trading')).toBe(true);
  expect(life.lines.filter((line) => line.includes('transfers are halted'))).toHaveLength(1);
}

test('halts transfers, not trading, if the ledger is an older copy', async () => {
  const { account, before, after, restart } = await withCopies();
  const life = await restart(after.journal, before.ledger);
  await expectTransfersHalted(life, /the ledger ends before offset \d+, which the journal knows: it is an older copy/);
  const entries = await life.local.entries({ afterOffset: 0, limit: 100 });
  expect(await life.requestWithdrawal(account, 400)).toBeUndefined();
  await life.close();
  // Nothing was submitted to it, and the newer copy is accepted again.
  expect(await (await restart(after.journal, before.ledger)).local.entries({ afterOffset: 0, limit: 100 })).toEqual(entries);
  const repaired = await restart(after.journal, after.ledger);
  await repaired.until('a comparison', () => repaired.coordinator.status.isCompared);
  expect(repaired.coordinator.status.difference).toBeNull();
  await repaired.close();
});

test('halts transfers, not trading, if the journal is an older copy', async () => {
  const { before, after, restart } = await withCopies();
  const life = await restart(before.journal, after.ledger);
  await expectTransfersHalted(life, /the ledger has the command .* which the journal did not submit/);
  await life.close();
});

test('halts transfers if an older ledger was continued, or is another one', async () => {
  const { time, before, after, restart } = await withCopies();
  const older = await restart(before.journal, before.ledger);
  for (let index = 1; index <= 9; index += 1) {
    const command = { step: 'package_availability', commandId: `other-${index}`, isAvailable: true } as const;
    await older.whileTimePasses(older.local.submit(command));
  }
  await older.close();
  const continued = await restart(after.journal, older.files.ledgerFiles.contents());
  await expectTransfersHalted(continued, /the ledger has another event at offset/);
  await continued.close();
  const other = await Life.open({ time, journalFiles: new PowerCutFiles(undefined, after.journal), ledgerId: 'other' });
  await expectTransfersHalted(other, /belongs to the ledger test-ledger, and this one is other/);
  await other.close();
});

test('halts transfers if the money of the ledger does not add up', async () => {
  const { after, restart } = await withCopies();
  const life = await restart(after.journal, after.ledger);
  const { local } = life;
  const supply = async () => ({ ...(await local.supply()), heldAtoms: quoteAtoms(1_001) });
  const faulty = new Proxy<Ledger>(local, {
    get: (_, name: keyof Ledger) => (name === 'supply' ? supply : (local[name] as () => unknown).bind(local)),
  });
  life.ledger.replace(faulty);
  await expectTransfersHalted(life, /has issued 1000 atoms, and its parties hold 1001 and offer 0: it is at fault/);
  await life.close();
});

test('compares again after a time without the ledger', async () => {
  const { before, after, restart } = await withCopies();
  const life = await restart(after.journal, after.ledger);
  await life.until('a comparison', () => life.coordinator.status.isCompared);
  const older = await restart(before.journal, before.ledger);
  life.ledger.isDown = true;
  const bob = await life.owner('bob');
  await life.carryOut({ type: 'StartParty', account: bob, ledgerKey: newLedgerKey() });
  await life.until('a failed call', () => !life.coordinator.status.isUp);
  life.ledger.replace(older.local);
  life.ledger.isDown = false;
  await expectTransfersHalted(life, /older copy/);
  await life.close();
  await older.close();
});
