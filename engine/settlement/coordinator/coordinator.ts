/**
 * Brings open parties, consents, deposits and withdrawals forward: the journal knows each step before the ledger gets it, and records
 * its receipt once. Everything that it needs after a crash is in the journal; its own state only says when to look again.
 */

import type { OwnerDirectory } from '#reads/owner-directory.ts';
import { CommandRefused, type Ledger, LedgerUnavailable } from '#settlement/port/ledger.ts';
import type { LedgerEntry, Receipt } from '#settlement/port/receipt.ts';
import type { Clock } from '#time/clock.ts';
import { type Timers, withTimeout } from '#time/timers.ts';
import type { AccountOrdinal, DepositOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import type { Command, VenueStatus } from '#venue/command.ts';
import { type CommittedRecord, type Submit, VenueHalted, WriterBusy } from '#writer/port/submit.ts';
import { passDeposit } from './deposit-pass.ts';
import { DepositReports } from './deposit-reports.ts';
import { compareWithLedger, hasHistory, isAcceptable, type LedgerDifference, REMEDIES } from './difference.ts';
import { type EntryList, type EntryQuery, listEntries } from './entry-list.ts';
import { ownerOfParty } from './entry-origin.ts';
import { type Item, itemOfEvent, LEDGER, nameOf, WaitingItems } from './item.ts';
import { ItemQueue, type Next } from './item-queue.ts';
import { LedgerCalls, mayRetry } from './ledger-calls.ts';
import { LedgerReview } from './ledger-review.ts';
import { eventOf, passParty, revocationOf } from './party-pass.ts';
import type { PassPorts } from './pass-ports.ts';
import { SerialQueue } from './serial-queue.ts';
import { StuckItems } from './stuck-items.ts';
import { type Payment, passWithdrawal, passWithdrawalOffLedger, paymentOf } from './withdrawal-pass.ts';

/** What the operator has switched, as of the newest durable record. */
export interface MoneySwitches {
  readonly status: VenueStatus;
  /** Whether each capability is on. */
  readonly capabilities: Readonly<Record<string, boolean>>;
}

export interface CoordinatorPorts {
  readonly ledger: Ledger;
  readonly owners: OwnerDirectory;
  readonly submit: Submit;
  readonly switches: () => MoneySwitches;
  /** The journal's time. */
  readonly clock: Clock;
  readonly timers: Timers;
  /** Whether the ledger issues the money that backs a faucet deposit. */
  readonly issuesDeposits: boolean;
  /** Receives log lines for people. */
  readonly log: (line: string) => void;
  readonly onInternalError: (error: unknown) => void;
}

/** The ledger as the operator sees it. */
export interface LedgerStatus {
  /** Whether the last call was answered. */
  readonly isUp: boolean;
  /** Whether the ledger was compared with the journal since it is up. */
  readonly isCompared: boolean;
  /** Whether it takes no commands: too many wait, or its store is full. They are submitted again. */
  readonly isBusy: boolean;
  /** Commands that the ledger has and the journal does not know as sequenced. */
  readonly pending: number;
  /** Items that the ledger or the venue refuses: the log says which and why. */
  readonly stuck: number;
  /** Since the start: deposits that were credited to an account that was retired meanwhile. */
  readonly depositsToRetired: number;
  /** Since the start: deposits and faucet grants that were refused because of the bound of all deposits. */
  readonly depositsBeyondBound: number;
  /** Why transfers are halted; null if the journal explains all that the ledger has. */
  readonly difference: LedgerDifference | null;
}

/** The ports that differ by item. */
type PortOfItem = 'item' | 'isInDoubt' | 'endDoubt' | 'carryOut' | 'waitForSwitch' | 'report';

/** Refusals that end with a switch of the operator. */
const SWITCHED_OFF: ReadonlySet<string> = new Set(['venue_halted', 'intake_paused', 'capability_unavailable']);
/** How long a request waits for the ledger before it reports the step as submitted. */
export const MAX_WAIT_MS = 1_000;

export class Coordinator {
  readonly #ports: CoordinatorPorts;
  readonly #calls: LedgerCalls;
  readonly #review: LedgerReview;
  readonly #stuck: StuckItems;
  readonly #reports: DepositReports;
  readonly #queue: ItemQueue;
  readonly #passPorts: Omit<PassPorts, PortOfItem>;
  readonly #wanted = new Set<DepositOrdinal>();
  readonly #consentsInDoubt = new Set<AccountOrdinal>();
  /** The names of items that lost records may have brought further: open at the start, or when a difference was found. */
  readonly #inDoubt = new Set<string>();
  /** Items that need the ledger, until it was compared. Meanwhile the ledger is queued or waits for its next attempt. */
  readonly #postponed = new WaitingItems();
  /** Items that the venue starts after a switch. */
  readonly #switchedOff = new WaitingItems();
  /** The number of switches since the start. */
  #switches = 0;
  readonly #reservations = new SerialQueue();
  #isCompared = false;
  #difference: LedgerDifference | undefined;
  readonly #endWatch: () => void;

  /** Starts at once with everything that is open. */
  constructor(ports: CoordinatorPorts) {
    const { ledger, owners, clock, timers, issuesDeposits, log, onInternalError } = ports;
    this.#ports = ports;
    this.#calls = new LedgerCalls(ledger, timers, (reason) => log(`ledger: ${reason}; deposits and withdrawals wait`));
    this.#review = new LedgerReview({
      calls: this.#calls,
      owners,
      onRevoked: (partyId, receipt) => this.#recordRevocation(partyId, receipt),
      report: (text) => log(`ledger: ${text}`),
    });
    this.#stuck = new StuckItems(log);
    this.#reports = new DepositReports(owners, log);
    this.#passPorts = {
      owners,
      calls: this.#calls,
      clock,
      issuesDeposits,
      lostPayouts: new Set(),
      hasHistory: () => (this.#difference === undefined ? this.#isCompared : hasHistory(this.#difference)),
      mayStart: (capability) => this.#mayStart(capability),
      isWanted: (deposit) => this.#wanted.has(deposit),
      offered: (deposit) => void this.#wanted.delete(deposit),
      review: async () => !this.#haltOn(await this.#review.upTo()),
      isConsentInDoubt: (account) => this.#consentsInDoubt.has(account),
      consentChecked: (account) => void this.#consentsInDoubt.delete(account),
      // After a call without a response, those that wait do not try theirs.
      inTurn: (reserve) => this.#reservations.run(async () => (this.#isCompared ? reserve() : 'retry')),
    };
    this.#queue = new ItemQueue({ pass: (item) => this.#pass(item), timers, onError: onInternalError });
    this.#endWatch = ledger.watch((receipt) => this.#received(receipt));
    this.#queue.wake(LEDGER);
    this.#doubtOpenItems();
    for (const item of this.#openItems()) this.#queue.wake(item);
  }

  /** Takes committed records in order, after the directory of owners. */
  follow(records: readonly CommittedRecord[]): void {
    for (const record of records) {
      this.#reports.take(record);
      for (const event of record.events) {
        if (event.type === 'LedgerEntriesAccepted') this.#forgetDifference();
        const item = itemOfEvent(event);
        if (item !== undefined) this.#queue.wake(item);
        if (event.type === 'VenueStatusChanged' || event.type === 'CapabilitySet') this.#switched();
      }
    }
  }

  get status(): LedgerStatus {
    const { isUp, isBusy } = this.#calls;
    return {
      isUp,
      isCompared: this.#isCompared,
      isBusy,
      pending: this.#queue.pendingCount,
      stuck: this.#stuck.count,
      depositsToRetired: this.#reports.toRetired,
      depositsBeyondBound: this.#reports.beyondBound,
      difference: this.#difference ?? null,
    };
  }

  /** Whether the ledger has confirmed that it has the command. */
  isAnswered(commandId: string): boolean {
    return this.#calls.isAnswered(commandId);
  }

  /** The owner asks for the deposit: an expired offer is made again, once. Resolves when it waits for the owner or for the ledger, at most after a second. */
  depositSettled(deposit: DepositOrdinal): Promise<void> {
    this.#wanted.add(deposit);
    return this.#settled({ kind: 'deposit', deposit });
  }

  withdrawalSettled(withdrawal: WithdrawalOrdinal): Promise<void> {
    return this.#settled({ kind: 'withdrawal', withdrawal });
  }

  /** Also finds out whether the consent was revoked on the ledger. */
  partySettled(account: AccountOrdinal): Promise<void> {
    this.#consentsInDoubt.add(account);
    return this.#settled({ kind: 'party', account });
  }

  /** Of a withdrawal without a step in the journal; `impossible` if there is no such one. */
  async paymentOf(withdrawal: WithdrawalOrdinal): Promise<Payment> {
    const it = this.#ports.owners.withdrawal(withdrawal);
    return it === undefined || it.status === 'submitted'
      ? 'impossible'
      : paymentOf(this.#portsOf({ kind: 'withdrawal', withdrawal }), it);
  }

  /** A read of the ledger by a request. Rejects if it is unavailable. */
  read<Value>(call: (ledger: Ledger) => Promise<Value>): Promise<Value> {
    return this.#calls.read(call);
  }

  /** The ledger's entry at the offset; undefined if the ledger ends before it. Rejects if the ledger is unavailable. */
  entryAt(offset: number): Promise<LedgerEntry | undefined> {
    return this.#calls.entryAt(offset);
  }

  /** The ledger's entries for the operator. Rejects if it is unavailable. */
  entries(query: EntryQuery): Promise<EntryList> {
    return listEntries(this.#calls, this.#ports.owners, query);
  }

  /** Resolves when no pass is running any more. */
  async close(): Promise<void> {
    this.#endWatch();
    await this.#queue.close();
  }

  async #settled(item: Item): Promise<void> {
    if (!this.#isCompared) return;
    await withTimeout(this.#ports.timers, this.#queue.settled(item), MAX_WAIT_MS);
  }

  async #pass(item: Item): Promise<Next> {
    try {
      if (item.kind === 'ledger') return await this.#compare();
      if (this.#isCompared && this.#difference === undefined) {
        const next = await this.#passOpen(item);
        if (next !== 'stuck') this.#stuck.remove(item);
        return next;
      }
      return await this.#passOffLedger(item);
    } catch (error) {
      if (error instanceof VenueHalted) return 'idle';
      if (error instanceof WriterBusy) return 'retry';
      if (error instanceof CommandRefused) return this.#report(item, `it refuses a command of ${nameOf(item)}: ${error.message}`);
      if (!mayRetry(error)) throw error;
      if (error instanceof LedgerUnavailable) this.#compareAgain();
      return 'retry';
    }
  }

  /** After a time without the ledger, it may be another one. */
  #compareAgain(): void {
    if (!this.#isCompared) return;
    this.#isCompared = false;
    this.#queue.wake(LEDGER);
  }

  /** The ledger is unavailable, not compared yet, or differs: nothing is submitted to it. */
  async #passOffLedger(item: Item): Promise<Next> {
    this.#postponed.add(item);
    return item.kind === 'withdrawal' ? passWithdrawalOffLedger(this.#portsOf(item), item.withdrawal) : 'idle';
  }

  #portsOf(item: Item): PassPorts {
    return {
      ...this.#passPorts,
      item,
      isInDoubt: () => this.#inDoubt.has(nameOf(item)),
      endDoubt: () => void this.#inDoubt.delete(nameOf(item)),
      carryOut: (command) => this.#carryOut(command, item),
      waitForSwitch: () => this.#waitForSwitch(item),
      report: (problem) => this.#report(item, problem),
    };
  }

  #report(item: Item, problem: string): Next {
    this.#stuck.add(item, problem);
    return 'stuck';
  }

  #mayStart(capability: 'deposits' | 'withdrawals'): boolean {
    const { status, capabilities } = this.#ports.switches();
    return status === 'open' && capabilities[capability] === true && capabilities.transfers === true;
  }

  #waitForSwitch(item: Item): Next {
    this.#switchedOff.add(item);
    return 'idle';
  }

  #switched(): void {
    this.#switches += 1;
    for (const item of this.#switchedOff.takeAll()) this.#queue.wake(item);
  }

  #passOpen(item: Exclude<Item, { kind: 'ledger' }>): Promise<Next> {
    const ports = this.#portsOf(item);
    switch (item.kind) {
      case 'deposit':
        return passDeposit(ports, item.deposit);
      case 'withdrawal':
        return passWithdrawal(ports, item.withdrawal);
      case 'party':
        return passParty(ports, item.account);
      default:
        return item satisfies never;
    }
  }

  async #compare(): Promise<Next> {
    if (!this.#ports.owners.isLedgerGuarded()) await this.#carryOut({ type: 'GuardLedger' }, LEDGER);
    if (this.#difference !== undefined) return this.#haltTransfers();
    if (this.#isCompared) {
      this.#haltOn(await this.#review.upTo());
      return 'idle';
    }
    const { head, difference } = await compareWithLedger(this.#calls, this.#ports.owners);
    if (this.#haltOn(difference ?? (await this.#review.restart()))) return 'idle';
    const { ledgerId, treasuryPartyId, custodyPartyId } = head;
    if (this.#ports.owners.ledger() === undefined) {
      const bound = await this.#carryOut({ type: 'BindLedger', ledgerId, treasuryPartyId, custodyPartyId }, LEDGER);
      if (bound !== 'again') return bound;
    }
    this.#isCompared = true;
    for (const item of this.#postponed.takeAll()) this.#queue.wake(item);
    return 'idle';
  }

  /** The operator has accepted entries: they are known now. */
  #forgetDifference(): void {
    this.#difference = undefined;
    this.#isCompared = false;
    for (const item of this.#openItems()) this.#postponed.add(item);
    this.#queue.wake(LEDGER);
  }

  #doubtOpenItems(): void {
    for (const item of this.#openItems()) this.#inDoubt.add(nameOf(item));
  }

  #openItems(): readonly Item[] {
    const { owners } = this.#ports;
    return [
      ...owners.openDeposits().map(({ deposit }) => ({ kind: 'deposit', deposit }) as const),
      ...owners.openWithdrawals().map(({ withdrawal }) => ({ kind: 'withdrawal', withdrawal }) as const),
      ...owners.pendingParties().map((account) => ({ kind: 'party', account }) as const),
    ];
  }

  /** A receipt may come late, twice or never: it only makes its item look; one without an item is an entry to be reviewed. */
  #received({ commandId }: Receipt): void {
    this.#queue.wake(this.#calls.itemOf(commandId) ?? LEDGER);
  }

  /** While a consent is submitted, its own pass finds that it is revoked. */
  async #recordRevocation(partyId: string, receipt: Receipt): Promise<void> {
    const { owners } = this.#ports;
    const account = ownerOfParty(owners, partyId)?.account;
    if (account === undefined) return;
    const command = await revocationOf({ owners, calls: this.#calls }, account);
    if (command !== undefined) await this.#submit({ ...command, ledgerEvent: eventOf(receipt) }, { kind: 'party', account });
  }

  /** A receipt is recorded when all entries up to it are reviewed. */
  async #carryOut(command: Command, item: Item): Promise<Next> {
    const offset = offsetIn(command);
    if (offset === undefined) return this.#submit(command, item);
    if (this.#haltOn(await this.#review.upTo(offset))) return 'idle';
    // A late response shows an earlier state of the ledger.
    return this.#review.reviewedOffset < offset ? 'retry' : this.#submit(command, item);
  }

  async #submit(command: Command, item: Item): Promise<Next> {
    const switches = this.#switches;
    const { events } = await this.#ports.submit({ command });
    const [event] = events;
    if (event?.type !== 'CommandRefused') return 'again';
    // A switch that came meanwhile may permit it.
    if (SWITCHED_OFF.has(event.code)) return switches === this.#switches ? this.#waitForSwitch(item) : 'again';
    // Mostly the owner's next step, or a retirement, came first: the next pass reads what is true now.
    return this.#report(item, `the venue refused ${command.type} of ${nameOf(item)}: ${event.code}`);
  }

  /** Whether there is a difference, this one or an earlier one: it halts transfers. */
  #haltOn(difference: LedgerDifference | undefined): boolean {
    if (this.#difference !== undefined) return true;
    if (difference === undefined) return false;
    this.#difference = difference;
    this.#doubtOpenItems();
    const { text, kind } = difference;
    const how = isAcceptable(difference) ? ': npm run openperp -- ledger list, then ledger accept' : '';
    this.#ports.log(
      `ledger: it differs from the journal, and transfers are halted; trading goes on: ${text}. ${REMEDIES[kind]}${how}. Then switch on ` +
        'transfers: npm run openperp -- venue capability transfers on',
    );
    this.#queue.wake(LEDGER);
    return true;
  }

  #haltTransfers(): Promise<Next> | Next {
    if (this.#ports.switches().capabilities.transfers !== true) return 'idle';
    return this.#submit({ type: 'SetCapability', capability: 'transfers', isOn: false }, LEDGER);
  }
}

/** The offset of the ledger's receipt that the command records. */
function offsetIn(command: Command): number | undefined {
  if ('ledgerOffset' in command) return command.ledgerOffset;
  return 'ledgerEvent' in command ? command.ledgerEvent?.ledgerOffset : undefined;
}
