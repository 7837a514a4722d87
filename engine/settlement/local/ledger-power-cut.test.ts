/** A power cut or a failing disk at each operation: nothing acknowledged is lost, and repeated commands take effect once. */
import { expect, it } from 'vitest';
import type { LedgerCommand } from '#settlement/port/command.ts';
import { type Ledger, LedgerUnavailable } from '#settlement/port/ledger.ts';
import type { Receipt } from '#settlement/port/receipt.ts';
import { LEDGER_ID, openLocal } from '#settlement/testing/local-subject.ts';
import { PersistentCaller } from '#settlement/testing/persistent-caller.ts';
import { pick } from '#settlement/testing/random-commands.ts';
import { type Fault, type Operation, PowerCut, PowerCutFiles, TEARS } from '#simulation/power-cut-files.ts';
import { type Random, seededRandom } from '#simulation/seeded-random.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import { epochMs, quoteAtoms } from '#units/money.ts';

const FAR = epochMs(4_000_000_000_000);
const treasury = `treasury::${LEDGER_ID}`;
const custody = `custody::${LEDGER_ID}`;

/** A deposit and a payout, with commands beside it that make long frames. Returns the balances at the end. */
async function runScript(ledger: Ledger, time: ManualTime, acknowledged: Map<string, Receipt | undefined>) {
  const caller = new PersistentCaller(ledger, time);
  const alice = await created({ step: 'party_allocation', commandId: 'allocate', partyHint: 'alice' });
  const issued = Array.from({ length: 12 }, (_, index) => `issue-${index}`.padEnd(100, '-'));
  await Promise.all(issued.map((commandId) => carryOut({ step: 'development_issue', commandId, amountAtoms: quoteAtoms(100) })));
  const offer = { step: 'treasury_offer', partyId: alice, amountAtoms: quoteAtoms(300), expiresAtEpochMs: FAR } as const;
  const offerId = await created({ ...offer, commandId: 'offer' });
  await carryOut({ step: 'owner_offer_acceptance', commandId: 'accept', partyId: alice, offerId });
  const owner = { partyId: alice, amountAtoms: quoteAtoms(200) };
  await carryOut({ step: 'owner_account_acceptance', commandId: 'deposit', ...owner });
  const consent = { step: 'owner_withdrawal_consent', destinationPartyId: alice, ...owner } as const;
  const withdrawalConsentId = await created({ ...consent, commandId: 'consent' });
  const payoutId = await created({ step: 'payout_offer', commandId: 'payout', withdrawalConsentId, expiresAtEpochMs: FAR });
  await carryOut({ step: 'owner_offer_acceptance', commandId: 'receive', partyId: alice, offerId: payoutId });
  return Promise.all([treasury, custody, alice].map((partyId) => ledger.balance(partyId)));

  async function carryOut(command: LedgerCommand): Promise<Receipt> {
    const { commandId } = command;
    await ledger.submit(command);
    if (!acknowledged.has(commandId)) acknowledged.set(commandId, undefined);
    let found = await ledger.lookUp(commandId);
    for (; found.status !== 'sequenced'; found = await ledger.lookUp(commandId)) await time.settle();
    acknowledged.set(commandId, found.receipt);
    await caller.checkConservation();
    return found.receipt;
  }

  async function created(command: LedgerCommand): Promise<string> {
    const receipt = await carryOut(command);
    return (receipt.outcome === 'sequenced_accepted' && receipt.createdId) || '';
  }
}

const AT_THE_END = [
  { availableAtoms: 900, offeredAtoms: 0 },
  { availableAtoms: 0, offeredAtoms: 0 },
  { availableAtoms: 300, offeredAtoms: 0 },
];

/** Runs the script with a fault at one operation, then again on what is left. Returns whether the fault occurred. */
async function runWithFault(
  ordinal: number,
  fault: Fault,
  leave: (files: PowerCutFiles) => PowerCutFiles | Promise<PowerCutFiles>,
): Promise<boolean> {
  const time = new ManualTime();
  let hasFailed = false;
  const files = new PowerCutFiles((operation) => {
    if (operation.ordinal !== ordinal) return undefined;
    hasFailed = true;
    return fault;
  });
  const acknowledged = new Map<string, Receipt | undefined>();
  try {
    await runScript(await openLocal(files, time), time, acknowledged);
  } catch (cause) {
    // The opening fails with the error of the disk, a call with its own.
    if (!hasFailed || (acknowledged.size > 0 && !(cause instanceof LedgerUnavailable))) throw cause;
  }
  const again = await openLocal(await leave(files), time);
  for (const [commandId, receipt] of acknowledged) {
    const found = await again.lookUp(commandId);
    expect(found.status, `${commandId}, operation ${ordinal}`).not.toBe('unknown');
    if (receipt !== undefined) expect(found, `${commandId}, operation ${ordinal}`).toEqual({ status: 'sequenced', receipt });
  }
  expect(await runScript(again, time, new Map()), `operation ${ordinal}`).toEqual(AT_THE_END);
  await again.close();
  return hasFailed;
}

const leftByCut = (tear: (typeof TEARS)[number], random: Random) => (files: PowerCutFiles) =>
  new PowerCutFiles(undefined, files.afterPowerCut(tear, random));

it.each(TEARS)('loses nothing by a power cut at any operation that leaves unsynced writes as "%s"', async (tear) => {
  const random = seededRandom(7);
  let ordinal = 1;
  while (await runWithFault(ordinal, 'power_cut', leftByCut(tear, random))) ordinal += 1;
  expect(ordinal).toBeGreaterThan(40);
});

it.each(['EIO', 'ENOSPC'] as const)('loses nothing by %s at any operation', async (fault) => {
  let ordinal = 1;
  while (await runWithFault(ordinal, fault, (files) => files.afterKill())) ordinal += 1;
  expect(ordinal).toBeGreaterThan(40);
});

it('loses nothing by a failed operation, a restart and a power cut', async () => {
  const random = seededRandom(8);
  for (const tear of TEARS) {
    const leave = async (files: PowerCutFiles) => {
      const restarted = files.afterKill();
      await (await openLocal(restarted, new ManualTime())).close();
      return leftByCut(tear, random)(restarted);
    };
    let ordinal = 1;
    while (await runWithFault(ordinal, 'EIO', leave)) ordinal += 1;
  }
});

it('loses nothing by a second power cut at any operation of the restart', async () => {
  const random = seededRandom(9);
  for (let restartOrdinal = 1; restartOrdinal <= 8; restartOrdinal += 1) {
    const leave = async (files: PowerCutFiles) => {
      const cutAgain = ({ ordinal }: Operation): Fault => (ordinal === restartOrdinal ? 'power_cut' : undefined);
      const restarted = new PowerCutFiles(cutAgain, files.afterPowerCut(pick(random, TEARS), random));
      await openLocal(restarted, new ManualTime()).then(
        (ledger) => ledger.close(),
        (cause) => expect(cause).toBeInstanceOf(PowerCut),
      );
      return leftByCut(pick(random, TEARS), random)(restarted);
    };
    let ordinal = 1;
    while (await runWithFault(ordinal, 'power_cut', leave)) ordinal += 1;
  }
});
