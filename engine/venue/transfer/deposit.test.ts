import { describe, expect, test } from 'vitest';
import { advanceDeposit, bindDeposit, FAUCET_ATOMS, OFFER_MS } from '#simulation/owner-flows.ts';
import type { Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal, DepositOrdinal, FundingIntentOrdinal } from '#units/ids.ts';
import type { EpochMs, QuoteAtoms } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { holdingsOf, refusalCode, typesOf } from '#venue/testing/outcome.ts';
import { quickScenario, snapshotScenario } from '#venue/testing/venues.ts';
import { MAX_DEPOSITS_ATOMS } from './deposit-bound.ts';
import { DEPOSIT_STEPS, type DepositStep } from './deposit-steps.ts';
import { fundingIntentStatus } from './faucet.ts';
import { MAX_MONEY_ID } from './money-id.ts';

const [first, second] = [1 as AccountOrdinal, 2 as AccountOrdinal];
const intent = 1 as FundingIntentOrdinal;
const deposit = 1 as DepositOrdinal;
const START = 10_000_000_000;
const [OFFER, ACCEPTANCE, TRANSFER, WITHDRAWAL] = DEPOSIT_STEPS;

const bind = (account = first, of = intent): Command => ({ type: 'BindDeposit', account, intent: of, ledgerKey: 'key' });
const grant = (account = first): Command => ({ type: 'GrantFaucet', account, amountAtoms: FAUCET_ATOMS });
const stateOf = ({ venue }: Scenario) => venue.state.settlement.deposits.get(deposit)!;

function record(step: DepositStep, attempt: number, fields: object = {}): Command {
  const receipt = { outcome: 'accepted', reason: '', createdId: 'created', ledgerEventId: 'event', ledgerOffset: 9 } as const;
  return { type: 'RecordDepositStep', deposit, step, attempt, ...receipt, ...fields };
}

function submit({ now }: Scenario, step: DepositStep, attempt = 1): Command {
  const offerExpiresAtEpochMs = (step === OFFER ? now + OFFER_MS : 0) as EpochMs;
  return { type: 'SubmitDepositStep', deposit, step, attempt, offerExpiresAtEpochMs };
}

/** A deposit whose due step is `step`, submitted or not. */
function depositAt(step: DepositStep | 'none', isSubmitted = false, isRenewal = false): Scenario {
  const scenario = quickScenario(1);
  bindDeposit(scenario, 1);
  const path = step === OFFER ? 0 : step === ACCEPTANCE || step === WITHDRAWAL ? 1 : step === TRANSFER ? 2 : 3;
  for (let taken = 0; taken < path; taken += 1) advanceDeposit(scenario, deposit);
  if (step === WITHDRAWAL && !isRenewal) advanceDeposit(scenario, deposit, 'offer_closed');
  if (isRenewal) {
    scenario.wait(OFFER_MS);
    scenario.run({ type: 'RenewDeposit', deposit });
  }
  if (isSubmitted) scenario.run(submit(scenario, step as DepositStep));
  return scenario;
}

test('credits the account by the receipt of the last step, with the ids of the ledger', () => {
  const scenario = snapshotScenario(1);
  expect(scenario.run(grant())).toEqual([
    { type: 'FundingIntentCreated', intent: 1, account: 1, amountAtoms: FAUCET_ATOMS, source: 'faucet' },
  ]);
  const bound = { deposit: 1, intent: 1, account: 1, amountAtoms: FAUCET_ATOMS, ledgerKey: 'key', partyId: 'party-1' };
  expect(scenario.run(bind())).toEqual([{ type: 'DepositBound', ...bound }]);
  const expiry = scenario.now + 1 + OFFER_MS;
  expect(scenario.run(submit({ ...scenario, now: scenario.now + 1 } as Scenario, OFFER))).toEqual([
    { type: 'DepositStepSubmitted', deposit: 1, account: 1, step: OFFER, attempt: 1, offerExpiresAtEpochMs: expiry },
  ]);
  expect(scenario.run(record(OFFER, 1, { createdId: 'offer-1', ledgerOffset: 4 }))).toMatchObject([
    { type: 'DepositStepRecorded', nextStep: ACCEPTANCE, nextAttempt: 1 },
  ]);
  expect(stateOf(scenario)).toMatchObject({ offerId: 'offer-1', offerExpiresAtEpochMs: expiry });
  advanceDeposit(scenario, deposit);
  expect(holdingsOf(scenario.venue.state, 1).cash).toBe(START);
  scenario.run(submit(scenario, TRANSFER));
  expect(scenario.run(record(TRANSFER, 1, { ledgerEventId: 'event-9', ledgerOffset: 12 })).slice(1)).toEqual([
    { type: 'DepositConfirmed', deposit: 1, intent: 1, account: 1, amountAtoms: FAUCET_ATOMS, ledgerEventId: 'event-9' },
    { type: 'CashPosted', account: 1, kind: 'deposit', amountAtoms: FAUCET_ATOMS, cashAtoms: START + FAUCET_ATOMS },
  ]);
  expect(scenario.venue.state.netDepositsAtoms).toBe(START + FAUCET_ATOMS);
  expect(scenario.venue.state.settlement).toMatchObject({
    ledgerHead: { offset: 12, ledgerEventId: 'event-9' },
    boundDepositsAtoms: 0,
  });
});

