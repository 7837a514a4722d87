/**
 * A ledger behind a bad connection, for simulations and tests. The faults are chosen call by call; late ones wait on a clock that
 * the test controls.
 */
import type { LedgerCommand, LedgerStep } from '#settlement/port/command.ts';
import {
  CommandRefused,
  type Ledger,
  LedgerBusy,
  LedgerUnavailable,
  type PageRequest,
  type ReceiptListener,
} from '#settlement/port/ledger.ts';
import type { KnownCommand, Receipt } from '#settlement/port/receipt.ts';
import type { Timers } from '#time/timers.ts';

export type LedgerFault =
  /** The request arrives late, and so does its response. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Carried out at once, answered late: responses change their order. */
  | { readonly kind: 'answer_late'; readonly ms: number }
  /** Never carried out. The caller cannot know. */
  | { readonly kind: 'request_lost' }
  /** Carried out. The caller cannot know. */
  | { readonly kind: 'answer_lost' }
  /** The caller has given up when it is carried out. */
  | { readonly kind: 'request_late'; readonly ms: number }
  /** Carried out twice, or a receipt that is delivered twice. */
  | { readonly kind: 'request_repeated' }
  /** The response to an earlier call with the same arguments, if there was one. */
  | { readonly kind: 'answer_repeated' }
  /** It has no room for the command. Changes nothing for a call that is no submission. */
  | { readonly kind: 'busy' }
  /** It refuses the command. Changes nothing for a call that is no submission. */
  | { readonly kind: 'refused' };

export interface LedgerCall {
  /** From 1. Deliveries of receipts count too. */
  readonly ordinal: number;
  readonly method: keyof Ledger;
  /** Of a submission or a receipt. */
  readonly step: LedgerStep | undefined;
}

export type LedgerFaults = (call: LedgerCall) => LedgerFault | undefined;

export class FaultyLedger implements Ledger {
  readonly #timers: Timers;
  readonly #faults: LedgerFaults;
  readonly #listeners = new Set<ReceiptListener>();
  readonly #answers = new Map<string, unknown>();
  #inner: Ledger;
  #endWatch: () => void;
  #ordinal = 0;
  isDown = false;
  /** It takes no new commands. */
  isFull = false;

  constructor(inner: Ledger, timers: Timers, faults: LedgerFaults = () => undefined) {
    this.#inner = inner;
    this.#timers = timers;
    this.#faults = faults;
    this.#endWatch = inner.watch((receipt) => this.#deliver(receipt));
  }

  /** Continues with another ledger: after a restart, or one restored from an older copy. */
  replace(inner: Ledger): void {
    this.#endWatch();
    this.#inner = inner;
    this.#endWatch = inner.watch((receipt) => this.#deliver(receipt));
  }

  /** None of the responses up to now is repeated. */
  forgetResponses(): void {
    this.#answers.clear();
  }

  submit = (command: LedgerCommand) => this.#call('submit', [command], (ledger) => this.#submit(ledger, command), command.step);
  lookUp = (commandId: string) => this.#call('lookUp', [commandId], (ledger) => ledger.lookUp(commandId));
  entries = (page: PageRequest) => this.#call('entries', [page], (ledger) => ledger.entries(page));
  head = () => this.#call('head', [], (ledger) => ledger.head());
  balance = (partyId: string) => this.#call('balance', [partyId], (ledger) => ledger.balance(partyId));
  offer = (offerId: string) => this.#call('offer', [offerId], (ledger) => ledger.offer(offerId));
  consent = (partyId: string) => this.#call('consent', [partyId], (ledger) => ledger.consent(partyId));
  supply = () => this.#call('supply', [], (ledger) => ledger.supply());

  watch(listener: ReceiptListener): () => void {
    const subscription: ReceiptListener = (receipt) => listener(receipt);
    this.#listeners.add(subscription);
    return () => void this.#listeners.delete(subscription);
  }

  async #call<T>(
    method: keyof Ledger,
    args: readonly unknown[],
    perform: (ledger: Ledger) => Promise<T>,
    step?: LedgerStep,
  ): Promise<T> {
    const fault = this.#next(method, step);
    const key = JSON.stringify([method, ...args]);
    if (this.isDown) throw new LedgerUnavailable('the ledger is down');
    switch (fault?.kind) {
      case 'request_lost':
        throw new LedgerUnavailable('the request timed out');
      case 'request_late':
        // Its result reaches no caller.
        this.#timers.setTimeout(() => void this.#perform(key, perform).catch(() => undefined), fault.ms);
        throw new LedgerUnavailable('the request timed out');
      case 'answer_lost':
        await this.#perform(key, perform);
        throw new LedgerUnavailable('the connection was lost before the response');
      case 'slow':
        await this.#later(fault.ms);
        return this.#perform(key, perform);
      case 'answer_late':
        return this.#perform(key, perform).finally(() => this.#later(fault.ms));
      case 'request_repeated':
        return (await Promise.all([this.#perform(key, perform), this.#perform(key, perform)]))[1];
      case 'answer_repeated':
        return this.#answers.has(key) ? (this.#answers.get(key) as T) : this.#perform(key, perform);
      case 'busy':
        if (method === 'submit') throw new LedgerBusy('the ledger has no room for the command');
        return this.#perform(key, perform);
      case 'refused':
        if (method === 'submit') throw new CommandRefused('the ledger does not take the command');
        return this.#perform(key, perform);
      case undefined:
        return this.#perform(key, perform);
    }
  }

  async #perform<T>(key: string, perform: (ledger: Ledger) => Promise<T>): Promise<T> {
    if (this.isDown) throw new LedgerUnavailable('the ledger is down');
    const answer = await perform(this.#inner);
    this.#answers.set(key, answer);
    return answer;
  }

  async #submit(ledger: Ledger, command: LedgerCommand): Promise<KnownCommand> {
    if (this.isFull && (await ledger.lookUp(command.commandId)).status === 'unknown') throw new LedgerBusy('the ledger is full');
    return ledger.submit(command);
  }

  #deliver(receipt: Receipt): void {
    const fault = this.#next('watch', receipt.step);
    if (this.isDown || fault?.kind === 'request_lost' || fault?.kind === 'answer_lost') return;
    const times = fault?.kind === 'request_repeated' || fault?.kind === 'answer_repeated' ? 2 : 1;
    for (let count = 0; count < times; count += 1) {
      if (fault !== undefined && 'ms' in fault) this.#timers.setTimeout(() => this.#notify(receipt), fault.ms);
      else this.#notify(receipt);
    }
  }

  #notify(receipt: Receipt): void {
    for (const listener of [...this.#listeners]) listener(receipt);
  }

  #next(method: keyof Ledger, step: LedgerStep | undefined): LedgerFault | undefined {
    this.#ordinal += 1;
    return this.#faults({ ordinal: this.#ordinal, method, step });
  }

  #later(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#timers.setTimeout(resolve, ms));
  }
}
