/**
 * Deposits and withdrawals of owners on the external ledger, rebuilt from their events. The transitions are written from the
 * documentation: what is due after each step, and which receipts move money, each once.
 */
import type { Command } from '#venue/command.ts';
import type {
  DepositBound,
  DepositConfirmed,
  DepositRenewed,
  DepositStepRecorded,
  DepositStepSubmitted,
  FundingIntentCreated,
  LedgerBound,
  LedgerEntriesAccepted,
  LedgerEventSeen,
  MoneyIdUsed,
  WithdrawalBlocked,
  WithdrawalReleased,
  WithdrawalRenewed,
  WithdrawalRequested,
  WithdrawalSettled,
  WithdrawalStatusChanged,
  WithdrawalStepRecorded,
  WithdrawalStepSubmitted,
} from '#venue/event.ts';
import type { Accounts } from './accounts.ts';
import { fail } from './audit-failed.ts';

type SeenEvent = Omit<LedgerEventSeen, 'type'>;

interface Intent {
  readonly account: number;
  readonly amount: number;
  deposit: number;
}

/** A deposit or an open withdrawal, and the step that is due. */
interface Flow {
  readonly account: number;
  readonly amount: number;
  due: string;
  attempt: number;
  isSubmitted: boolean;
  isRenewal: boolean;
  expiresAt: number;
}

interface OwnerWithdrawal extends Flow {
  status: string;
  /** Why its offer is being withdrawn. */
  reason: string;
}

interface StepReceived {
  readonly step: string;
  readonly attempt: number;
  readonly outcome: string;
  readonly reason: string;
  readonly nextStep: string;
  readonly nextAttempt: number;
}

/** What follows a step: after an acceptance, after a rejection. `+` starts a new attempt. */
const DEPOSIT_STEPS: Readonly<Record<string, readonly [accepted: string, rejected: string]>> = {
  treasury_offer: ['owner_offer_acceptance', '+treasury_offer'],
  owner_offer_acceptance: ['owner_account_acceptance', 'offer_withdrawal'],
  owner_account_acceptance: ['none', '+owner_account_acceptance'],
  offer_withdrawal: ['+treasury_offer', '+treasury_offer'],
};
const WITHDRAWAL_STEPS: Readonly<Record<string, readonly [accepted: string, rejected: string]>> = {
  owner_withdrawal_consent: ['payout_offer', 'blocked'],
  payout_offer: ['owner_offer_acceptance', 'blocked'],
  owner_offer_acceptance: ['settled', 'offer_withdrawal'],
  offer_withdrawal: ['blocked', 'blocked'],
};

export class OwnerMoney {
  readonly #accounts: Accounts;
  readonly #intents: Intent[] = [];
  readonly #deposits: Flow[] = [];
  readonly #withdrawals = new Map<number, OwnerWithdrawal>();
  readonly #moneyIds = new Set<string>();
  /** What this turn must still do, and the reason of a block that it must give. */
  #expected = '';
  #reason: string | undefined;
  isLedgerBound = false;
  /** The one with the highest offset. */
  seenLedgerEvent: SeenEvent = { ledgerOffset: 0, ledgerEventId: '' };
  #now = 0;
  #command: Command | undefined;

  constructor(accounts: Accounts) {
    this.#accounts = accounts;
  }

  /** `command` was not refused. */
  beginTurn(command: Command, epochMs: number): void {
    this.#command = command;
    this.#now = epochMs;
    this.#expected = 'moneyId' in command && command.moneyId !== undefined ? `use of ${command.moneyId}` : '';
    if ('ledgerEvent' in command && command.ledgerEvent !== undefined) this.#expected = sightOf(command.ledgerEvent);
    this.#reason = undefined;
  }

