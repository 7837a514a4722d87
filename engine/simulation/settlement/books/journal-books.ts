/**
 * Deposits, withdrawals and parties as an independent reader rebuilds them from the events of the journal. Checks each event against
 * the transition tables, and collects what only the ledger can confirm.
 */
import { demand, fail } from '#simulation/world/audit/demand.ts';
import type { DepositStepRecorded, VenueEvent, WithdrawalStepRecorded } from '#venue/event.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { dueAfter, type Flow, type FlowKind, nameOf, nonceOf, OWNER_STEPS } from './flow.ts';
import { VenueCash } from './venue-cash.ts';

/** A recorded step, to be compared with the ledger. */
export interface RecordedStep {
  readonly flow: Flow;
  readonly step: string;
  readonly commandId: string;
  readonly offerId: string;
  /** Whether the step withdraws an offer in order to make it again. */
  readonly isRenewal: boolean;
  readonly receipt: DepositStepRecorded | WithdrawalStepRecorded;
}

/** An owner's step that no owner had approved when it was submitted. */
export interface UnapprovedStep {
  readonly flow: Flow;
  readonly step: string;
  readonly offerId: string;
}

/** Money that a source has granted to an account. One deposit pays it. */
interface FundingIntent {
  readonly account: number;
  readonly amountAtoms: number;
  deposit: number | undefined;
}

export interface PartyBook {
  status: string;
  ledgerKey: string;
  partyId: string;
  consent: string;
  consentId: string;
}

export class JournalBooks {
  readonly cash = new VenueCash();
  readonly flows = new Map<string, Flow>();
  readonly parties = new Map<number, PartyBook>();
  /** Ids of ledger commands that the journal has submitted, without their proofs. */
  readonly submitted = new Set<string>();
  readonly recorded: RecordedStep[] = [];
  readonly unapproved: UnapprovedStep[] = [];
  /** How often each status, step and outcome was seen. */
  readonly seen = new Map<string, number>();
  /** Steps that owners have approved. */
  readonly approved: Set<string>;
  readonly #records: string[] = [];
  readonly #requests = new Set<string>();
  readonly #intents = new Map<number, FundingIntent>();
  /** Withdrawals whose reservation has returned. */
  readonly #released = new Set<number>();

  constructor(approved = new Set<string>()) {
    this.approved = approved;
  }

  get lastSequence(): number {
    return this.#records.length;
  }

  /** All records, for a digest. */
  get digestText(): string {
    return this.#records.join('');
  }

  /** An owner approves a step of one attempt, or the authorization of a withdrawal. */
  approve(flow: Pick<Flow, 'kind' | 'ordinal'>, step: string, attempt: number): void {
    this.approved.add(`${nameOf(flow)} ${step} ${attempt}`);
  }

  see(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
  }

  /** Takes records in sequence; after a start again from the first one on. */
  take(records: readonly CommittedRecord[]): void {
    for (const record of records) {
      const text = JSON.stringify(record);
      const known = this.#records[record.sequence - 1];
      if (known !== undefined) {
        demand(known === text, `record ${record.sequence} was published, and is changed after a restart`);
        continue;
      }
      demand(record.sequence === this.#records.length + 1, `record ${this.#records.length + 1} is missing`);
      this.#records.push(text);
      this.#takeRecord(record);
    }
  }

  open(kind: FlowKind): readonly Flow[] {
    return [...this.flows.values()].filter((flow) => flow.kind === kind && flow.end === undefined);
  }

  #takeRecord({ sequence, command, events }: CommittedRecord): void {
    // The operator's credit has no event but its posting.
    const isCredit = command.type === 'CreditCash' && events[0]?.type !== 'CommandRefused';
    if (isCredit) this.cash.credit(command.account, command.amountAtoms);
    for (const event of events) {
      this.#takeEvent(event);
      this.cash.take(event);
    }
    this.cash.check(
      sequence,
      this.open('withdrawal').reduce((sum, { amountAtoms }) => sum + amountAtoms, 0),
    );
  }

