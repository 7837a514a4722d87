/**
 * Settlement worlds by seed. `OPENPERP_SETTLEMENT_RUNS=1000 npm test -- engine/simulation/settlement` sets their number (40 by
 * default), OPENPERP_SETTLEMENT_FIRST_SEED the first seed. `OPENPERP_SETTLEMENT_SEED=…` repeats one.
 */
import { expect, test } from 'vitest';
import { FAULT_NAMES } from './faults.ts';
import { runSettlementWorld } from './world.ts';
import { SettlementRuns } from './world-runs.ts';

const ONLY = process.env.OPENPERP_SETTLEMENT_SEED;
const FIRST_SEED = Number(ONLY ?? process.env.OPENPERP_SETTLEMENT_FIRST_SEED ?? 1);
const RUNS = ONLY === undefined ? Number(process.env.OPENPERP_SETTLEMENT_RUNS ?? 40) : 1;
/** Everything that the worlds must show. Rare reasons and states are only reported. */
const OUTCOMES = ['submitted', 'accepted', 'rejected'];
const SEEN = [
  ...['allocating', 'allocated', 'active'].map((status) => `party ${status}`),
  ...['submitted', 'present', 'absent: package_absent', 'revoked: consent_revoked'].map((state) => `consent ${state}`),
  ...['treasury_offer', 'owner_offer_acceptance', 'owner_account_acceptance'].flatMap((step) =>
    OUTCOMES.map((outcome) => `deposit ${step} ${outcome}`),
  ),
  ...['owner_withdrawal_consent', 'payout_offer', 'owner_offer_acceptance'].flatMap((step) =>
    OUTCOMES.map((outcome) => `withdrawal ${step} ${outcome}`),
  ),
  ...['deposit', 'withdrawal'].flatMap((kind) => [`${kind} renewed`, `${kind} offer_withdrawal accepted`]),
  ...['requested', 'reserved', 'authorized', 'settled'].map((status) => `withdrawal ${status}`),
  ...['custody_insufficient', 'not_authorized_in_time', 'not_consented_in_time', 'payout_offer_expired'].map(
    (reason) => `withdrawal blocked: ${reason}`,
  ),
  'deposit confirmed',
  ...['ledger', 'journal'].map((store) => `transfers halted: older ${store}`),
  'entries accepted: older journal',
  ...['not_started', 'pending', 'waiting_for_package', 'complete'].map((setup) => `setup ${setup}`),
  ...['available', 'deposit_bound', 'consumed', 'cancelled'].map((status) => `intent ${status}`),
];
/** Enough for every fault and status to occur in some of them. */
const RUNS_FOR_ALL = 40;
const MAX_MS_PER_RUN = 10_000;

test(`moves all money once in ${RUNS} worlds`, { timeout: 600_000 + RUNS * MAX_MS_PER_RUN }, async () => {
  const runs = new SettlementRuns((line) => console.log(line));
  for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed += 1) await runs.add(seed);
  runs.printProgress();
  runs.printTables();
  if (RUNS < RUNS_FOR_ALL) return;
  expect(FAULT_NAMES.filter((name) => !runs.faults.has(name))).toEqual([]);
  expect(SEEN.filter((what) => !runs.seen.has(what))).toEqual([]);
});

test('creates the same world from the same seed', async () => {
  const [one, again, other] = [
    await runSettlementWorld({ seed: 7 }),
    await runSettlementWorld({ seed: 7 }),
    await runSettlementWorld({ seed: 8 }),
  ];
  expect(again).toEqual(one);
  expect(other.digest).not.toBe(one.digest);
});
