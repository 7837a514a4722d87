/**
 * One life of a venue that settles: writer, directory, local ledger and coordinator on files in memory, from an opening until it is
 * closed or cut. Its owners do what requests do after their approvals were verified, and repeat what was not answered.
 */
import { hash } from 'node:crypto';
import { SETTLEMENT_COMMANDS, VenueOwnerDirectory } from '#projection/projection.ts';
import type { OwnerDirectory } from '#reads/owner-directory.ts';
import { newLedgerKey } from '#settlement/coordinator/command-id.ts';
import { Coordinator, type MoneySwitches } from '#settlement/coordinator/coordinator.ts';
import { LocalLedger } from '#settlement/local/local-ledger.ts';
import type { LedgerCommand } from '#settlement/port/command.ts';
import { FaultyLedger, type LedgerFaults } from '#settlement/testing/faulty-ledger.ts';
import { moneySwitches } from '#settlement/testing/money-switches.ts';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import type { ManualTime } from '#time/testing/manual-time.ts';
import type { AccountOrdinal, Sequence, WithdrawalOrdinal } from '#units/ids.ts';
import { epochMs, quoteAtoms } from '#units/money.ts';
import type { Capability, Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { Venue } from '#venue/venue.ts';
import { lastSequenceOf, recordsOfCommands } from '#writer/port/group-records.ts';
import type { CommittedRecord, Idempotency, Outcome, Submit } from '#writer/port/submit.ts';
import { venueRules } from '#writer/recovery/venue-rules.ts';
import { openWriter, type Writer } from '#writer/writer.ts';
import type { Cut } from './cut.ts';

export { Cut } from './cut.ts';

export const LEDGER_ID = 'test-ledger';
const STEP_MS = 100;
const MAX_STEPS = 20_000;

export interface LifeOptions {
  readonly time: ManualTime;
  readonly journalFiles?: PowerCutFiles;
  readonly ledgerFiles?: PowerCutFiles;
  readonly faults?: LedgerFaults;
  readonly cut?: Cut;
  /** Of a ledger that does not exist yet. */
  readonly ledgerId?: string;
  /** Whether the ledger is down from the start on. */
  readonly isDown?: boolean;
  /** What the coordinator reads of the switches; the venue's own by default. */
  readonly switches?: () => MoneySwitches;
  /** Takes the durable records that concern settlement. */
  readonly onRecords?: (records: readonly CommittedRecord[]) => void;
}

interface Parts {
  readonly files: { readonly journalFiles: PowerCutFiles; readonly ledgerFiles: PowerCutFiles };
  readonly time: ManualTime;
  readonly writer: Writer<Venue>;
  readonly local: LocalLedger;
  readonly ledger: FaultyLedger;
  readonly coordinator: Coordinator;
  readonly owners: OwnerDirectory;
  readonly submit: Submit;
  readonly committed: readonly VenueEvent[];
  readonly started: readonly Command[];
  readonly lines: readonly string[];
  readonly errors: readonly unknown[];
  readonly cut: Cut | undefined;
}

export class Life {
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  static async open({
    time,
    faults,
    cut,
    ledgerId = LEDGER_ID,
    isDown = false,
    switches,
    onRecords,
    ...files
  }: LifeOptions): Promise<Life> {
    const { journalFiles = new PowerCutFiles(), ledgerFiles = new PowerCutFiles() } = files;
    const committed: VenueEvent[] = [];
    const started: Command[] = [];
    const lines: string[] = [];
    const errors: unknown[] = [];
    let coordinator: Coordinator | undefined;
    let owners: VenueOwnerDirectory | undefined;
    const writer = await openWriter({
      files: journalFiles,
      rules: venueRules,
      clock: time,
      steadyClock: time,
      timers: time,
      follow: ({ stored }) => {
        const records = recordsOfCommands(stored!, SETTLEMENT_COMMANDS);
        for (const { events } of records) committed.push(...events);
        onRecords?.(records);
        owners?.follow(lastSequenceOf(stored!), records);
        coordinator?.follow(records);
      },
      followFrom: { sequence: 0 as Sequence, chainDigest: '' },
      onHalt: () => undefined,
      limits: { segmentBytes: 1 << 16 },
    });
    owners = writer.peek(({ state }) => new VenueOwnerDirectory(state, writer.recovered.sequence));
    const local = await LocalLedger.open({ files: ledgerFiles, clock: time, allowsIssue: true, newLedgerId: () => ledgerId });
    const ledger = new FaultyLedger(local, time, faults);
    ledger.isDown = isDown;
    const submit = cut === undefined ? writer.submit : cut.around(writer.submit);
    coordinator = new Coordinator({
      ledger: cut === undefined ? ledger : cut.aroundLedger(ledger),
      owners,
      submit: (submission) => {
        started.push(submission.command);
        return submit(submission);
      },
      switches: switches ?? (() => writer.peek(({ state }) => moneySwitches(state.switches))),
      clock: writer.time,
      timers: time,
      issuesDeposits: true,
      log: (line) => lines.push(line),
      onInternalError: (error) => errors.push(error),
    });
    const stores = { journalFiles, ledgerFiles };
    return new Life({
      files: stores,
      time,
      writer,
      local,
      ledger,
      coordinator,
      owners,
      submit,
      committed,
      started,
      lines,
      errors,
      cut,
    });
  }

  get files() {
    return this.#parts.files;
  }

  get owners() {
    return this.#parts.owners;
  }

  get local() {
    return this.#parts.local;
  }

  get ledger() {
    return this.#parts.ledger;
  }

  get coordinator() {
    return this.#parts.coordinator;
  }

  get lines() {
    return this.#parts.lines;
  }

  get errors() {
    return this.#parts.errors;
  }

  /** How often the coordinator has submitted a command of this type. */
  submissions(type: Command['type']): number {
    return this.#parts.started.filter((command) => command.type === type).length;
  }

  /** The events of this type that this life has committed. */
  events<Type extends VenueEvent['type']>(type: Type): readonly Extract<VenueEvent, { type: Type }>[] {
    return this.#parts.committed.filter((event): event is Extract<VenueEvent, { type: Type }> => event.type === type);
  }

  /** Registers the owner, unless an earlier life has. */
  async owner(name: string, referralCode = ''): Promise<AccountOrdinal> {
    const registered = this.owners.accountOfIdentity(identityOf(name));
    if (registered !== undefined) return registered;
    await this.carryOut({
      type: 'RegisterOwner',
      identityDigest: identityOf(name),
      provider: 'local',
      label: name,
      referralCode,
      digestSeed: 7,
      passkey: {
        credentialId: `credential-of-${name}`,
        kind: 'passkey',
        publicKey: 'a2V5',
        signatureCount: 0,
        name,
        relyingPartyId: 'localhost',
        origin: 'http://localhost',
      },
    });
    return this.owners.accountOfIdentity(identityOf(name))!;
  }

  async activateParty(account: AccountOrdinal): Promise<void> {
    const status = () => this.owners.owner(account)!.party.status;
    if (status() === 'absent') await this.carryOut({ type: 'StartParty', account, ledgerKey: newLedgerKey() });
    await this.until('an allocated party', () => status() !== 'allocating');
    if (status() === 'allocated') await this.carryOut({ type: 'ActivateParty', account });
  }

  /** The owner consents, and the ledger creates the consent. */
  async consent(account: AccountOrdinal): Promise<void> {
    const ledgerKey = this.#newLedgerKey(account);
    await this.carryOut({ type: 'SubmitPartyConsent', account, ledgerKey, replacesConsentId: '' });
    await this.until('a consent', () => this.owners.owner(account)!.consent.state === 'present');
  }

  /** The ledger gets a command that the venue did not submit. */
  async submitElsewhere(command: LedgerCommand): Promise<void> {
    await this.whileTimePasses(this.local.submit(command));
    await this.#parts.time.advance(STEP_MS);
  }

  /** The operator accepts all that the ledger has. */
  async acceptLedger(): Promise<void> {
    const { offset: ledgerOffset, ledgerEventId } = await this.local.head();
    await this.carryOut({ type: 'AcceptLedgerEntries', ledgerOffset, ledgerEventId, reason: 'done by hand' });
    await this.until('a comparison', () => this.coordinator.status.isCompared);
  }

  /** Goes on with the deposit of the faucet's grant, wherever it is, until it is confirmed. */
  async deposit(account: AccountOrdinal, amountAtoms: number): Promise<void> {
    const grant = () => this.owners.fundingIntents(account)[0];
    if (grant() === undefined) await this.carryOut({ type: 'GrantFaucet', account, amountAtoms: quoteAtoms(amountAtoms) });
    const { intent } = grant()!;
    if (grant()!.deposit === undefined)
      await this.carryOut({ type: 'BindDeposit', account, intent, ledgerKey: this.#newLedgerKey(account) });
    const deposit = grant()!.deposit!;
    const current = () => this.owners.deposit(deposit)!;
    const isOwners = () => !current().isSubmitted && current().step?.startsWith('owner') === true;
    while (!current().confirmed) {
      void this.coordinator.depositSettled(deposit);
      await this.until('a step of the deposit for the owner', () => current().confirmed || isOwners());
      const { step, attempt, confirmed } = current();
      const submitted = { deposit, step: step!, attempt, offerExpiresAtEpochMs: epochMs(0) };
      if (!confirmed) await this.carryOut({ type: 'SubmitDepositStep', ...submitted });
    }
  }

  /** Requests a withdrawal, or gets the one of an earlier request with the key. */
  async requestWithdrawal(account: AccountOrdinal, amountAtoms: number, key = 'key'): Promise<WithdrawalOrdinal | undefined> {
    const destination = this.owners.owner(account)!.party.partyId;
    const request = { type: 'RequestWithdrawal', account, amountAtoms: quoteAtoms(amountAtoms), destination } as const;
    const command = { ...request, ledgerKey: this.#newLedgerKey(account), idempotencyKey: key };
    const { events } = await this.whileTimePasses(this.#parts.submit({ command, idempotency: idempotencyOf(key) }));
    return events.find((event) => event.type === 'WithdrawalRequested')?.withdrawal;
  }

  /** Goes on with the withdrawal, wherever it is, until it has ended. */
  async withdraw(account: AccountOrdinal, amountAtoms: number): Promise<void> {
    const withdrawal = (await this.requestWithdrawal(account, amountAtoms, `key of ${account}`))!;
    await this.finishWithdrawal(account, withdrawal);
  }

  /** Its owner does what is due, until it has ended. */
  async finishWithdrawal(account: AccountOrdinal, withdrawal: WithdrawalOrdinal): Promise<void> {
    const open = () => this.owners.openWithdrawals().find((it) => it.withdrawal === withdrawal);
    const isOwners = () => {
      const { status, isSubmitted, step } = open()!;
      return status === 'reserved' || (status !== 'requested' && !isSubmitted && step?.startsWith('owner') === true);
    };
    while (open() !== undefined) {
      await this.until('a step of the withdrawal for the owner', () => open() === undefined || isOwners());
      const { status, step, attempt } = open() ?? {};
      if (status === 'reserved') await this.carryOut({ type: 'AuthorizeWithdrawal', account, withdrawal });
      else if (step !== undefined) {
        const submitted = { withdrawal, step: step!, attempt: attempt!, offerExpiresAtEpochMs: epochMs(0) };
        await this.carryOut({ type: 'SubmitWithdrawalStep', ...submitted });
      }
    }
  }

  /** Whether it is on. */
  capability(name: Capability): boolean {
    return this.#parts.writer.peek(({ state }) => state.switches.isOn(name));
  }

  holdings(name: string) {
    const account = this.owners.accountOfIdentity(identityOf(name))!;
    const { partyId } = this.owners.owner(account)!.party;
    return this.#parts.writer.peek(({ state }) => {
      const { netDepositsAtoms } = state;
      return { account, partyId, cashAtoms: state.account(account)!.cashAtoms, netDepositsAtoms };
    });
  }

  /** Submits a command that must be carried out. */
  async carryOut(command: Command): Promise<Outcome> {
    const outcome = await this.whileTimePasses(this.#parts.submit({ command }));
    const [event] = outcome.events;
    if (event?.type === 'CommandRefused') throw new Error(`${command.type} was refused: ${event.code}`);
    return outcome;
  }

  /** Advances the time until the check passes. */
  async until(what: string, check: () => boolean): Promise<void> {
    for (let step = 0; step < MAX_STEPS; step += 1) {
      this.#parts.cut?.throwIfReached();
      if (check()) return;
      await this.#parts.time.advance(STEP_MS);
    }
    throw new Error(`not reached: ${what}; ${this.lines.join('; ')} ${this.errors.map(String).join('; ')}`);
  }

  async whileTimePasses<Value>(promise: Promise<Value>): Promise<Value> {
    let isSettled = false;
    const settled = () => {
      isSettled = true;
    };
    promise.then(settled, settled);
    while (!isSettled) {
      this.#parts.cut?.throwIfReached();
      await this.#parts.time.advance(STEP_MS);
    }
    return promise;
  }

  #newLedgerKey(account: AccountOrdinal): string {
    return newLedgerKey(this.owners.owner(account)!.party.ledgerKey);
  }

  async close(): Promise<void> {
    const { coordinator, writer, local } = this.#parts;
    for (const part of [coordinator, writer, local]) await this.whileTimePasses(part.close());
  }
}

function identityOf(name: string): string {
  return hash('sha256', name, 'hex');
}

function idempotencyOf(key: string): Idempotency {
  return { keyDigest: hash('sha256', key, 'buffer'), bodyDigest: hash('sha256', `body of ${key}`, 'buffer') };
}
