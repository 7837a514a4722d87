/**
 * What the switches stop on the external ledger: each command in a halted venue, with its capability off, and with transfers off. The
 * table is that of docs/deposits-and-withdrawals.md.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  advanceDeposit,
  advanceWithdrawal,
  bindDeposit,
  FAUCET_ATOMS,
  OFFER_MS,
  requestWithdrawal,
} from '#simulation/owner-flows.ts';
import type { Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal, DepositOrdinal, FundingIntentOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import type { EpochMs, QuoteAtoms } from '#units/money.ts';
import type { Capability, Command, RecordDepositStep } from '#venue/command.ts';
import { owned, type SetupStep, setupCommand } from '#venue/owner/testing/owners.ts';
import { refusalCode } from '#venue/testing/outcome.ts';
import { quickScenario } from '#venue/testing/venues.ts';

const account = 1 as AccountOrdinal;
const deposit = 1 as DepositOrdinal;
const withdrawal = 1 as WithdrawalOrdinal;
const NO_OFFER = 0 as EpochMs;
const RECEIPT = { outcome: 'accepted', reason: '', createdId: 'created', ledgerEventId: 'event', ledgerOffset: 9 } as const;

interface Row {
  /** As the documentation names it. */
  readonly name: string;
  /** `parties` need transfers only. */
  readonly capability: Extract<Capability, 'deposits' | 'withdrawals'> | 'parties';
  /** Whether the switches refuse it. */
  readonly isRefused: boolean;
  /** The faucet moves nothing on the ledger. */
  readonly needsTransfers?: boolean;
  /** Brings a venue to where the command is due, and returns the command. */
  readonly due: (scenario: Scenario) => Command;
}

function setupAt(step: SetupStep, before?: SetupStep): Row['due'] {
  return (scenario) => setupCommand(step, owned(scenario, 1, before));
}

/** A deposit after so many steps, and its due step. */
function depositAt(taken: number, command: (scenario: Scenario) => Command, isSubmitted = false): Row['due'] {
  return (scenario) => {
    bindDeposit(scenario, 1);
    for (let step = 0; step < taken; step += 1) advanceDeposit(scenario, deposit);
    if (isSubmitted) scenario.run(submission(scenario, 'deposits'));
    return command(scenario);
  };
}

function withdrawalAt(taken: number, command: (scenario: Scenario) => Command, isSubmitted = false): Row['due'] {
  return (scenario) => {
    requestWithdrawal(scenario, 1, 1_000);
    for (let step = 0; step < taken; step += 1) advanceWithdrawal(scenario, withdrawal);
    if (isSubmitted) scenario.run(submission(scenario, 'withdrawals'));
    return command(scenario);
  };
}

/** The command that submits the due step. */
function submission({ venue, now }: Scenario, kind: 'deposits' | 'withdrawals'): Command {
  const { deposits, withdrawals } = venue.state.settlement;
  const { step, attempt } = kind === 'deposits' ? deposits.get(deposit)! : withdrawals.get(withdrawal)!;
  const isOffer = step === 'treasury_offer' || step === 'payout_offer';
  const rest = { step, attempt, offerExpiresAtEpochMs: isOffer ? ((now + OFFER_MS) as EpochMs) : NO_OFFER };
  return kind === 'deposits'
    ? ({ type: 'SubmitDepositStep', deposit, ...rest } as Command)
    : ({ type: 'SubmitWithdrawalStep', withdrawal, ...rest } as Command);
}

function recording({ venue }: Scenario, kind: 'deposits' | 'withdrawals'): Command {
  const { deposits, withdrawals } = venue.state.settlement;
  if (kind === 'deposits') {
    const { step, attempt } = deposits.get(deposit)!;
    return { type: 'RecordDepositStep', deposit, step, attempt, ...RECEIPT } as RecordDepositStep;
  }
  const { step, attempt } = withdrawals.get(withdrawal)!;
  return { type: 'RecordWithdrawalStep', withdrawal, step, attempt, ...RECEIPT };
}

const submitsDeposit = (scenario: Scenario) => submission(scenario, 'deposits');
const submitsWithdrawal = (scenario: Scenario) => submission(scenario, 'withdrawals');

