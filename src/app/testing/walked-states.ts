/**
 * Walks the states of a funding intent, a withdrawal, a party and a consent in the core. In each state every command is tried; one that
 * is not refused makes a row: the state, what happened, and the state after it.
 */

import { APPROVAL_DEADLINE_MS } from '#settlement/coordinator/pass-ports.ts';
import { advanceDeposit, advanceWithdrawal, bindDeposit, FAUCET_ATOMS, requestWithdrawal } from '#simulation/owner-flows.ts';
import { Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal, DepositOrdinal, FundingIntentOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import { owned, ownerOf, type SetupStep, setupCommand } from '#venue/owner/testing/owners.ts';
import { quickScenario, SMALL_MARKET } from '#venue/testing/venues.ts';
import { fundingIntentStatus } from '#venue/transfer/faucet.ts';
import type { WithdrawalStep } from '#venue/transfer/withdrawal-steps.ts';

const account = 1 as AccountOrdinal;
const intent = 1 as FundingIntentOrdinal;
const deposit = 1 as DepositOrdinal;
const withdrawal = 1 as WithdrawalOrdinal;
const AMOUNT = 1_000_000;
const DEPOSIT_ATOMS = 10_000_000_000;
const DEADLINE = `${APPROVAL_DEADLINE_MS / 3_600_000} hours`;
const ACCEPTED = { outcome: 'accepted', reason: '', createdId: '', ledgerEventId: 'event', ledgerOffset: 9 } as const;
const RETIREMENT: Command = { type: 'RetireAccount', account };

interface Walk {
  /** Each makes a scenario in another state. */
  readonly states: readonly (() => Scenario)[];
  /** What may happen, in words and as a command. */
  readonly events: readonly (readonly [string, (scenario: Scenario) => Command])[];
  readonly stateOf: (scenario: Scenario) => string;
}

function rowsOf({ states, events, stateOf }: Walk): string[][] {
  return states.flatMap((reach) =>
    events.flatMap(([what, commandOf]) => {
      const scenario = reach();
      const before = stateOf(scenario);
      const [event] = scenario.run(commandOf(scenario));
      return event?.type === 'CommandRefused' ? [] : [[before, what, stateOf(scenario)]];
    }),
  );
}

/** A scenario with an account of the operator, after some steps. */
function reached(...steps: readonly ((scenario: Scenario) => unknown)[]): () => Scenario {
  return () => {
    const scenario = quickScenario(1, SMALL_MARKET, DEPOSIT_ATOMS);
    for (const step of steps) step(scenario);
    return scenario;
  };
}

export function faucetRows(): string[][] {
  const grants = (scenario: Scenario) => scenario.run({ type: 'GrantFaucet', account, amountAtoms: FAUCET_ATOMS });
  const binds = (scenario: Scenario) => bindDeposit(scenario, account);
  const advances = (scenario: Scenario) => advanceDeposit(scenario, deposit);
  const retires = (scenario: Scenario) => scenario.run(RETIREMENT);
  const rows = rowsOf({
    states: [
      reached(grants),
      reached(grants, retires),
      reached(binds, advances, advances),
      reached(binds, advances, advances, advances),
    ],
    events: [
      ['a deposit is made from it', () => ({ type: 'BindDeposit', account, intent, ledgerKey: 'key' })],
      ['its deposit is confirmed', (scenario) => lastReceipt(scenario)],
      ['the account is retired', () => RETIREMENT],
    ],
    stateOf: ({ venue: { state } }) => {
      const bound = state.settlement.deposits.get(state.settlement.intents.get(intent)!.deposit as DepositOrdinal);
      return `\`${fundingIntentStatus(state.account(account)!.isRetired, bound)}\``;
    },
  });
  return [['none', 'the first faucet grant', '`available`'], ...rows];
}

/** Of the transfer to the venue, which is submitted first if it is due. */
function lastReceipt(scenario: Scenario): Command {
  const step = 'owner_account_acceptance';
  scenario.run({ type: 'SubmitDepositStep', deposit, step, attempt: 1, offerExpiresAtEpochMs: 0 as EpochMs });
  return { type: 'RecordDepositStep', deposit, step, attempt: 1, ...ACCEPTED };
}

export function withdrawalRows(): string[][] {
  const requests = (scenario: Scenario) => requestWithdrawal(scenario, account, AMOUNT);
  const advances = (scenario: Scenario) => advanceWithdrawal(scenario, withdrawal);
  const rejects = (scenario: Scenario) => advanceWithdrawal(scenario, withdrawal, 'offer_expired');
  const submits = (step: WithdrawalStep) => (scenario: Scenario) => scenario.run(submission(step));
  const authorized = [requests, advances, advances];
  const offered = [...authorized, advances, advances];
  const rows = rowsOf({
    states: [
      reached(requests),
      reached(requests, advances),
      reached(...authorized),
      reached(...authorized, submits('owner_withdrawal_consent')),
      reached(...authorized, advances, submits('payout_offer')),
      reached(...offered, submits('owner_offer_acceptance')),
      reached(...offered, rejects, submits('offer_withdrawal')),
    ],
    events: [
      ['the custody on the ledger covers it', () => ({ type: 'ReserveOnLedger', withdrawal })],
      ['the owner authorizes it', () => ({ type: 'AuthorizeWithdrawal', account, withdrawal })],
      ['the owner signs the consent', () => submission('owner_withdrawal_consent')],
      ['the ledger accepts `owner_offer_acceptance`', () => acceptance('owner_offer_acceptance')],
      ['the ledger accepts `offer_withdrawal`', () => acceptance('offer_withdrawal')],
      ...REJECTABLE.map((step) => [`the ledger rejects \`${step}\``, () => rejection(step)] as const),
      [
        `${DEADLINE} have passed since the request, or the operator blocks it`,
        () => ({ type: 'BlockWithdrawal', withdrawal, reason: 'expired' }),
      ],
    ],
    stateOf: ({ venue: { state } }) => {
      const open = state.settlement.withdrawals.get(withdrawal);
      if (open !== undefined) return `\`${open.status}\``;
      return state.netDepositsAtoms < DEPOSIT_ATOMS ? '`submitted`, with `settled` true' : '`blocked`';
    },
  });
  return [['none', 'the owner requests it', '`requested`'], ...rows];
}

function submission(step: WithdrawalStep): Command {
  const offerExpiresAtEpochMs = (step === 'payout_offer' ? Number.MAX_SAFE_INTEGER : 0) as EpochMs;
  return { type: 'SubmitWithdrawalStep', withdrawal, step, attempt: 1, offerExpiresAtEpochMs };
}

/** Their rejection ends the withdrawal. */
const REJECTABLE = ['owner_withdrawal_consent', 'payout_offer', 'offer_withdrawal'] as const;

function rejection(step: WithdrawalStep): Command {
  const outcome = { ...ACCEPTED, outcome: 'rejected', reason: 'rejected' } as const;
  return { type: 'RecordWithdrawalStep', withdrawal, step, attempt: 1, ...outcome };
}

function acceptance(step: WithdrawalStep): Command {
  return { type: 'RecordWithdrawalStep', withdrawal, step, attempt: 1, ...ACCEPTED };
}

export function partyRows(): string[][] {
  const steps = ['start', 'allocate', 'activate'] as const;
  const commands = steps.map((step) => setupCommand(step, account));
  const words = ['the owner starts the onboarding', 'the ledger allocates the party', 'the owner signs'];
  return rowsOf({
    states: ownedUpTo(undefined, ...steps),
    events: commands.map((command, index) => [words[index]!, () => command]),
    stateOf: (scenario) => `\`${ownerOf(scenario, account).party.status}\``,
  });
}

export function consentRows(): string[][] {
  const recorded = { type: 'RecordPartyConsent', account, reason: '' } as const;
  const revocation: Command = { ...recorded, consent: 'revoked', consentId: `consent-${account}` };
  const [present] = ownedUpTo('present');
  const revoked = () => {
    const scenario = present!();
    scenario.run(revocation);
    return scenario;
  };
  return rowsOf({
    states: [...ownedUpTo('wallet', 'submit', 'present'), revoked],
    events: [
      [
        'the owner signs',
        (scenario) => ({
          type: 'SubmitPartyConsent',
          account,
          ledgerKey: 'key',
          replacesConsentId: ownerOf(scenario, account).consent.consentId,
        }),
      ],
      ['the ledger accepts', () => ({ ...recorded, consent: 'present', consentId: `consent-${account}` })],
      [
        'the ledger rejects, for example without the package',
        () => ({ ...recorded, consent: 'absent', consentId: '', reason: 'package_absent' }),
      ],
      ['it is revoked on the ledger', () => revocation],
    ],
    stateOf: (scenario) => `\`${ownerOf(scenario, account).consent.state}\``,
  });
}

/** A scenario for each step, with an owner whose setup has come so far. */
function ownedUpTo(...steps: readonly (SetupStep | undefined)[]): readonly (() => Scenario)[] {
  return steps.map((step) => () => {
    const scenario = new Scenario();
    owned(scenario, 1, step);
    return scenario;
  });
}
