/** The auditor's handlers for owners: accounts, passkeys and keys, agents and affiliates, deposits, withdrawals and transfers. */
import type { Accounts } from './accounts.ts';
import type { AuditedAffiliates } from './affiliates.ts';
import type { AgentAccounts } from './agent-accounts.ts';
import type { AgentFundings } from './agent-fundings.ts';
import type { AuditedAgents } from './agents.ts';
import type { ApiKeys } from './api-keys.ts';
import { fail } from './audit-failed.ts';
import type { AuditedTurn, Handlers } from './audited-turn.ts';
import type { OwnerMoney } from './owner-money.ts';
import type { AuditedOwners } from './owners.ts';
import type { AuditedSwitches } from './switches.ts';
import type { Transfers } from './transfers.ts';

/** What the auditor knows of owners. */
interface OwnerBooks {
  readonly accounts: Accounts;
  readonly affiliates: AuditedAffiliates;
  readonly agentAccounts: AgentAccounts;
  readonly agentFundings: AgentFundings;
  readonly agents: AuditedAgents;
  readonly keys: ApiKeys;
  readonly ownerMoney: OwnerMoney;
  readonly owners: AuditedOwners;
  readonly switches: AuditedSwitches;
  readonly transfers: Transfers;
}

type OwnerEvent =
  | 'AccountOpened'
  | 'AgentAccountOpened'
  | 'AgentScriptDrafted'
  | 'AgentScriptReviewed'
  | 'AgentDraftRemoved'
  | 'AgentDeploymentCreated'
  | 'AgentDeploymentChanged'
  | 'PaperOrderPlaced'
  | 'OwnerRegistered'
  | 'PasskeyAdded'
  | 'PasskeyUsed'
  | 'PasskeyRemoved'
  | 'AgentFundingCreated'
  | 'AgentFundingApproved'
  | 'AgentFundingMoved'
  | 'AgentFundingRefused'
  | 'PartyChanged'
  | 'SigningWalletCreated'
  | 'PartyConsentChanged'
  | 'AffiliateRegistered'
  | 'AccountReferred'
  | 'KycSkipped'
  | 'ApiKeyIssued'
  | 'ApiKeyRevoked'
  | 'WithdrawalReserved'
  | 'WithdrawalReleased'
  | 'WithdrawalSettled'
  | 'WithdrawalRequested'
  | 'WithdrawalStatusChanged'
  | 'WithdrawalStepSubmitted'
  | 'WithdrawalStepRecorded'
  | 'WithdrawalBlocked'
  | 'WithdrawalRenewed'
  | 'FundingIntentCreated'
  | 'DepositBound'
  | 'DepositStepSubmitted'
  | 'DepositStepRecorded'
  | 'DepositConfirmed'
  | 'DepositRenewed'
  | 'LedgerGuarded'
  | 'LedgerBound'
  | 'LedgerEventSeen'
  | 'LedgerEntriesAccepted'
  | 'MoneyIdUsed'
  | 'CashTransferred';