/** What is due after each step: accepted, rejected, and rejected because the offer is closed, or accepted by another command. */
type Row = readonly [
  DepositStep,
  isRenewal: boolean,
  accepted: string,
  rejected: string,
  closed: string,
  acceptedElsewhere: string,
];
const AFTER: readonly Row[] = [
  [OFFER, false, `${ACCEPTANCE} 1`, `${OFFER} 2`, `${OFFER} 2`, `${OFFER} 2`],
  [ACCEPTANCE, false, `${TRANSFER} 1`, `${WITHDRAWAL} 1`, `${WITHDRAWAL} 1`, `${WITHDRAWAL} 1`],
  [TRANSFER, false, 'none 1', `${TRANSFER} 2`, `${TRANSFER} 2`, `${TRANSFER} 2`],
  [WITHDRAWAL, false, `${OFFER} 2`, `${OFFER} 2`, `${OFFER} 2`, `${TRANSFER} 1`],
  [WITHDRAWAL, true, `${OFFER} 2`, `${OFFER} 2`, `${ACCEPTANCE} 1`, `${ACCEPTANCE} 1`],
];
const REASONS = ['', 'balance_insufficient', 'offer_closed', 'offer_accepted'];

describe.each(AFTER)('after %s (of an expired offer: %s)', (step, isRenewal, ...expected) => {
  test.each(REASONS)('with the reason "%s"', (reason) => {
    const scenario = depositAt(step, true, isRenewal);
    const outcome = reason === '' ? 'accepted' : 'rejected';
    scenario.run(record(step, 1, { outcome, reason }));
    const { step: due, attempt, isSubmitted } = stateOf(scenario);
    expect(`${due} ${attempt}`).toBe(expected[REASONS.indexOf(reason)]);
    expect(isSubmitted).toBe(false);
  });
});

describe('the table of states and commands', () => {
  const due = [...DEPOSIT_STEPS, 'none'] as const;
  const states = due.flatMap((step) => [false, true].map((isSubmitted) => [step, isSubmitted] as const));
  const possible = states.filter(([step, isSubmitted]) => step !== 'none' || !isSubmitted);

  test.each(possible)('%s, submitted: %s', (step, isSubmitted) => {
    for (const sent of DEPOSIT_STEPS) {
      const isDue = sent === step;
      const submission = depositAt(step, isSubmitted);
      expect(refused(submission.run(submit(submission, sent))), `submit ${sent}`).toBe(isDue && !isSubmitted ? '' : CONFLICT);
      for (const attempt of [0, 1, 2]) {
        const receipt = depositAt(step, isSubmitted);
        const isPossible = isDue && isSubmitted && attempt === 1;
        expect(refused(receipt.run(record(sent, attempt))), `record ${sent} ${attempt}`).toBe(isPossible ? '' : CONFLICT);
      }
    }
    const renewal = depositAt(step, isSubmitted);
    renewal.wait(OFFER_MS);
    const isRenewable = step === ACCEPTANCE && !isSubmitted;
    expect(refused(renewal.run({ type: 'RenewDeposit', deposit }))).toBe(isRenewable ? '' : CONFLICT);
    expect(refusalCode(renewal.run(bind()))).toBe('funding_intent_bound');
  });
});

const CONFLICT = 'deposit_state_conflict';

function refused(events: readonly VenueEvent[]): string {
  const [event] = events;
  return event?.type === 'CommandRefused' ? event.code : '';
}

test('confirms a deposit once', () => {
  const scenario = snapshotScenario(1);
  bindDeposit(scenario, 1);
  for (let step = 0; step < 3; step += 1) advanceDeposit(scenario, deposit);
  expect(refusalCode(scenario.run(record(TRANSFER, 1)))).toBe(CONFLICT);
  expect(holdingsOf(scenario.venue.state, 1).cash).toBe(START + FAUCET_ATOMS);
  expect(refusalCode(scenario.run({ ...record(TRANSFER, 1), deposit: 2 as DepositOrdinal } as Command))).toBe(
    'deposit_not_found',
  );
});