  #takeEvent(event: VenueEvent): void {
    switch (event.type) {
      case 'OwnerRegistered':
        this.parties.set(event.account, { status: 'absent', ledgerKey: '', partyId: '', consent: 'absent', consentId: '' });
        return;
      case 'PartyChanged': {
        const { account, status, partyId, ledgerKey } = event;
        Object.assign(this.parties.get(account)!, { status, partyId, ledgerKey });
        if (status === 'allocating') this.submitted.add(`${nonceOf(ledgerKey)}-party_allocation-1`);
        this.see(`party ${status}`);
        return;
      }
      case 'PartyConsentChanged': {
        const { account, consent, consentId, ledgerKey, reason } = event;
        Object.assign(this.parties.get(account)!, { consent, consentId });
        if (consent === 'submitted') this.submitted.add(`${nonceOf(ledgerKey)}-party_consent-1`);
        this.see(`consent ${consent}${reason === '' ? '' : `: ${reason}`}`);
        return;
      }
      case 'FundingIntentCreated': {
        const { intent, account, amountAtoms } = event;
        const isFirst = [...this.#intents.values()].every((it) => it.account !== account);
        demand(isFirst, `the faucet grants account ${account} money twice`);
        this.#intents.set(intent, { account, amountAtoms, deposit: undefined });
        return;
      }
      case 'DepositBound': {
        const { deposit: ordinal, intent, account, amountAtoms, ledgerKey, partyId } = event;
        this.#bind(intent, { deposit: ordinal, account, amountAtoms });
        this.#demandOwnParty(`deposit ${ordinal}`, account, partyId);
        this.#begin({
          kind: 'deposit',
          ordinal,
          account,
          amountAtoms,
          nonce: nonceOf(ledgerKey),
          partyId,
          step: 'treasury_offer',
          status: 'open',
        });
        this.submitted.add(`${nonceOf(ledgerKey)}-issue`);
        return;
      }
      case 'WithdrawalRequested': {
        const { withdrawal: ordinal, account, amountAtoms, ledgerKey, destination: partyId, idempotencyKey } = event;
        const request = `${account} ${idempotencyKey}`;
        demand(!this.#requests.has(request), `the request ${request} was carried out twice`);
        this.#requests.add(request);
        this.#demandOwnParty(`withdrawal ${ordinal}`, account, partyId);
        const step = 'owner_withdrawal_consent';
        const nonce = nonceOf(ledgerKey);
        this.#begin({ kind: 'withdrawal', ordinal, account, amountAtoms, nonce, partyId, step, status: 'requested' });
        this.cash.reserve(account, amountAtoms);
        this.see('withdrawal requested');
        return;
      }
      case 'WithdrawalStatusChanged':
        this.#changeStatus(this.#openFlow('withdrawal', event.withdrawal), event.status);
        return;
      case 'DepositStepSubmitted':
        this.#submit(this.#openFlow('deposit', event.deposit), event);
        return;
      case 'WithdrawalStepSubmitted':
        this.#submit(this.#openFlow('withdrawal', event.withdrawal), event);
        return;
      case 'DepositStepRecorded':
        this.#record(this.#openFlow('deposit', event.deposit), event);
        return;
      case 'WithdrawalStepRecorded':
        this.#record(this.#openFlow('withdrawal', event.withdrawal), event);
        return;
      case 'DepositRenewed':
        this.#renew(this.#openFlow('deposit', event.deposit));
        return;
      case 'WithdrawalRenewed':
        this.#renew(this.#openFlow('withdrawal', event.withdrawal));
        return;
      case 'DepositConfirmed': {
        const flow = this.#openFlow('deposit', event.deposit);
        demand(flow.step === 'none', `${nameOf(flow)} is confirmed while ${flow.step} is due`);
        this.#end(flow, 'confirmed', event);
        this.cash.deposit(flow.account, flow.amountAtoms);
        return;
      }
      case 'WithdrawalBlocked': {
        const flow = this.#openFlow('withdrawal', event.withdrawal);
        const isOnLedger = flow.status === 'submitted';
        demand(!isOnLedger || flow.step === 'blocked', `${nameOf(flow)} is blocked while ${flow.step} is due`);
        this.see(`withdrawal blocked: ${event.reason}`);
        this.#end(flow, 'blocked', event);
        return;
      }
      case 'WithdrawalReleased': {
        const flow = this.flows.get(`withdrawal ${event.withdrawal}`)!;
        demand(flow.end === 'blocked', `${nameOf(flow)} is released and is not blocked`);
        demand(!this.#released.has(flow.ordinal), `${nameOf(flow)} is released twice`);
        this.#released.add(flow.ordinal);
        this.cash.release(event.account, event.amountAtoms);
        return;
      }
      case 'WithdrawalSettled': {
        const flow = this.#openFlow('withdrawal', event.withdrawal);
        demand(flow.step === 'settled', `${nameOf(flow)} is settled while ${flow.step} is due`);
        this.#end(flow, 'settled', event);
        this.cash.settle(flow.amountAtoms);
        return;
      }
      default:
    }
  }

