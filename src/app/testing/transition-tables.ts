/** Generates the tables of docs/deposits-and-withdrawals.md from the core: every state, what happens in it, and what follows. */
import { Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { Command } from '#venue/command.ts';
import { owned, ownerOf } from '#venue/owner/testing/owners.ts';
import { DEPOSIT_STEPS, depositStepAfter } from '#venue/transfer/deposit-steps.ts';
import { fundingIntentStatus } from '#venue/transfer/faucet.ts';
import type { StepResult } from '#venue/transfer/ledger-steps.ts';
import { WITHDRAWAL_STEPS, withdrawalStepAfter } from '#venue/transfer/withdrawal-steps.ts';
import { tableOf } from './markdown-table.ts';

export function transitionTables(): string {
  return [
    '### Deposit: what follows each step',
    stepTable(DEPOSIT_STEPS, depositStepAfter, { none: 'confirmed: the account is credited' }),
    '### Withdrawal: what follows each step',
    stepTable(WITHDRAWAL_STEPS, withdrawalStepAfter, {
      settled: 'settled: the money has left',
      blocked: 'blocked: the cash returns',
    }),
    '### Faucet: the status of a funding intent',
    faucetTable(),
    '### Party and consent',
    partyTable(),
  ].join('\n\n');
}

type Due = { readonly step: string; readonly isNewAttempt: boolean };

function stepTable<Step extends string>(
  steps: readonly Step[],
  after: (step: Step, isRenewal: boolean, result: StepResult) => Due,
  ends: Readonly<Record<string, string>>,
): string {
  const next = ({ step, isNewAttempt }: Due) => `${ends[step] ?? `\`${step}\``}${isNewAttempt ? ', a new attempt' : ''}`;
  const rows = steps.flatMap((step) => {
    const results: readonly StepResult[] =
      step === 'offer_withdrawal' ? ['accepted', 'rejected', 'offer_closed'] : ['accepted', 'rejected'];
    const cases = step === 'offer_withdrawal' ? [false, true] : [false];
    return cases.flatMap((isRenewal) =>
      results.map((result) => [
        `\`${step}\`${isRenewal ? ' of an expired offer' : ''}`,
        result,
        next(after(step, isRenewal, result)),
      ]),
    );
  });
  return tableOf(['step', 'outcome on the ledger', 'then'], rows);
}

function faucetTable(): string {
  const deposits = { none: undefined, 'not confirmed': { step: 'treasury_offer' }, confirmed: { step: 'none' } } as const;
  const rows = Object.entries(deposits).flatMap(([deposit, bound]) =>
    [false, true].map((isRetired) => [deposit, isRetired ? 'retired' : 'in use', `\`${fundingIntentStatus(isRetired, bound)}\``]),
  );
  return tableOf(['its deposit', 'the account', 'status'], rows);
}

/** How to reach each state of the party, and each one of the consent. */
const PARTY_STATES = [undefined, 'start', 'allocate', 'activate'] as const;
const CONSENT_STATES = ['wallet', 'submit', 'present', 'revoked'] as const;

function partyTable(): string {
  const party = PARTY_STATES.flatMap((last) =>
    tried(last, partyCommands, (scenario, account) => ownerOf(scenario, account).party.status).map((row) => ['party', ...row]),
  );
  const consent = CONSENT_STATES.flatMap((last) =>
    tried(last, consentCommands, (scenario, account) => ownerOf(scenario, account).consent.state).map((row) => [
      'consent',
      ...row,
    ]),
  );
  return tableOf(['of', 'state', 'what happens', 'then'], [...party, ...consent]);
}

/** Only what is possible in the state. */
function tried(
  last: (typeof PARTY_STATES)[number] | (typeof CONSENT_STATES)[number],
  commandsOf: (account: AccountOrdinal) => readonly (readonly [string, Command])[],
  stateOf: (scenario: Scenario, account: AccountOrdinal) => string,
): string[][] {
  return commandsOf(1 as AccountOrdinal).flatMap(([what, command]) => {
    const scenario = new Scenario();
    const account = owned(scenario, 1, last === 'revoked' ? 'present' : last);
    if (last === 'revoked') scenario.run(revocation(account));
    const before = stateOf(scenario, account);
    const { consentId } = ownerOf(scenario, account).consent;
    const named = command.type === 'SubmitPartyConsent' ? { ...command, replacesConsentId: consentId } : command;
    const [event] = scenario.run(named);
    if (event?.type === 'CommandRefused') return [];
    return [[`\`${before}\``, what, `\`${stateOf(scenario, account)}\``]];
  });
}

function partyCommands(account: AccountOrdinal): readonly (readonly [string, Command])[] {
  return [
    ['the owner starts the onboarding', { type: 'StartParty', account, ledgerKey: 'key' }],
    ['the ledger allocates the party', { type: 'AllocateParty', account, partyId: 'party' }],
    ['the owner signs', { type: 'ActivateParty', account }],
  ];
}

function consentCommands(account: AccountOrdinal): readonly (readonly [string, Command])[] {
  const recorded = { type: 'RecordPartyConsent', account, reason: '' } as const;
  return [
    ['the owner signs', { type: 'SubmitPartyConsent', account, ledgerKey: 'key', replacesConsentId: '' }],
    ['the ledger accepts', { ...recorded, consent: 'present', consentId: `consent-${account}` }],
    [
      'the ledger rejects, for example without the package',
      { ...recorded, consent: 'absent', consentId: '', reason: 'package_absent' },
    ],
    ['it is revoked on the ledger', revocation(account)],
  ];
}

function revocation(account: AccountOrdinal): Command {
  return { type: 'RecordPartyConsent', account, consent: 'revoked', consentId: `consent-${account}`, reason: '' };
}
