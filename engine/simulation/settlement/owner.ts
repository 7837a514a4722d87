/**
 * A simulated owner: sets up a party, deposits and withdraws. After an approval, the same commands are submitted as by the HTTP
 * handlers, and requests without a response are repeated.
 */
import { createHash } from 'node:crypto';
import type { Party } from '#reads/owner-directory.ts';
import type { DepositView, WithdrawalView } from '#reads/owner-money.ts';
import { ledgerKeyOf } from '#settlement/coordinator/command-id.ts';
import type { RandomSource } from '#simulation/world/random-source.ts';
import type { StepLog } from '#simulation/world/step-log.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { epochMs, quoteAtoms } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import { type Outcome, type Submission, VenueHalted, WriterBusy } from '#writer/port/submit.ts';
import { OWNER_STEPS } from './books/flow.ts';
import type { JournalBooks } from './books/journal-books.ts';
import type { SettlementFaults } from './faults.ts';
import type { VenueLife } from './venue-life.ts';

const NO_OFFER = epochMs(0);
const MAX_REQUESTS = 4;
/** A key is retained for a day: a client repeats a request no longer. */
const MAX_REPEAT_MS = 80_000_000;

interface WithdrawalRequest {
  readonly key: string;
  readonly amount: number;
  readonly requestedAtMs: number;
  isAnswered: boolean;
}

export interface OwnerParts {
  readonly name: string;
  readonly random: RandomSource;
  readonly faults: SettlementFaults;
  readonly journal: JournalBooks;
  readonly log: StepLog;
  readonly onError: (error: unknown) => void;
}

export class Owner {
  readonly #parts: OwnerParts;
  readonly #requests: WithdrawalRequest[] = [];
  /** How willingly each kind of approval is signed; some owners never sign some of them. */
  readonly #signs: Readonly<Record<'setup' | 'deposit' | 'withdrawal', number>>;
  #signatures = 0;

  constructor(parts: OwnerParts) {
    this.#parts = parts;
    const { random } = parts;
    const willing = (never: number) => (random.chance(never) ? 0 : 0.3 + 0.7 * random.fraction());
    this.#signs = { setup: willing(0.05), deposit: willing(0.1), withdrawal: willing(0.15) };
  }

  get name(): string {
    return this.#parts.name;
  }

  account({ owners }: VenueLife): AccountOrdinal | undefined {
    return owners.accountOfIdentity(sha256(this.name));
  }

  /** Does what is due, or nothing. With `isDiligent` everything is signed that is due. */
  act(life: VenueLife, isDiligent = false): void {
    const { faults, onError } = this.#parts;
    const times = faults.strikes('owner_repeats') ? 2 : 1;
    for (let count = 0; count < times; count += 1) void this.#act(life, isDiligent).catch(onError);
  }