test('refuses incomplete receipts, offers that have expired, and an expiry of another step', () => {
  const scenario = depositAt(OFFER, true);
  for (const fields of [{ createdId: '' }, { ledgerEventId: '' }, { ledgerOffset: 0 }])
    expect(refused(scenario.run(record(OFFER, 1, fields))), JSON.stringify(fields)).toBe(CONFLICT);
  const due = depositAt(OFFER);
  const expired = { type: 'SubmitDepositStep', deposit, step: OFFER, attempt: 1 } as const;
  expect(refused(due.run({ ...expired, offerExpiresAtEpochMs: (due.now + 1) as EpochMs }))).toBe(CONFLICT);
  const acceptance = depositAt(ACCEPTANCE);
  const sent = {
    type: 'SubmitDepositStep',
    deposit,
    step: ACCEPTANCE,
    attempt: 1,
    offerExpiresAtEpochMs: (acceptance.now + 9) as EpochMs,
  } as const;
  expect(refused(acceptance.run(sent))).toBe(CONFLICT);
});

test('submits only the attempt that is due', () => {
  const scenario = depositAt(TRANSFER, true);
  scenario.run(record(TRANSFER, 1, { outcome: 'rejected', reason: 'balance_insufficient' }));
  for (const attempt of [0, 1, 3])
    expect(refused(scenario.run(submit(scenario, TRANSFER, attempt))), `${attempt}`).toBe(CONFLICT);
  expect(scenario.run(submit(scenario, TRANSFER, 2))).toMatchObject([{ type: 'DepositStepSubmitted', attempt: 2 }]);
});

test('renews an offer only after its expiry', () => {
  const scenario = depositAt(ACCEPTANCE);
  const { offerExpiresAtEpochMs } = stateOf(scenario);
  scenario.wait(offerExpiresAtEpochMs - scenario.now - 2);
  expect(refused(scenario.run({ type: 'RenewDeposit', deposit }))).toBe(CONFLICT);
  expect(scenario.run({ type: 'RenewDeposit', deposit })).toEqual([
    { type: 'DepositRenewed', deposit: 1, account: 1, nextStep: WITHDRAWAL },
  ]);
});

test('credits an account that was retired meanwhile', () => {
  const scenario = snapshotScenario(1);
  bindDeposit(scenario, 1);
  scenario.run({ type: 'RetireAccount', account: first, isLegacy: true });
  for (let step = 0; step < 3; step += 1) advanceDeposit(scenario, deposit);
  expect(holdingsOf(scenario.venue.state, 1).cash).toBe(START + FAUCET_ATOMS);
});

test('counts a bound deposit in the bound of all deposits, so that confirming cannot break it', () => {
  const scenario = snapshotScenario(2);
  bindDeposit(scenario, 1);
  const room = MAX_DEPOSITS_ATOMS - 2 * START - FAUCET_ATOMS;
  const credit = (atoms: number): Command => ({
    type: 'CreditCash',
    account: second,
    amountAtoms: atoms as QuoteAtoms,
    reference: '',
  });
  expect(scenario.run(credit(room + 1))).toMatchObject([{ code: 'amount_out_of_bounds', bound: room }]);
  expect(scenario.run({ type: 'CreditInsurance', amountAtoms: (room + 1) as QuoteAtoms, reference: '' })).toMatchObject([
    { code: 'amount_out_of_bounds', bound: room },
  ]);
  scenario.run(grant(second));
  expect(typesOf(scenario.run(credit(room)))).toEqual(['CashPosted']);
  expect(scenario.run(bind(second, 2 as FundingIntentOrdinal))).toMatchObject([{ code: 'amount_out_of_bounds', bound: 0 }]);
  for (let step = 0; step < 3; step += 1) advanceDeposit(scenario, deposit);
  expect(scenario.venue.state.netDepositsAtoms).toBe(MAX_DEPOSITS_ATOMS);
});

