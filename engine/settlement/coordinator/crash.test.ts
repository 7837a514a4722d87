/**
 * A deposit and a withdrawal, cut at every place: before and after each record of the journal and each call of the ledger, and by a
 * power cut at each operation of either store. After a restart the flow can be finished, and the money has moved once.
 */
import { expect, test } from 'vitest';
import { type Fault, type Operation, PowerCutFiles, TEARS, type Tear } from '#simulation/power-cut-files.ts';
import { type Random, seededRandom } from '#simulation/seeded-random.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import { Cut, Life } from './testing/life.ts';

const DEPOSITED = 1_000;
const WITHDRAWN = 400;

/** From wherever it is to the end, as a client does that repeats its requests. */
async function finish(life: Life): Promise<void> {
  const account = await life.owner('alice');
  await life.activateParty(account);
  await life.deposit(account, DEPOSITED);
  await life.withdraw(account, WITHDRAWN);
}

/** Every store and every party has exactly what the finished flow leaves. */
async function expectMovedOnce(life: Life, place: string): Promise<void> {
  const { account, partyId, cashAtoms, netDepositsAtoms } = life.holdings('alice');
  expect([account, cashAtoms, netDepositsAtoms], place).toEqual([1, DEPOSITED - WITHDRAWN, DEPOSITED - WITHDRAWN]);
  const { treasuryPartyId, custodyPartyId } = life.owners.ledger()!;
  const balances = await Promise.all([treasuryPartyId, custodyPartyId, partyId].map((party) => life.local.balance(party)));
  const available = balances.map((balance) => [balance?.availableAtoms, balance?.offeredAtoms]);
  expect(available, place).toEqual([
    [0, 0],
    [DEPOSITED - WITHDRAWN, 0],
    [WITHDRAWN, 0],
  ]);
  expect(await life.local.supply(), place).toMatchObject({ issuedAtoms: DEPOSITED });
  expect(life.owners.openDeposits(), place).toEqual([]);
  expect(life.owners.openWithdrawals(), place).toEqual([]);
  expect(life.coordinator.status.difference, place).toBeNull();
  expect(life.errors, place).toEqual([]);
}

interface Stores {
  readonly journalFiles: PowerCutFiles;
  readonly ledgerFiles: PowerCutFiles;
}

/** Runs the flow until the cut, then again on what is left. Returns whether the cut was reached. */
async function runWithCut(place: string, cut: Cut, files: Stores, leave: (stores: Stores) => Stores): Promise<boolean> {
  const time = new ManualTime();
  try {
    const life = await Life.open({ time, ...files, cut });
    await finish(life);
    await life.close();
  } catch (error) {
    if (!cut.isReached) throw error;
  }
  if (!cut.isReached) return false;
  const again = await Life.open({ time, ...leave(files) });
  await finish(again);
  await expectMovedOnce(again, place);
  await again.close();
  return true;
}

const fresh = (): Stores => ({ journalFiles: new PowerCutFiles(), ledgerFiles: new PowerCutFiles() });
const afterKill = ({ journalFiles, ledgerFiles }: Stores): Stores => ({
  journalFiles: journalFiles.afterKill(),
  ledgerFiles: ledgerFiles.afterKill(),
});

test('finishes a flow that was never cut', async () => {
  const life = await Life.open({ time: new ManualTime() });
  await finish(life);
  await expectMovedOnce(life, 'no cut');
  await life.close();
});

test.each(['before', 'after'] as const)(
  'moves the money once after a kill %s each record of the journal and each call of the ledger',
  async (side) => {
    const counts = { record: 0, call: 0 };
    for (const kind of ['record', 'call'] as const) {
      for (let ordinal = 1; ; ordinal += 1) {
        const stores = fresh();
        const isReached = await runWithCut(
          `${side} ${kind} ${ordinal}`,
          new Cut({ kind, ordinal, side }, stores),
          stores,
          afterKill,
        );
        if (!isReached) break;
        counts[kind] += 1;
      }
    }
    console.log(
      `killed ${side} each of ${counts.record} records and ${counts.call} calls: every flow was finished, money moved once`,
    );
    expect(counts.record).toBeGreaterThan(15);
    expect(counts.call).toBeGreaterThan(20);
  },
);

/** By default each operation has one kind of torn write, in turn: all of them take four times as long. */
const HAS_EVERY_TEAR = process.env.OPENPERP_CUT_TEARS === 'all';

test('moves the money once after a power cut at each operation of either store', async () => {
  const random = seededRandom(11);
  let cuts = 0;
  for (const store of ['journalFiles', 'ledgerFiles'] as const) {
    for (let ordinal = 1; ; ordinal += 1) {
      const tears = HAS_EVERY_TEAR ? TEARS : [TEARS[ordinal % TEARS.length]!];
      const reached = await Promise.all(tears.map((tear) => cutPowerAt(store, ordinal, tear, random)));
      if (reached.includes(false)) break;
      cuts += tears.length;
    }
  }
  console.log(`cut the power at ${cuts} places of either store: every flow was finished, money moved once`);
  expect(cuts).toBeGreaterThan(60);
});

/** Returns whether the operation was reached. */
function cutPowerAt(store: keyof Stores, ordinal: number, tear: Tear, random: Random): Promise<boolean> {
  const faults = (operation: Operation): Fault => (operation.ordinal === ordinal ? 'power_cut' : undefined);
  const stores = { ...fresh(), [store]: new PowerCutFiles(faults) };
  const leave = ({ journalFiles, ledgerFiles }: Stores): Stores => ({
    journalFiles: new PowerCutFiles(undefined, journalFiles.afterPowerCut(tear, random)),
    ledgerFiles: new PowerCutFiles(undefined, ledgerFiles.afterPowerCut(tear, random)),
  });
  return runWithCut(`${tear} at operation ${ordinal} of ${store}`, Cut.ofPower(stores), stores, leave);
}