  async #act(life: VenueLife, isDiligent: boolean): Promise<void> {
    const account = this.account(life);
    if (account === undefined) return this.#register(life);
    const { random } = this.#parts;
    const { party } = life.owners.owner(account)!;
    if (party.status !== 'active') return this.#setUp(life, account, isDiligent);
    const choice = isDiligent ? random.between(0, 2) : random.weighted([2, 4, 4]);
    if (choice === 0) return this.#setUp(life, account, isDiligent);
    return choice === 1 ? this.#deposit(life, account, isDiligent) : this.#withdraw(life, account, isDiligent);
  }

  #register(life: VenueLife): Promise<void> {
    return this.#submit(life, {
      type: 'RegisterOwner',
      identityDigest: sha256(this.name),
      provider: 'local',
      label: this.name,
      referralCode: '',
      digestSeed: 7,
      passkey: {
        credentialId: `credential-of-${this.name}`,
        kind: 'passkey',
        publicKey: 'a2V5',
        signatureCount: 0,
        name: this.name,
        relyingPartyId: 'localhost',
        origin: 'http://localhost',
      },
    });
  }

  async #setUp(life: VenueLife, account: AccountOrdinal, isDiligent: boolean): Promise<void> {
    const { party, consent, walletId } = life.owners.owner(account)!;
    const ledgerKey = this.#newKey(party);
    switch (party.status) {
      case 'absent':
        await this.#submit(life, { type: 'StartParty', account, ledgerKey });
        break;
      case 'allocating':
        break;
      case 'allocated':
        if (await this.#signed(life, account, 'setup', isDiligent)) await this.#submit(life, { type: 'ActivateParty', account });
        return;
      case 'active': {
        const isDue = consent.state === 'absent' || consent.state === 'revoked';
        if (walletId === '') await this.#submit(life, { type: 'CreateSigningWallet', account, walletId: `wallet-${ledgerKey}` });
        else if (isDue && (await this.#signed(life, account, 'setup', isDiligent)))
          await this.#submit(life, { type: 'SubmitPartyConsent', account, ledgerKey, replacesConsentId: consent.consentId });
      }
    }
    void life.coordinator.partySettled(account);
  }

  async #deposit(life: VenueLife, account: AccountOrdinal, isDiligent: boolean): Promise<void> {
    const [intent] = life.owners.fundingIntents(account);
    if (intent === undefined) {
      const amountAtoms = quoteAtoms(this.#parts.random.between(1, 1_000));
      return this.#submit(life, { type: 'GrantFaucet', account, amountAtoms });
    }
    const isHesitant = !isDiligent && this.#parts.random.chance(0.7);
    if (intent.deposit === undefined && isHesitant) return;
    if (intent.deposit === undefined) {
      const ledgerKey = this.#newKey(life.owners.owner(account)!.party);
      return this.#submit(life, { type: 'BindDeposit', account, intent: intent.intent, ledgerKey });
    }
    const it = life.owners.deposit(intent.deposit)!;
    if (it.confirmed || !mayMove(life, 'deposits')) return;
    const isSigned = isDue(it) && (await this.#signed(life, account, 'deposit', isDiligent));
    if (isSigned) await this.#submitDepositStep(life, it);
    void life.coordinator.depositSettled(it.deposit);
  }

  async #submitDepositStep(life: VenueLife, { deposit, step, attempt }: DepositView): Promise<void> {
    this.#parts.journal.approve({ kind: 'deposit', ordinal: deposit }, step!, attempt);
    await this.#submit(life, { type: 'SubmitDepositStep', deposit, step: step!, attempt, offerExpiresAtEpochMs: NO_OFFER });
  }

  async #withdraw(life: VenueLife, account: AccountOrdinal, isDiligent: boolean): Promise<void> {
    const { random } = this.#parts;
    const open = life.owners.openWithdrawals().filter((it) => it.account === account);
    if (open.length === 0 || (!isDiligent && random.chance(0.2))) {
      if (!isDiligent) await this.#requestWithdrawal(life, account);
      return;
    }
    const it = random.pick(open);
    if (!mayMove(life, 'withdrawals')) return;
    const { withdrawal } = it;
    if (it.status === 'reserved') {
      if (!(await this.#signed(life, account, 'withdrawal', isDiligent))) return;
      this.#parts.journal.approve({ kind: 'withdrawal', ordinal: withdrawal }, 'authorization', 1);
      return this.#submit(life, { type: 'AuthorizeWithdrawal', account, withdrawal });
    }
    const isAuthorized = it.status === 'authorized' || it.status === 'submitted';
    const isSigned = isAuthorized && isDue(it) && (await this.#signed(life, account, 'withdrawal', isDiligent));
    if (isSigned) await this.#submitWithdrawalStep(life, it);
    void life.coordinator.withdrawalSettled(withdrawal);
  }

  async #submitWithdrawalStep(life: VenueLife, { withdrawal, step, attempt }: WithdrawalView): Promise<void> {
    this.#parts.journal.approve({ kind: 'withdrawal', ordinal: withdrawal }, step, attempt);
    await this.#submit(life, { type: 'SubmitWithdrawalStep', withdrawal, step, attempt, offerExpiresAtEpochMs: NO_OFFER });
  }

  /** Repeats an earlier request until it has a response. */
  async #requestWithdrawal(life: VenueLife, account: AccountOrdinal): Promise<void> {
    const { random, journal } = this.#parts;
    const nowMs = life.nowEpochMs;
    let request = this.#requests.find((it) => !it.isAnswered && nowMs - it.requestedAtMs < MAX_REPEAT_MS);
    if (request === undefined) {
      const cash = journal.cash.cashOf(account);
      if (cash === 0 || this.#requests.length === MAX_REQUESTS) return;
      const amount = random.chance(0.4) ? cash : random.between(1, cash);
      request = { key: `${this.name}-request-${this.#requests.length}`, amount, requestedAtMs: nowMs, isAnswered: false };
      this.#requests.push(request);
    }
    const { key, amount } = request;
    const { party } = life.owners.owner(account)!;
    const outcome = await this.#respond(life, {
      command: {
        type: 'RequestWithdrawal',
        account,
        amountAtoms: quoteAtoms(amount),
        destination: party.partyId,
        ledgerKey: this.#newKey(party),
        idempotencyKey: key,
      },
      idempotency: { keyDigest: digest(key), bodyDigest: digest(`${key} ${amount}`) },
    });
    if (outcome !== undefined && outcome.isUnrecorded !== true) request.isAnswered = true;
  }

  /** Whether the owner signs. The use of the passkey is stored before the command runs, as for a passkey that counts. */
  async #signed(life: VenueLife, account: AccountOrdinal, what: 'setup' | 'deposit' | 'withdrawal', isDiligent: boolean) {
    if (!isDiligent && !this.#parts.random.chance(this.#signs[what])) return false;
    this.#signatures += 1;
    const credentialId = `credential-of-${this.name}`;
    const command: Command = { type: 'RecordPasskeyUse', account, credentialId, signatureCount: this.#signatures };
    const outcome = await this.#respond(life, { command });
    return outcome?.events[0]?.type === 'PasskeyUsed';
  }

  async #submit(life: VenueLife, command: Command): Promise<void> {
    await this.#respond(life, { command });
  }

  async #respond(life: VenueLife, submission: Submission): Promise<Outcome | undefined> {
    try {
      const outcome = await life.submit(submission);
      const [event] = outcome.events;
      const result = event?.type === 'CommandRefused' ? `refused: ${event.code}` : 'done';
      this.#parts.log.note(`${this.name} ${submission.command.type}: ${result}`);
      return outcome;
    } catch (error) {
      if (error instanceof VenueHalted || error instanceof WriterBusy) return undefined;
      throw error;
    }
  }

  /** Some are as those of earlier versions. */
  #newKey({ ledgerKey }: Party): string {
    const { random } = this.#parts;
    const unique = `${this.name} ${random.fraction()}`;
    return random.chance(0.3) ? digest(unique).toString('hex').slice(0, 32) : ledgerKeyOf(unique, ledgerKey);
  }
}

function isDue({ step, isSubmitted }: { readonly step: string | null; readonly isSubmitted: boolean }): boolean {
  return !isSubmitted && step !== null && OWNER_STEPS.has(step);
}

/** What the edge demands of a request that moves money. */
function mayMove(life: VenueLife, capability: 'deposits' | 'withdrawals'): boolean {
  return life.isOpen && life.isOn(capability) && life.isOn('transfers');
}

function sha256(text: string): string {
  return digest(text).toString('hex');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