  #bind(intent: number, { deposit, account, amountAtoms }: { deposit: number; account: number; amountAtoms: number }): void {
    const granted = this.#intents.get(intent);
    const isGranted = granted?.account === account && granted.amountAtoms === amountAtoms;
    if (!isGranted) fail(`deposit ${deposit} of ${amountAtoms} for account ${account} is not what intent ${intent} grants`);
    demand(granted.deposit === undefined, `intent ${intent} is paid by deposit ${granted.deposit} and by deposit ${deposit}`);
    granted.deposit = deposit;
  }

  #demandOwnParty(name: string, account: number, partyId: string): void {
    const own = this.parties.get(account)?.partyId;
    demand(own === partyId, `${name} of account ${account}, whose party is ${own}, is with the party ${partyId}`);
  }

  #begin(bound: Omit<Flow, 'attempt' | 'isSubmitted' | 'isRenewal' | 'offerId' | 'offerExpiresAtEpochMs' | 'end'>): void {
    const name = nameOf(bound);
    demand(!this.flows.has(name), `${name} began twice`);
    const blank = { attempt: 1, isSubmitted: false, isRenewal: false, offerId: '', offerExpiresAtEpochMs: 0, end: undefined };
    this.flows.set(name, { ...bound, ...blank });
  }

  #openFlow(kind: FlowKind, ordinal: number): Flow {
    const name = nameOf({ kind, ordinal });
    const flow = this.flows.get(name);
    if (flow === undefined || flow.end !== undefined) fail(`${name} changes, and is ${flow?.end ?? 'unknown'}`);
    return flow;
  }

  #changeStatus(flow: Flow, status: string): void {
    const expected: Record<string, string> = { requested: 'reserved', reserved: 'authorized' };
    demand(expected[flow.status] === status, `${nameOf(flow)} is ${status} after ${flow.status}`);
    if (status === 'authorized') this.#demandApproval(flow, 'authorization', 1);
    flow.status = status;
    this.see(`withdrawal ${status}`);
  }

  #submit(flow: Flow, event: { readonly step: string; readonly attempt: number; readonly offerExpiresAtEpochMs: number }): void {
    const { step, attempt, offerExpiresAtEpochMs } = event;
    const isDue = flow.step === step && flow.attempt === attempt && !flow.isSubmitted;
    demand(isDue, `${nameOf(flow)} submits ${step} ${attempt}; ${flow.step} ${flow.attempt} is due`);
    if (flow.kind === 'withdrawal') {
      demand(flow.status === 'authorized' || flow.status === 'submitted', `${nameOf(flow)} is submitted and is ${flow.status}`);
      flow.status = 'submitted';
    }
    const isApproved = !OWNER_STEPS.has(step) || this.approved.has(`${nameOf(flow)} ${step} ${attempt}`);
    if (!isApproved) this.unapproved.push({ flow, step, offerId: flow.offerId });
    flow.isSubmitted = true;
    flow.offerExpiresAtEpochMs = offerExpiresAtEpochMs;
    this.submitted.add(`${flow.nonce}-${step}-${attempt}`);
    this.see(`${flow.kind} ${step} submitted`);
  }

  #record(flow: Flow, receipt: DepositStepRecorded | WithdrawalStepRecorded): void {
    const { step, attempt, outcome, reason, createdId, nextStep, nextAttempt } = receipt;
    const isSubmitted = flow.step === step && flow.attempt === attempt && flow.isSubmitted;
    demand(isSubmitted, `${nameOf(flow)} records ${step} ${attempt}; ${flow.step} ${flow.attempt} is due`);
    const due = dueAfter(flow, outcome, reason);
    demand(due.step === nextStep && due.attempt === nextAttempt, `${nameOf(flow)} goes on with ${nextStep} ${nextAttempt}`);
    const { offerId, isRenewal } = flow;
    this.recorded.push({ flow, step, commandId: `${flow.nonce}-${step}-${attempt}`, offerId, isRenewal, receipt });
    if (outcome === 'accepted' && (step === 'treasury_offer' || step === 'payout_offer')) flow.offerId = createdId;
    if (step === 'treasury_offer' && outcome === 'rejected') flow.offerId = '';
    Object.assign(flow, { step: due.step, attempt: due.attempt, isSubmitted: false, isRenewal: false });
    this.see(`${flow.kind} ${step} ${reason === 'offer_closed' ? 'closed' : outcome}`);
  }

  #renew(flow: Flow): void {
    const isPossible = flow.step === 'owner_offer_acceptance' && !flow.isSubmitted;
    demand(isPossible, `${nameOf(flow)} is renewed while ${flow.step} is due`);
    Object.assign(flow, { step: 'offer_withdrawal', isRenewal: true });
    this.see(`${flow.kind} renewed`);
  }

  #end(flow: Flow, end: Flow['end'], event: { readonly account: number; readonly amountAtoms: number }): void {
    const isOfFlow = event.account === flow.account && event.amountAtoms === flow.amountAtoms;
    demand(isOfFlow, `${nameOf(flow)} ends with ${event.amountAtoms} of account ${event.account}`);
    flow.end = end;
    this.see(`${flow.kind} ${end}`);
  }

  #demandApproval(flow: Flow, step: string, attempt: number): void {
    demand(this.approved.has(`${nameOf(flow)} ${step} ${attempt}`), `${nameOf(flow)} has ${step} without its owner's approval`);
  }
}