const TABLE: readonly Row[] = [
  { name: 'start of a party', capability: 'parties', isRefused: true, due: setupAt('start') },
  { name: 'receipt of a party', capability: 'parties', isRefused: false, due: setupAt('allocate', 'start') },
  { name: 'activation of a party', capability: 'parties', isRefused: true, due: setupAt('activate', 'allocate') },
  { name: 'signing wallet', capability: 'parties', isRefused: true, due: setupAt('wallet', 'activate') },
  { name: 'consent of a party', capability: 'parties', isRefused: true, due: setupAt('submit', 'wallet') },
  { name: 'receipt of a consent', capability: 'parties', isRefused: false, due: setupAt('present', 'submit') },
  {
    name: 'faucet grant',
    capability: 'deposits',
    isRefused: true,
    needsTransfers: false,
    due: () => ({ type: 'GrantFaucet', account, amountAtoms: FAUCET_ATOMS }),
  },
  {
    name: 'new deposit',
    capability: 'deposits',
    isRefused: true,
    due: (scenario) => {
      scenario.run({ type: 'GrantFaucet', account, amountAtoms: FAUCET_ATOMS });
      return { type: 'BindDeposit', account, intent: 1 as FundingIntentOrdinal, ledgerKey: 'key' };
    },
  },
  { name: 'offer of a deposit', capability: 'deposits', isRefused: true, due: depositAt(0, submitsDeposit) },
  { name: "owner's steps of a deposit", capability: 'deposits', isRefused: false, due: depositAt(1, submitsDeposit) },
  { name: "owner's steps of a deposit", capability: 'deposits', isRefused: false, due: depositAt(2, submitsDeposit) },
  {
    name: 'receipt of a deposit step',
    capability: 'deposits',
    isRefused: false,
    due: depositAt(2, (scenario) => recording(scenario, 'deposits'), true),
  },
  {
    name: 'withdrawal of an expired offer',
    capability: 'deposits',
    isRefused: false,
    due: depositAt(1, (scenario) => {
      scenario.wait(OFFER_MS);
      return { type: 'RenewDeposit', deposit };
    }),
  },
  {
    name: 'new withdrawal',
    capability: 'withdrawals',
    isRefused: true,
    due: () => ({
      type: 'RequestWithdrawal',
      account,
      amountAtoms: 1_000 as QuoteAtoms,
      destination: 'party-1',
      ledgerKey: 'key',
      idempotencyKey: 'once',
    }),
  },
  {
    name: 'reservation of a withdrawal',
    capability: 'withdrawals',
    isRefused: true,
    due: withdrawalAt(0, () => ({ type: 'ReserveOnLedger', withdrawal })),
  },
  {
    name: 'authorization of a withdrawal',
    capability: 'withdrawals',
    isRefused: true,
    due: withdrawalAt(1, () => ({ type: 'AuthorizeWithdrawal', account, withdrawal })),
  },
  { name: 'consent to a withdrawal', capability: 'withdrawals', isRefused: true, due: withdrawalAt(2, submitsWithdrawal) },
  { name: 'payout offer', capability: 'withdrawals', isRefused: false, due: withdrawalAt(3, submitsWithdrawal) },
  { name: 'acceptance of a payout offer', capability: 'withdrawals', isRefused: false, due: withdrawalAt(4, submitsWithdrawal) },
  {
    name: 'receipt of a withdrawal step',
    capability: 'withdrawals',
    isRefused: false,
    due: withdrawalAt(4, (scenario) => recording(scenario, 'withdrawals'), true),
  },
  {
    name: 'withdrawal of an expired offer',
    capability: 'withdrawals',
    isRefused: false,
    due: withdrawalAt(4, (scenario) => {
      scenario.wait(OFFER_MS);
      return { type: 'RenewWithdrawal', withdrawal };
    }),
  },
  {
    name: 'end of a withdrawal without a step',
    capability: 'withdrawals',
    isRefused: false,
    due: withdrawalAt(2, () => ({ type: 'BlockWithdrawal', withdrawal, reason: 'late' })),
  },
];

const switchedOff = (capability: Capability): Command => ({ type: 'SetCapability', capability, isOn: false });

function refusalOf(row: Row, ...commands: readonly Command[]): string | undefined {
  const scenario = quickScenario(1);
  const due = row.due(scenario);
  for (const command of commands) scenario.run(command);
  return refusalCode(scenario.run(due));
}

const guard: Command = { type: 'GuardLedger' };
const halt: Command = { type: 'SetVenueStatus', status: 'halted' };

describe.each(TABLE)('$name ($capability)', (row) => {
  const { capability, isRefused, needsTransfers = true } = row;

  test('is possible in an open venue', () => {
    expect(refusalOf(row, guard)).toBeUndefined();
  });

  test(isRefused ? 'is refused by each switch' : 'goes on whatever the switches are', () => {
    expect(refusalOf(row, guard, halt)).toBe(isRefused ? 'venue_halted' : undefined);
    expect(refusalOf(row, guard, { type: 'SetVenueStatus', status: 'intake_paused' })).toBe(
      isRefused ? 'intake_paused' : undefined,
    );
    const off = isRefused ? 'capability_unavailable' : undefined;
    if (capability !== 'parties') expect(refusalOf(row, guard, switchedOff(capability))).toBe(off);
    expect(refusalOf(row, guard, switchedOff('transfers'))).toBe(needsTransfers ? off : undefined);
    for (const other of ['deposits', 'withdrawals'] as const)
      if (other !== capability) expect(refusalOf(row, guard, switchedOff(other)), other).toBeUndefined();
  });
});

/** The rows that earlier programs refused too. */
const ALWAYS = ['faucet grant', 'new deposit', 'new withdrawal', 'authorization of a withdrawal'];

test('a journal without the guard gives the events of the program that wrote it', () => {
  const refused = TABLE.filter((row) => refusalOf(row, halt, switchedOff('transfers')) !== undefined);
  expect(refused.map(({ name }) => name)).toEqual(ALWAYS);
});

test('stays guarded in a snapshot', () => {
  const scenario = quickScenario(1);
  scenario.snapshotEvery = 1;
  scenario.run(guard);
  scenario.run(halt);
  expect(scenario.venue.state.settlement.isGuarded).toBe(true);
});

test('is documented row by row', () => {
  const docs = readFileSync(join(import.meta.dirname, '../../../docs/deposits-and-withdrawals.md'), 'utf8');
  const cell = (isRefused: boolean) => (isRefused ? 'refused' : 'goes on');
  const rows = TABLE.map(({ name, capability, isRefused, needsTransfers = true }) => {
    const off = capability === 'parties' ? '' : cell(isRefused);
    return `| ${name} | ${cell(isRefused)} | ${off} | ${cell(isRefused && needsTransfers)} |`;
  });
  for (const row of new Set(rows)) expect(docs).toContain(row);
});