/** `turn` returns the turn that is handled. */
export function ownerHandlers(it: OwnerBooks, turn: () => AuditedTurn): Pick<Handlers, OwnerEvent> {
  return {
    AccountOpened: (event) => {
      const command = turn().command;
      if (command.type === 'RegisterOwner' && (event.label !== command.label || event.partyId !== ''))
        fail('owner', `account ${event.account} was opened as ${event.label} with party ${event.partyId}`);
      it.accounts.open(event);
      it.owners.notePartyOf(event);
      it.agentAccounts.noteOpening(event);
    },
    AgentAccountOpened: (event) => it.agentAccounts.open(event),
    AgentScriptDrafted: (event) => it.agents.draft(event),
    AgentScriptReviewed: (event) => it.agents.review(event),
    AgentDraftRemoved: (event) => it.agents.remove(event),
    AgentDeploymentCreated: (event) => it.agents.create(event),
    AgentDeploymentChanged: (event) => it.agents.change(event, turn().command),
    PaperOrderPlaced: (event) => it.agents.trade(event, turn().epochMs),
    OwnerRegistered: (event) => it.owners.register(event, it.accounts.count),
    PasskeyAdded: (event) => {
      checkNotRetired(it, event.account);
      it.owners.add(event, turn().command);
    },
    PasskeyUsed: (event) => it.owners.use(event),
    PasskeyRemoved: (event) => it.owners.remove(event, turn().command),
    AgentFundingCreated: (event) => it.agentFundings.create(event),
    AgentFundingApproved: (event) => it.agentFundings.approve(event),
    AgentFundingMoved: (event) => it.agentFundings.move(event),
    AgentFundingRefused: (event) => it.agentFundings.refuse(event),
    PartyChanged: (event) => {
      if (event.status !== 'allocated') checkNotRetired(it, event.account);
      it.owners.change(event, turn().command);
      if (event.status === 'active') it.accounts.enable(event.account, event.partyId);
    },
    SigningWalletCreated: (event) => {
      checkNotRetired(it, event.account);
      it.owners.createWallet(event);
    },
    PartyConsentChanged: (event) => {
      if (event.consent === 'submitted') checkNotRetired(it, event.account);
      it.owners.consent(event, turn().command);
    },
    AffiliateRegistered: (event) => it.affiliates.register(event, turn().epochMs),
    AccountReferred: (event) => it.affiliates.refer(event, turn().command),
    KycSkipped: ({ account }) => it.accounts.skipKyc(account, turn().epochMs),
    ApiKeyIssued: (event) => it.keys.issue(event),
    ApiKeyRevoked: (event) => it.keys.revoke(event, turn().command, turn().epochMs),
    WithdrawalReserved: (event) => it.transfers.reserve(event),
    WithdrawalReleased: (event) => {
      it.transfers.release(event);
      it.ownerMoney.release(event);
    },
    WithdrawalSettled: (event) => {
      it.transfers.settle(event);
      it.ownerMoney.settle(event);
    },
    WithdrawalRequested: (event) => {
      it.transfers.reserve(event);
      it.ownerMoney.request(event);
    },
    WithdrawalStatusChanged: (event) => it.ownerMoney.changeStatus(event),
    WithdrawalStepSubmitted: (event) => it.ownerMoney.submitWithdrawal(event),
    WithdrawalStepRecorded: (event) => it.ownerMoney.recordWithdrawal(event),
    WithdrawalBlocked: (event) => it.ownerMoney.block(event),
    WithdrawalRenewed: (event) => it.ownerMoney.renewWithdrawal(event),
    FundingIntentCreated: (event) => it.ownerMoney.grant(event),
    DepositBound: (event) => it.ownerMoney.bind(event),
    DepositStepSubmitted: (event) => it.ownerMoney.submitDeposit(event),
    DepositStepRecorded: (event) => it.ownerMoney.recordDeposit(event),
    DepositConfirmed: (event) => {
      it.ownerMoney.confirm(event);
      it.transfers.deposit(event);
    },
    DepositRenewed: (event) => it.ownerMoney.renewDeposit(event),
    LedgerGuarded: (event) => it.switches.guard(event),
    LedgerBound: (event) => it.ownerMoney.bindLedger(event),
    LedgerEventSeen: (event) => it.ownerMoney.seeLedgerEvent(event),
    LedgerEntriesAccepted: (event) => it.ownerMoney.acceptLedgerEntries(event),
    MoneyIdUsed: (event) => it.ownerMoney.useMoneyId(event),
    CashTransferred: (event) => {
      it.transfers.transfer(event);
      it.agentFundings.transfer(event, turn().command);
    },
  };
}

function checkNotRetired({ accounts }: OwnerBooks, account: number): void {
  if (accounts.isRetired(account)) fail('owner', `the setup of account ${account} went on after it was retired`);
}
