import { expect, test } from 'vitest';
import { Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { SkipKyc } from '#venue/command.ts';
import { readState, writeState } from '#venue/snapshot.ts';

const account = 1 as AccountOrdinal;
const skip: SkipKyc = { type: 'SkipKyc', account };

test('stores when KYC was skipped, once, and keeps it in a snapshot', () => {
  const scenario = Scenario.withAccounts(2);
  expect(scenario.run(skip)).toEqual([{ type: 'KycSkipped', account }]);
  const skippedAtEpochMs = scenario.now;
  scenario.wait(5);
  expect(scenario.run(skip)).toMatchObject([{ code: 'kyc_skipped' }]);
  const skippedAt = readState(writeState(scenario.venue.state)).accounts.map((it) => it?.kycSkippedAtEpochMs);
  expect(skippedAt).toEqual([undefined, skippedAtEpochMs, 0]);
});

test('refuses unknown and retired accounts', () => {
  const scenario = Scenario.withAccounts(1);
  expect(scenario.run({ ...skip, account: 2 as AccountOrdinal })).toMatchObject([{ code: 'account_not_found' }]);
  scenario.run({ type: 'RetireAccount', account });
  expect(scenario.run(skip)).toMatchObject([{ code: 'account_retired' }]);
});