  checkTurn(): void {
    if (this.#expected !== '') fail('owner money', `the turn has no ${this.#expected}`);
  }

  useMoneyId({ moneyId }: MoneyIdUsed): void {
    if (this.#moneyIds.has(moneyId)) fail('owner money', `money id ${moneyId} was used twice`);
    this.#moneyIds.add(moneyId);
    this.#meet(`use of ${moneyId}`);
  }

  isUsed(moneyId: string): boolean {
    return this.#moneyIds.has(moneyId);
  }

  bindLedger(_event: LedgerBound): void {
    if (this.isLedgerBound) fail('owner money', 'the venue was bound to a second ledger');
    this.isLedgerBound = true;
  }

  /** A receipt of a party or a consent, which the command names. */
  seeLedgerEvent(event: SeenEvent): void {
    this.#meet(sightOf(event));
    this.#noteEvent(event);
  }

  #noteEvent({ ledgerOffset, ledgerEventId }: SeenEvent): void {
    if (ledgerOffset > this.seenLedgerEvent.ledgerOffset) this.seenLedgerEvent = { ledgerOffset, ledgerEventId };
  }

  acceptLedgerEntries(event: LedgerEntriesAccepted): void {
    const { ledgerOffset } = this.seenLedgerEvent;
    if (!this.isLedgerBound || event.ledgerOffset <= ledgerOffset)
      fail('owner money', `entries up to ${event.ledgerOffset} were accepted after ${ledgerOffset}`);
    this.#noteEvent(event);
  }

  grant({ intent, account, amountAtoms, source }: FundingIntentCreated): void {
    if (intent !== this.#intents.length + 1) fail('owner money', `intent ${intent} came after ${this.#intents.length}`);
    if (this.hasGrant(account)) fail('owner money', `account ${account} was granted twice`);
    if (this.#accounts.isRetired(account)) fail('owner money', `account ${account} was granted money and is retired`);
    if (amountAtoms <= 0 || source !== 'faucet') fail('owner money', `intent ${intent} is of ${amountAtoms} by ${source}`);
    this.#intents.push({ account, amount: amountAtoms, deposit: 0 });
  }

  bind({ deposit, intent, account, amountAtoms, partyId }: DepositBound): void {
    const granted = this.#intents[intent - 1] ?? fail('owner money', `intent ${intent} was never granted`);
    if (deposit !== this.#deposits.length + 1) fail('owner money', `deposit ${deposit} came after ${this.#deposits.length}`);
    if (granted.deposit !== 0) fail('owner money', `intent ${intent} was bound to ${granted.deposit} and to ${deposit}`);
    if (granted.account !== account || granted.amount !== amountAtoms)
      fail('owner money', `deposit ${deposit} of ${amountAtoms} for account ${account} is not what intent ${intent} grants`);
    if (partyId === '' || partyId !== this.#accounts.partyOf(account) || this.#accounts.isRetired(account))
      fail('owner money', `deposit ${deposit} is of party ${partyId}`);
    granted.deposit = deposit;
    this.#deposits.push(flow(account, amountAtoms, 'treasury_offer'));
  }

  submitDeposit(event: DepositStepSubmitted): void {
    submit(this.#deposit(event.deposit, event.account), event, this.#now, this.#sentExpiry());
  }

  recordDeposit(event: DepositStepRecorded): void {
    const deposit = this.#deposit(event.deposit, event.account);
    receive(deposit, event, dueAfter(DEPOSIT_STEPS, deposit, event));
    this.#noteEvent(event);
    if (deposit.due === 'none') this.#expected = `confirmation of deposit ${event.deposit} by ${event.ledgerEventId}`;
  }

  /** Returns the credit that must follow. */
  confirm({ deposit, intent, account, amountAtoms, ledgerEventId }: DepositConfirmed): void {
    const bound = this.#deposit(deposit, account);
    this.#meet(`confirmation of deposit ${deposit} by ${ledgerEventId}`);
    if (bound.amount !== amountAtoms || this.#intents[intent - 1]?.deposit !== deposit)
      fail('owner money', `deposit ${deposit} of ${bound.amount} was confirmed with ${amountAtoms} for intent ${intent}`);
  }

  renewDeposit({ deposit, account, nextStep }: DepositRenewed): void {
    renew(this.#deposit(deposit, account), nextStep, this.#now);
  }

  request({ withdrawal, account, amountAtoms, destination }: WithdrawalRequested): void {
    if (destination === '' || destination !== this.#accounts.partyOf(account) || this.#accounts.isLegacy(account))
      fail('owner money', `withdrawal ${withdrawal} goes to ${destination}`);
    const open = this.openWithdrawalsOf(account);
    if (open >= 16) fail('owner money', `account ${account} has ${open} open withdrawals and requested another`);
    this.#withdrawals.set(withdrawal, {
      ...flow(account, amountAtoms, 'owner_withdrawal_consent'),
      status: 'requested',
      reason: '',
    });
  }

  changeStatus({ withdrawal, account, status }: WithdrawalStatusChanged): void {
    const open = this.#withdrawal(withdrawal, account);
    const next = this.#command?.type === 'ReserveOnLedger' ? ['requested', 'reserved'] : ['reserved', 'authorized'];
    if (open.status !== next[0] || status !== next[1])
      fail('owner money', `withdrawal ${withdrawal} went from ${open.status} to ${status}`);
    open.status = status;
  }

  submitWithdrawal(event: WithdrawalStepSubmitted): void {
    const open = this.#withdrawal(event.withdrawal, event.account);
    if ((open.status !== 'authorized' && open.status !== 'submitted') || event.status !== 'submitted')
      fail('owner money', `withdrawal ${event.withdrawal} was ${open.status} when a step was submitted, and is ${event.status}`);
    open.status = 'submitted';
    submit(open, event, this.#now, this.#sentExpiry());
  }

  recordWithdrawal(event: WithdrawalStepRecorded): void {
    const { withdrawal, step, reason, nextStep } = event;
    const open = this.#withdrawal(withdrawal, event.account);
    receive(open, event, dueAfter(WITHDRAWAL_STEPS, open, event));
    this.#noteEvent(event);
    if (step !== 'offer_withdrawal') open.reason = reason;
    if (nextStep === 'settled') this.#expected = `settlement of withdrawal ${withdrawal}`;
    if (nextStep !== 'blocked') return;
    this.#expected = `block of withdrawal ${withdrawal}`;
    this.#reason = open.reason;
  }

  block({ withdrawal, account, amountAtoms, reason }: WithdrawalBlocked): void {
    const open = this.#withdrawal(withdrawal, account);
    if (this.#command?.type === 'BlockWithdrawal') {
      if (open.status === 'submitted') fail('owner money', `withdrawal ${withdrawal} is on the ledger and was blocked`);
    } else this.#meet(`block of withdrawal ${withdrawal}`);
    if (open.amount !== amountAtoms || reason !== (this.#reason ?? reason))
      fail('owner money', `withdrawal ${withdrawal} of ${open.amount} was blocked with ${amountAtoms} for ${reason}`);
    this.#expected = `release of withdrawal ${withdrawal}`;
  }

  renewWithdrawal({ withdrawal, account, nextStep }: WithdrawalRenewed): void {
    const open = this.#withdrawal(withdrawal, account);
    renew(open, nextStep, this.#now);
    open.reason = 'payout_offer_expired';
  }

  /** A withdrawal of an owner is released only after a block. */
  release({ withdrawal }: WithdrawalReleased): void {
    if (this.#withdrawals.delete(withdrawal)) this.#meet(`release of withdrawal ${withdrawal}`);
  }

  /** A withdrawal of an owner is settled only by the receipt of an accepted acceptance. */
  settle({ withdrawal }: WithdrawalSettled): void {
    if (this.#withdrawals.delete(withdrawal)) this.#meet(`settlement of withdrawal ${withdrawal}`);
  }

  hasGrant(account: number): boolean {
    return this.#intents.some((intent) => intent.account === account);
  }

  openWithdrawalsOf(account: number): number {
    return [...this.#withdrawals.values()].filter((open) => open.account === account).length;
  }

  /** One line for each deposit and each open withdrawal. */
  lines(): string[] {
    return [
      ...this.#intents.map(({ account, amount, deposit }, index) => `intent ${index + 1} of ${account} ${amount} by ${deposit}`),
      ...this.#deposits.map((deposit, index) => `deposit ${index + 1} ${flowLine(deposit)}`),
      ...[...this.#withdrawals].map(([withdrawal, open]) => `owner withdrawal ${withdrawal} ${open.status} ${flowLine(open)}`),
      `money ids ${this.#moneyIds.size}`,
      `ledger event ${this.seenLedgerEvent.ledgerOffset} ${this.seenLedgerEvent.ledgerEventId}`,
    ];
  }

  #sentExpiry(): number {
    const command = this.#command!;
    return 'offerExpiresAtEpochMs' in command ? command.offerExpiresAtEpochMs : 0;
  }

  #meet(expected: string): void {
    if (this.#expected !== expected) fail('owner money', `the turn has a ${expected}, and must have (${this.#expected})`);
    this.#expected = '';
  }

  #deposit(deposit: number, account: number): Flow {
    return owned(this.#deposits[deposit - 1], `deposit ${deposit}`, account);
  }

  #withdrawal(withdrawal: number, account: number): OwnerWithdrawal {
    return owned(this.#withdrawals.get(withdrawal), `owner withdrawal ${withdrawal}`, account);
  }
}

function sightOf({ ledgerOffset, ledgerEventId }: SeenEvent): string {
  return `sight of ${ledgerEventId} at ${ledgerOffset}`;
}

function flow(account: number, amount: number, due: string): Flow {
  return { account, amount, due, attempt: 1, isSubmitted: false, isRenewal: false, expiresAt: 0 };
}

export function flowLine({
  account,
  amount,
  due,
  attempt,
  isSubmitted,
}: Pick<Flow, 'account' | 'amount' | 'due' | 'attempt' | 'isSubmitted'>): string {
  return `of ${account} ${amount} ${due} ${attempt} ${isSubmitted}`;
}

function owned<Kind extends Flow>(found: Kind | undefined, name: string, account: number): Kind {
  if (found === undefined) fail('owner money', `${name} is not open`);
  if (found.account !== account) fail('owner money', `${name} is of account ${found.account}, not ${account}`);
  return found;
}

function submit(
  it: Flow,
  { step, attempt, offerExpiresAtEpochMs }: { step: string; attempt: number; offerExpiresAtEpochMs: number },
  now: number,
  sentExpiry: number,
): void {
  if (it.due !== step || it.isSubmitted || it.attempt !== attempt)
    fail('owner money', `${step} ${attempt} was submitted, due was ${it.due} ${it.attempt}`);
  const isOffer = step === 'treasury_offer' || step === 'payout_offer';
  if (isOffer ? sentExpiry <= now : sentExpiry !== 0)
    fail('owner money', `${step} was submitted with an expiry of ${sentExpiry}`);
  if (isOffer) it.expiresAt = sentExpiry;
  if (offerExpiresAtEpochMs !== it.expiresAt)
    fail('owner money', `${step} expires at ${it.expiresAt}, the event says ${offerExpiresAtEpochMs}`);
  it.isSubmitted = true;
}

function dueAfter(
  steps: Readonly<Record<string, readonly [accepted: string, rejected: string]>>,
  { isRenewal }: Flow,
  { step, outcome, reason }: StepReceived,
): string {
  const isRejectedWithdrawal = step === 'offer_withdrawal' && outcome === 'rejected';
  const isAccepted = isRejectedWithdrawal && reason === 'offer_accepted';
  if (isAccepted && !isRenewal && steps === DEPOSIT_STEPS) return 'owner_account_acceptance';
  const isClosed = isAccepted || (isRejectedWithdrawal && reason === 'offer_closed');
  if (isClosed && isRenewal) return 'owner_offer_acceptance';
  if (isClosed && steps === WITHDRAWAL_STEPS) return '+owner_offer_acceptance';
  return steps[step]![outcome === 'accepted' ? 0 : 1];
}

function receive(it: Flow, { step, attempt, nextStep, nextAttempt }: StepReceived, due: string): void {
  if (it.due !== step || !it.isSubmitted || it.attempt !== attempt)
    fail('owner money', `${step} ${attempt} was recorded, due was ${it.due} ${it.attempt}`);
  it.due = due.startsWith('+') ? due.slice(1) : due;
  it.attempt = due.startsWith('+') ? attempt + 1 : attempt;
  it.isSubmitted = false;
  it.isRenewal = false;
  if (nextStep !== it.due || nextAttempt !== it.attempt)
    fail('owner money', `${it.due} ${it.attempt} is due after ${step}, the event says ${nextStep} ${nextAttempt}`);
}

function renew(it: Flow, nextStep: string, now: number): void {
  if (it.due !== 'owner_offer_acceptance' || it.isSubmitted || now < it.expiresAt || nextStep !== 'offer_withdrawal')
    fail('owner money', `an offer was renewed while ${it.due} was due until ${it.expiresAt}`);
  it.due = nextStep;
  it.isRenewal = true;
}