describe('a funding intent', () => {
  const statusOf = ({ venue: { state } }: Scenario) => {
    const granted = state.settlement.intents.get(intent);
    if (granted === undefined) return 'none';
    return fundingIntentStatus(state.account(first)!.isRetired, state.settlement.deposits.get(granted.deposit as DepositOrdinal));
  };
  const reach: Readonly<Record<string, () => Scenario>> = {
    none: () => quickScenario(1),
    available: () => {
      const scenario = quickScenario(1);
      scenario.run(grant());
      return scenario;
    },
    cancelled: () => {
      const scenario = quickScenario(1);
      scenario.run(grant());
      scenario.run({ type: 'RetireAccount', account: first });
      return scenario;
    },
    deposit_bound: () => depositAt(OFFER),
    consumed: () => depositAt('none'),
  };
  /** State → the status after a grant, a binding and a retirement, or the refusal. */
  const TABLE: Readonly<Record<string, readonly [grant: string, bind: string, retire: string]>> = {
    none: ['available', 'funding_intent_not_found', 'none'],
    available: ['faucet_granted', 'deposit_bound', 'cancelled'],
    cancelled: ['account_retired', 'account_retired', 'account_retired'],
    deposit_bound: ['faucet_granted', 'funding_intent_bound', 'deposit_bound'],
    consumed: ['faucet_granted', 'funding_intent_bound', 'consumed'],
  };

  test.each(Object.keys(TABLE))('that is %s', (status) => {
    expect(statusOf(reach[status]!())).toBe(status);
    const commands: readonly Command[] = [grant(), bind(), { type: 'RetireAccount', account: first }];
    const after = commands.map((command) => {
      const scenario = reach[status]!();
      return refused(scenario.run(command)) || statusOf(scenario);
    });
    expect(after).toEqual(TABLE[status]);
  });

  test('is refused for what the venue does not permit, but a repeated grant and binding name the earlier ones', () => {
    const scenario = quickScenario(1);
    for (const capability of ['deposits', 'transfers'] as const) {
      scenario.run({ type: 'SetCapability', capability, isOn: false });
      if (capability === 'deposits') expect(refused(scenario.run(grant()))).toBe('capability_unavailable');
      else {
        expect(refused(scenario.run(grant()))).toBe('');
        expect(refused(scenario.run(bind()))).toBe('capability_unavailable');
      }
      scenario.run({ type: 'SetCapability', capability, isOn: true });
    }
    expect(refused(scenario.run(bind()))).toBe('');
    scenario.run({ type: 'SetVenueStatus', status: 'halted' });
    expect(scenario.run(grant())).toMatchObject([{ code: 'faucet_granted', bound: 1 }]);
    expect(scenario.run(bind())).toMatchObject([{ code: 'funding_intent_bound', bound: 1 }]);
  });

  test('needs an account with a party, an amount, and belongs to one account', () => {
    const scenario = quickScenario(1);
    scenario.run({ type: 'OpenAccount', label: '', partyId: '', digestSeed: 1 });
    expect(scenario.run({ type: 'GrantFaucet', account: first, amountAtoms: 0 as QuoteAtoms })).toMatchObject([
      { code: 'amount_out_of_bounds' },
    ]);
    scenario.run(grant(second));
    expect(refused(scenario.run(bind(second)))).toBe('account_not_enabled');
    expect(refused(scenario.run(bind(first)))).toBe('funding_intent_not_found');
    expect(refused(scenario.run(grant(3 as AccountOrdinal)))).toBe('account_not_found');
  });
});

test('binds the venue to one ledger, for good', () => {
  const scenario = snapshotScenario(1);
  const ledger = { ledgerId: 'ledger', treasuryPartyId: 'treasury', custodyPartyId: 'custody' };
  expect(scenario.run({ type: 'BindLedger', ...ledger })).toEqual([{ type: 'LedgerBound', ...ledger }]);
  expect(refused(scenario.run({ type: 'BindLedger', ...ledger }))).toBe('ledger_bound');
});

test('refuses a money id for good after its first use, in any command', () => {
  const scenario = snapshotScenario(2);
  const amountAtoms = 5 as QuoteAtoms;
  const commands: readonly Command[] = [
    { type: 'CreditCash', account: first, amountAtoms, reference: '', moneyId: 'a' },
    { type: 'CreditInsurance', amountAtoms, reference: '', moneyId: 'b' },
    { type: 'DebitCash', account: first, amountAtoms, reference: '', moneyId: 'c' },
    { type: 'TransferCash', account: first, to: second, amountAtoms, reference: '', moneyId: 'd' },
  ];
  for (const command of commands) expect(scenario.run(command).at(-1)).toMatchObject({ type: 'MoneyIdUsed' });
  for (const command of commands)
    for (const moneyId of ['a', 'b', 'c', 'd'])
      expect(refused(scenario.run({ ...command, moneyId } as Command)), `${command.type} ${moneyId}`).toBe('money_id_used');
  for (const command of commands)
    for (const moneyId of ['', 'x'.repeat(MAX_MONEY_ID + 1)])
      expect(refused(scenario.run({ ...command, moneyId } as Command))).toBe('money_id_invalid');
});

test('does not use up the money id of a refused command', () => {
  const scenario = snapshotScenario(1);
  const debit = (atoms: number): Command => ({
    type: 'DebitCash',
    account: first,
    amountAtoms: atoms as QuoteAtoms,
    reference: '',
    moneyId: 'a',
  });
  expect(refused(scenario.run(debit(START + 1)))).toBe('insufficient_cash');
  expect(typesOf(scenario.run(debit(START)))).toContain('MoneyIdUsed');
});
