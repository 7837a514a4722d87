import { describe, expect, test } from 'vitest';
import { Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { RegisterAffiliate } from '#venue/command.ts';
import { registration } from '#venue/owner/testing/owners.ts';
import { RISK_RULES } from '#venue/risk/risk-rules.ts';
import { readState, writeState } from '#venue/snapshot.ts';

const [first, second] = [1, 2] as AccountOrdinal[] as [AccountOrdinal, AccountOrdinal];
const CODE = 'abcdef-0123_XYZ';
const register: RegisterAffiliate = { type: 'RegisterAffiliate', account: first, referralCode: CODE };
const refused = (code: string) => [{ type: 'CommandRefused', code }];

function opened(accounts = 2, rules = RISK_RULES): Scenario {
  const scenario = new Scenario(rules);
  scenario.populate(accounts);
  scenario.run({ type: 'SetCapability', capability: 'affiliate', isOn: true });
  return scenario;
}

describe('a registration of an affiliate', () => {
  test('numbers affiliates in order, each with its code and the share of its time', () => {
    const scenario = opened();
    expect(scenario.run(register)).toEqual([
      { type: 'AffiliateRegistered', account: first, affiliate: 1, referralCode: CODE, shareBps: 2_000 },
    ]);
    const registeredAtEpochMs = scenario.now;
    expect(scenario.run({ ...register, account: second, referralCode: 'other-code' })).toMatchObject([
      { account: second, affiliate: 2 },
    ]);
    expect(scenario.venue.state.affiliates.byCode.get(CODE)).toMatchObject({ account: first, registeredAtEpochMs });
  });

  test('is refused for an affiliate, with whatever code, and for the code of another', () => {
    const scenario = opened();
    scenario.run(register);
    expect(scenario.run(register)).toMatchObject(refused('affiliate_registered'));
    expect(scenario.run({ ...register, referralCode: 'other-code' })).toMatchObject(refused('affiliate_registered'));
    expect(scenario.run({ ...register, account: second })).toMatchObject(refused('referral_code_invalid'));
  });

  test('never gives the code of a retired affiliate to another one', () => {
    const scenario = opened();
    scenario.run(register);
    scenario.run({ type: 'RetireAccount', account: first });
    expect(scenario.run({ ...register, account: second })).toMatchObject(refused('referral_code_invalid'));
  });

  test.each(['', 'a'.repeat(7), 'a'.repeat(65), 'with a space', 'umläut-code', 'dotted.code'])(
    'is refused with the code "%s"',
    (referralCode) => {
      expect(opened().run({ ...register, referralCode })).toMatchObject(refused('referral_code_invalid'));
    },
  );

  test('needs the capability, an open venue and an active account', () => {
    const scenario = opened();
    scenario.run({ type: 'RetireAccount', account: second });
    expect(scenario.run({ ...register, account: second })).toMatchObject(refused('account_retired'));
    expect(scenario.run({ ...register, account: 9 as AccountOrdinal })).toMatchObject(refused('account_not_found'));
    scenario.run({ type: 'SetVenueStatus', status: 'intake_paused' });
    expect(scenario.run(register)).toMatchObject(refused('intake_paused'));
    scenario.run({ type: 'SetVenueStatus', status: 'halted' });
    expect(scenario.run(register)).toMatchObject(refused('venue_halted'));
    scenario.run({ type: 'SetVenueStatus', status: 'open' });
    scenario.run({ type: 'SetCapability', capability: 'affiliate', isOn: false });
    expect(scenario.run(register)).toMatchObject(refused('capability_unavailable'));
    expect(scenario.venue.state.affiliates.byAccount.size).toBe(0);
  });
});

describe('an owner who registers with a code', () => {
  const referred = (events: readonly object[]) => events.filter((event) => 'type' in event && event.type === 'AccountReferred');

  test('is referred by the affiliate that has it, also while the capability is off', () => {
    const scenario = opened();
    scenario.run(register);
    const account = 3 as AccountOrdinal;
    expect(referred(scenario.run(registration(1, { referralCode: CODE })))).toEqual([
      { type: 'AccountReferred', account, referrer: first },
    ]);
    scenario.run({ type: 'SetCapability', capability: 'affiliate', isOn: false });
    expect(referred(scenario.run(registration(2, { referralCode: CODE })))).toMatchObject([{ account: 4, referrer: first }]);
    expect([...scenario.venue.state.affiliates.referrers]).toEqual([
      [account, first],
      [4, first],
    ]);
  });

  test('is referred by no one if no affiliate has the code at that moment, also not later', () => {
    const scenario = opened();
    expect(referred(scenario.run(registration(1, { referralCode: CODE })))).toEqual([]);
    expect(referred(scenario.run(registration(2)))).toEqual([]);
    scenario.run(register);
    expect(referred(scenario.run(registration(3, { referralCode: CODE.toLowerCase() })))).toEqual([]);
    scenario.run({ type: 'RetireAccount', account: first });
    expect(referred(scenario.run(registration(4, { referralCode: CODE })))).toEqual([]);
    expect(scenario.venue.state.affiliates.referrers.size).toBe(0);
  });
});

test('a snapshot has affiliates and referrals beside the guard of the ledger, and states without them keep their layout', () => {
  // A market with averages would have a later layout.
  const scenario = opened(2, { ...RISK_RULES, averagesMark: false });
  const before = scenario.venue.snapshot();
  scenario.run({ type: 'GuardLedger' });
  scenario.run(register);
  scenario.run(registration(1, { referralCode: CODE }));
  for (const isGuarded of [true, false]) {
    scenario.venue.state.settlement.isGuarded = isGuarded;
    const restored = readState(writeState(scenario.venue.state));
    expect(restored.settlement.isGuarded).toBe(isGuarded);
    expect(restored.affiliates).toEqual(scenario.venue.state.affiliates);
  }
  expect(new DataView(before.buffer, before.byteOffset).getUint32(0, true)).toBeLessThan(11);
});
