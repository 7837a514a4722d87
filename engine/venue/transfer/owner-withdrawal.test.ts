import { describe, expect, test } from 'vitest';
import { advanceWithdrawal, OFFER_MS, requestWithdrawal } from '#simulation/owner-flows.ts';
import type { Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import type { EpochMs, QuoteAtoms } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { holdingsOf, typesOf } from '#venue/testing/outcome.ts';
import { quickScenario, snapshotScenario } from '#venue/testing/venues.ts';
import { MAX_OPEN_WITHDRAWALS } from './owner-withdrawal.ts';
import { WITHDRAWAL_STEPS, type WithdrawalStep } from './withdrawal-steps.ts';

const account = 1 as AccountOrdinal;
const withdrawal = 1 as WithdrawalOrdinal;
const START = 10_000_000_000;
const AMOUNT = 4_000_000_000;
const CONFLICT = 'withdrawal_state_conflict';
const [CONSENT, OFFER, ACCEPTANCE, TAKE_BACK] = WITHDRAWAL_STEPS;

const ENDS = ['settled', 'blocked'] as const;
/** The state of a withdrawal: its status before the ledger, then the step that is due. */
const STATES = ['requested', 'reserved', ...WITHDRAWAL_STEPS, ...ENDS] as const;
type State = (typeof STATES)[number];

const openOf = ({ venue }: Scenario) => venue.state.settlement.withdrawals.get(withdrawal);

function refused(events: readonly VenueEvent[]): string {
  const [event] = events;
  return event?.type === 'CommandRefused' ? event.code : '';
}

function submit({ now }: Scenario, step: WithdrawalStep, attempt = 1): Command {
  const offerExpiresAtEpochMs = (step === OFFER ? now + OFFER_MS : 0) as EpochMs;
  return { type: 'SubmitWithdrawalStep', withdrawal, step, attempt, offerExpiresAtEpochMs };
}

function record(step: WithdrawalStep, attempt: number, fields: object = {}): Command {
  const receipt = { outcome: 'accepted', reason: '', createdId: 'created', ledgerEventId: 'event', ledgerOffset: 9 } as const;
  return { type: 'RecordWithdrawalStep', withdrawal, step, attempt, ...receipt, ...fields };
}

const ADVANCES: Readonly<Record<State, number>> = {
  requested: 0,
  reserved: 1,
  [CONSENT]: 2,
  [OFFER]: 3,
  [ACCEPTANCE]: 4,
  [TAKE_BACK]: 4,
  settled: 5,
  blocked: 2,
};

function withdrawalAt(state: State, isSubmitted = false, isRenewal = false): Scenario {
  const scenario = quickScenario(1);
  requestWithdrawal(scenario, 1, AMOUNT);
  for (let taken = 0; taken < ADVANCES[state]; taken += 1) advanceWithdrawal(scenario, withdrawal);
  if (state === 'blocked') advanceWithdrawal(scenario, withdrawal, 'party_unknown');
  if (state === TAKE_BACK && !isRenewal) advanceWithdrawal(scenario, withdrawal, 'offer_expired');
  if (isRenewal) {
    scenario.wait(OFFER_MS);
    scenario.run({ type: 'RenewWithdrawal', withdrawal });
  }
  if (isSubmitted) scenario.run(submit(scenario, state as WithdrawalStep));
  return scenario;
}

test('reserves the cash, goes through its steps, and leaves the venue by the accepted acceptance', () => {
  const scenario = snapshotScenario(1);
  expect(requestWithdrawal(scenario, 1, AMOUNT)).toMatchObject([
    { type: 'WithdrawalRequested', withdrawal: 1, account: 1, amountAtoms: AMOUNT, destination: 'party-1' },
    { type: 'CashPosted', kind: 'withdrawal_reserve', amountAtoms: -AMOUNT, cashAtoms: START - AMOUNT },
    { type: 'LedgerPosted', ledger: 'withdrawals', amountAtoms: AMOUNT, balanceAtoms: AMOUNT },
  ]);
  expect(advanceWithdrawal(scenario, withdrawal)).toEqual([
    { type: 'WithdrawalStatusChanged', withdrawal: 1, account: 1, status: 'reserved' },
  ]);
  expect(advanceWithdrawal(scenario, withdrawal)).toEqual([
    { type: 'WithdrawalStatusChanged', withdrawal: 1, account: 1, status: 'authorized' },
  ]);
  expect(scenario.run(submit(scenario, CONSENT))).toMatchObject([{ type: 'WithdrawalStepSubmitted', status: 'submitted' }]);
  advanceWithdrawal(scenario, withdrawal);
  expect(openOf(scenario)).toMatchObject({ status: 'submitted', step: OFFER, consentId: `${CONSENT}-${scenario.sequence - 1}` });
  advanceWithdrawal(scenario, withdrawal);
  expect(openOf(scenario)).toMatchObject({ step: ACCEPTANCE, offerId: `${OFFER}-${scenario.sequence - 1}` });
  expect(advanceWithdrawal(scenario, withdrawal).slice(1)).toEqual([
    { type: 'WithdrawalSettled', withdrawal: 1, account: 1, amountAtoms: AMOUNT },
    { type: 'LedgerPosted', ledger: 'withdrawals', amountAtoms: -AMOUNT, balanceAtoms: 0 },
  ]);
  expect(scenario.venue.state.netDepositsAtoms).toBe(START - AMOUNT);
});

/** What is due after each step: accepted, rejected, and rejected because the offer is closed, or accepted by another command. */
type Row = readonly [
  WithdrawalStep,
  isRenewal: boolean,
  accepted: string,
  rejected: string,
  closed: string,
  acceptedElsewhere: string,
];
const AFTER: readonly Row[] = [
  [CONSENT, false, `${OFFER} 1`, 'blocked', 'blocked', 'blocked'],
  [OFFER, false, `${ACCEPTANCE} 1`, 'blocked', 'blocked', 'blocked'],
  [ACCEPTANCE, false, 'settled', `${TAKE_BACK} 1`, `${TAKE_BACK} 1`, `${TAKE_BACK} 1`],
  [TAKE_BACK, false, 'blocked', 'blocked', `${ACCEPTANCE} 2`, `${ACCEPTANCE} 2`],
  [TAKE_BACK, true, 'blocked', 'blocked', `${ACCEPTANCE} 1`, `${ACCEPTANCE} 1`],
];
const REASONS = ['', 'offer_unknown', 'offer_closed', 'offer_accepted'];

describe.each(AFTER)('after %s (of an expired offer: %s)', (step, isRenewal, ...expected) => {
  test.each(REASONS)('with the reason "%s"', (reason) => {
    const scenario = withdrawalAt(step, true, isRenewal);
    const outcome = reason === '' ? 'accepted' : 'rejected';
    const events = scenario.run(record(step, 1, { outcome, reason }));
    const open = openOf(scenario);
    const isSettled = typesOf(events).includes('WithdrawalSettled');
    const found = open === undefined ? (isSettled ? 'settled' : 'blocked') : `${open.step} ${open.attempt}`;
    expect(found).toBe(expected[REASONS.indexOf(reason)]);
    const { cash } = holdingsOf(scenario.venue.state, 1);
    expect(cash).toBe(found === 'blocked' ? START : START - AMOUNT);
    expect(scenario.venue.state.netDepositsAtoms).toBe(found === 'settled' ? START - AMOUNT : START);
  });
});

describe('the table of states and commands', () => {
  const isStep = (state: State): state is WithdrawalStep => (WITHDRAWAL_STEPS as readonly string[]).includes(state);
  const states = STATES.flatMap((state) => [false, true].map((isSubmitted) => [state, isSubmitted] as const));
  const possibleStates = states.filter(([state, isSubmitted]) => isStep(state) || !isSubmitted);

  test.each(possibleStates)('%s, submitted: %s', (state, isSubmitted) => {
    const outcomes = (command: (scenario: Scenario) => Command, wait = 0) => {
      const scenario = withdrawalAt(state, isSubmitted);
      scenario.wait(wait);
      return refused(scenario.run(command(scenario)));
    };
    const possible = (is: boolean) => (is ? '' : CONFLICT);
    for (const step of WITHDRAWAL_STEPS) {
      const isDue = state === step;
      expect(
        outcomes((scenario) => submit(scenario, step)),
        `submit ${step}`,
      ).toBe(possible(isDue && !isSubmitted));
      for (const attempt of [0, 1, 2])
        expect(
          outcomes(() => record(step, attempt)),
          `record ${step} ${attempt}`,
        ).toBe(possible(isDue && isSubmitted && attempt === 1));
    }
    const isOffLedger = state === 'requested' || state === 'reserved' || (state === CONSENT && !isSubmitted);
    expect(outcomes(() => ({ type: 'ReserveOnLedger', withdrawal }))).toBe(possible(state === 'requested'));
    expect(outcomes(() => ({ type: 'AuthorizeWithdrawal', account, withdrawal }))).toBe(possible(state === 'reserved'));
    expect(outcomes(() => ({ type: 'BlockWithdrawal', withdrawal, reason: 'late' }))).toBe(possible(isOffLedger));
    expect(outcomes(() => ({ type: 'RenewWithdrawal', withdrawal }), OFFER_MS)).toBe(
      possible(state === ACCEPTANCE && !isSubmitted),
    );
    // The operator's commands do not end an owner's withdrawal; one that has ended is not pending.
    const isEnded = state === 'settled' || state === 'blocked';
    for (const type of ['ReleaseWithdrawal', 'SettleWithdrawal'] as const)
      expect(outcomes(() => ({ type, withdrawal }))).toBe(isEnded ? 'withdrawal_not_found' : CONFLICT);
  });
});

test('returns the cash of a blocked withdrawal once, with the reason', () => {
  const scenario = snapshotScenario(1);
  requestWithdrawal(scenario, 1, AMOUNT);
  expect(scenario.run({ type: 'BlockWithdrawal', withdrawal, reason: 'not_authorized' })).toEqual([
    { type: 'WithdrawalBlocked', withdrawal: 1, account: 1, amountAtoms: AMOUNT, reason: 'not_authorized' },
    { type: 'WithdrawalReleased', withdrawal: 1, account: 1, amountAtoms: AMOUNT },
    { type: 'LedgerPosted', ledger: 'withdrawals', amountAtoms: -AMOUNT, balanceAtoms: 0 },
    { type: 'CashPosted', account: 1, kind: 'withdrawal_release', amountAtoms: AMOUNT, cashAtoms: START },
  ]);
  expect(refused(scenario.run({ type: 'BlockWithdrawal', withdrawal, reason: '' }))).toBe(CONFLICT);
  expect(holdingsOf(scenario.venue.state, 1).cash).toBe(START);
});

test.each([
  [false, 'offer_expired'],
  [true, 'payout_offer_expired'],
])('is blocked with why its offer was withdrawn (of an expired offer: %s)', (isRenewal, reason) => {
  const scenario = withdrawalAt(TAKE_BACK, false, isRenewal);
  expect(openOf(scenario)).toMatchObject({ reason });
  expect(advanceWithdrawal(scenario, withdrawal)).toMatchObject([
    { type: 'WithdrawalStepRecorded' },
    { type: 'WithdrawalBlocked', reason },
    { type: 'WithdrawalReleased' },
    {},
    {},
  ]);
});

test('submits only the attempt that is due', () => {
  const scenario = withdrawalAt(TAKE_BACK, true);
  scenario.run(record(TAKE_BACK, 1, { outcome: 'rejected', reason: 'offer_closed' }));
  for (const attempt of [0, 1, 3])
    expect(refused(scenario.run(submit(scenario, ACCEPTANCE, attempt))), `${attempt}`).toBe(CONFLICT);
  expect(scenario.run(submit(scenario, ACCEPTANCE, 2))).toMatchObject([{ type: 'WithdrawalStepSubmitted', attempt: 2 }]);
});

test('renews an offer only after its expiry', () => {
  const scenario = withdrawalAt(ACCEPTANCE);
  scenario.wait(openOf(scenario)!.offerExpiresAtEpochMs - scenario.now - 2);
  expect(refused(scenario.run({ type: 'RenewWithdrawal', withdrawal }))).toBe(CONFLICT);
  expect(scenario.run({ type: 'RenewWithdrawal', withdrawal })).toEqual([
    { type: 'WithdrawalRenewed', withdrawal: 1, account: 1, nextStep: TAKE_BACK },
  ]);
});

describe('a request', () => {
  const request = (fields: object = {}): Command => ({
    type: 'RequestWithdrawal',
    account,
    amountAtoms: AMOUNT as QuoteAtoms,
    destination: 'party-1',
    ledgerKey: 'key',
    idempotencyKey: 'once',
    ...fields,
  });

  test('needs a party, the own party as destination, and available cash', () => {
    const scenario = snapshotScenario(1);
    scenario.run({ type: 'OpenAccount', label: '', partyId: '', digestSeed: 1 });
    scenario.limit(1, 'buy', 9_900, 1_000);
    const available = scenario.venue.state.account(account)!.availableAtoms;
    const refusals = [
      { account: 3 },
      { account: 2, destination: '' },
      { destination: 'party-2' },
      { amountAtoms: 0 },
      { amountAtoms: available + 1 },
    ].map((fields) => refused(scenario.run(request(fields))));
    expect(refusals).toEqual([
      'account_not_found',
      'account_not_enabled',
      'destination_not_allowed',
      'amount_out_of_bounds',
      'insufficient_cash',
    ]);
    expect(refused(scenario.run(request({ amountAtoms: available })))).toBe('');
  });

  test('is refused below its minimum, unless it is all cash of the account', () => {
    const minimumAtoms = 1_000_000 as QuoteAtoms;
    const scenario = snapshotScenario(1);
    const of = (amountAtoms: number) => scenario.run(request({ amountAtoms, minimumAtoms }));
    const tooSmall = [{ type: 'CommandRefused', code: 'amount_out_of_bounds', bound: minimumAtoms }];
    expect(of(minimumAtoms - 1)).toMatchObject(tooSmall);
    expect(of(minimumAtoms)).not.toMatchObject(tooSmall);
    expect(of(START - 2 * minimumAtoms + 1)).not.toMatchObject(tooSmall);
    const rest = holdingsOf(scenario.venue.state, account).cash;
    expect(rest).toBe(minimumAtoms - 1);
    // What is available is not all cash while an order reserves some of it.
    scenario.limit(1, 'buy', 100, 1);
    const { availableAtoms } = scenario.venue.state.account(account)!;
    expect(availableAtoms).toBeLessThan(rest);
    expect(of(availableAtoms)).toMatchObject(tooSmall);
    scenario.cancel(1, scenario.venue.state.lastOrder);
    expect(of(rest)).toMatchObject([{ type: 'WithdrawalRequested', amountAtoms: rest }, {}, {}]);
    expect(holdingsOf(scenario.venue.state, account).cash).toBe(0);
  });

  test('is limited by the number of open withdrawals of its account', () => {
    const scenario = snapshotScenario(2);
    for (let open = 0; open < MAX_OPEN_WITHDRAWALS; open += 1) expect(refused(requestWithdrawal(scenario, 1, 1))).toBe('');
    expect(requestWithdrawal(scenario, 1, 1)).toMatchObject([{ code: 'too_many_withdrawals', bound: MAX_OPEN_WITHDRAWALS }]);
    expect(refused(requestWithdrawal(scenario, 2, 1))).toBe('');
    scenario.run({ type: 'BlockWithdrawal', withdrawal, reason: '' });
    expect(refused(requestWithdrawal(scenario, 1, 1))).toBe('');
  });

  test('of a retired account is accepted, unless it is legacy', () => {
    for (const [isLegacy, code] of [
      [false, ''],
      [true, 'account_legacy_excluded'],
    ] as const) {
      const scenario = snapshotScenario(1);
      scenario.run({ type: 'RetireAccount', account, ...(isLegacy && { isLegacy }) });
      expect(refused(scenario.run(request()))).toBe(code);
    }
  });

  test('and its authorization need an open venue, withdrawals and transfers', () => {
    const scenario = withdrawalAt('reserved');
    const both = () => [request(), { type: 'AuthorizeWithdrawal', account, withdrawal } as const];
    for (const capability of ['withdrawals', 'transfers'] as const) {
      scenario.run({ type: 'SetCapability', capability, isOn: false });
      for (const command of both()) expect(refused(scenario.run(command))).toBe('capability_unavailable');
      scenario.run({ type: 'SetCapability', capability, isOn: true });
    }
    for (const [status, code] of [
      ['halted', 'venue_halted'],
      ['intake_paused', 'intake_paused'],
    ] as const) {
      scenario.run({ type: 'SetVenueStatus', status });
      for (const command of both()) expect(refused(scenario.run(command))).toBe(code);
    }
    // What is on the ledger is recorded in every status.
    scenario.run({ type: 'SetVenueStatus', status: 'open' });
    for (let taken = 0; taken < 3; taken += 1) advanceWithdrawal(scenario, withdrawal);
    scenario.run(submit(scenario, ACCEPTANCE));
    scenario.run({ type: 'SetVenueStatus', status: 'halted' });
    expect(typesOf(scenario.run(record(ACCEPTANCE, 1)))).toContain('WithdrawalSettled');
  });
});

test('authorizes only the withdrawal of the same account, and finds unknown ones', () => {
  const scenario = quickScenario(2);
  requestWithdrawal(scenario, 1, AMOUNT);
  advanceWithdrawal(scenario, withdrawal);
  const authorize = (by: number, of = 1): Command => ({
    type: 'AuthorizeWithdrawal',
    account: by as AccountOrdinal,
    withdrawal: of as WithdrawalOrdinal,
  });
  expect([authorize(2), authorize(1, 2), authorize(3), authorize(1)].map((command) => refused(scenario.run(command)))).toEqual([
    'withdrawal_not_found',
    'withdrawal_not_found',
    'account_not_found',
    '',
  ]);
});

test('moves nothing for a withdrawal of the operator', () => {
  const scenario = quickScenario(1);
  scenario.run({ type: 'ReserveWithdrawal', account, amountAtoms: AMOUNT as QuoteAtoms, destination: 'elsewhere' });
  for (const command of [
    { type: 'ReserveOnLedger', withdrawal },
    { type: 'BlockWithdrawal', withdrawal, reason: '' },
  ] as const)
    expect(refused(scenario.run(command))).toBe(CONFLICT);
});
