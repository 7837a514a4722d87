/** An owner in a test, with a session that the passkey opened: the way through setup, deposits and withdrawals. */
import type { SigningChallenge } from '#contract/signing.ts';
import type { Ceremony } from '#identity/webauthn/testing/software-authenticator.ts';
import { eventually } from '#time/testing/eventually.ts';
import type { Bot, DrivenVenue, VenueResponse } from './driven-venue.ts';
import { approval } from './owner-requests.ts';
import type { SoftwareOwner } from './software-owner.ts';

type Venue = Pick<DrivenVenue, 'owner' | 'signIn' | 'call'>;
/** A response body, which `call` has checked against its declaration. */
type Body = VenueResponse['body'];

export class TestOwner {
  readonly venue: Venue;
  readonly owner: SoftwareOwner;
  /** With a session. */
  readonly bot: Bot;
  #keys = 0;

  private constructor(venue: Venue, owner: SoftwareOwner, bot: Bot) {
    this.venue = venue;
    this.owner = owner;
    this.bot = bot;
  }

  static async register(venue: Venue): Promise<TestOwner> {
    const registered = await venue.owner();
    return new TestOwner(venue, registered.owner, await venue.signIn(registered));
  }

  /** An owner that the test has set up by commands. */
  static async of(venue: Venue, bot: Bot): Promise<TestOwner> {
    return new TestOwner(venue, bot.owner!, await venue.signIn(bot));
  }

  /** On another life of the venue, with a new session. */
  async on(venue: Venue): Promise<TestOwner> {
    return new TestOwner(venue, this.owner, await venue.signIn(this.bot));
  }

  /** Once more, with the passkey. The result calls with the new session. */
  async signIn(): Promise<TestOwner> {
    const started = await this.venue.call('startPasskeyLogin', { body: {} });
    const { status, body } = await this.venue.call('completePasskeyLogin', { body: this.approval(started.body.challenge) });
    if (status !== 200) throw new Error(JSON.stringify(body));
    return new TestOwner(this.venue, this.owner, { ...this.bot, keyId: `session-${body.sessionId}`, key: body.accessToken });
  }

  get accountId(): string {
    return this.bot.accountId;
  }

  /** What the passkey sends for a challenge. */
  approval(challenge: SigningChallenge, ceremony: Partial<Ceremony> = {}) {
    return approval(challenge, this.owner, ceremony);
  }

  call(
    id: Parameters<Venue['call']>[0],
    request: Omit<Parameters<Venue['call']>[1] & object, 'bot'> = {},
  ): Promise<VenueResponse> {
    return this.venue.call(id, { bot: this.bot, ...request });
  }

  /** Of an operation under the account that must succeed. */
  async body(id: Parameters<Venue['call']>[0], body?: unknown): Promise<Body> {
    const response = await this.call(id, { params: { accountId: this.accountId }, ...(body === undefined ? {} : { body }) });
    if (response.status >= 300) throw new Error(`${id}: ${JSON.stringify(response.body)}`);
    return response.body;
  }

  /** Starts the onboarding, and returns the response with its challenge. */
  startParty(): Promise<Body> {
    return eventually(async () => {
      const started = await this.body('startParty');
      if (started.status === 'allocating') throw new Error('allocating');
      return started;
    });
  }

  /** Until the account can trade. */
  async activate(): Promise<string> {
    const { challenge } = await this.startParty();
    return (await this.body('completeParty', this.approval(challenge))).partyId;
  }

  async createWallet(): Promise<Body> {
    const { challenge } = await this.body('createSigningWallet', {});
    return this.body('createSigningWallet', { approval: this.approval(challenge) });
  }

  async consent(): Promise<Body> {
    const { challenge } = await this.body('consentParty', {});
    return this.body('consentParty', { approval: this.approval(challenge) });
  }

  /** Claims the faucet's grant and prepares a deposit from it. */
  async prepareDeposit(): Promise<Body> {
    const { fundingIntentId } = await this.body('claimFaucetGrant');
    return this.body('prepareDeposit', { fundingIntentId });
  }

  initiateDeposit(depositId: string): Promise<Body> {
    return this.body('confirmDeposit', { action: 'initiate', depositId });
  }

  /** Signs every step of the deposit, until the account is credited. */
  async confirmDeposit(depositId: string): Promise<Body> {
    for (;;) {
      const due = await eventually(async () => {
        const initiated = await this.initiateDeposit(depositId);
        if (!['approval_required', 'ledger_confirmed'].includes(initiated.status)) throw new Error(initiated.status);
        return initiated;
      });
      if (due.status === 'ledger_confirmed') return due;
      const { signingStep, challenge } = due;
      await this.body('confirmDeposit', { action: 'complete', depositId, signingStep, ...this.approval(challenge) });
    }
  }

  /** An account that can trade, with the faucet's money. */
  async fund(): Promise<void> {
    await this.activate();
    await this.confirmDeposit((await this.prepareDeposit()).depositId);
  }

  async partyId(): Promise<string> {
    return (await this.body('getParty')).partyId;
  }

  async requestWithdrawal(amount: string, idempotencyKey = this.key()): Promise<VenueResponse> {
    const body = { accountId: this.accountId, asset: 'USD.E', amount, destination: await this.partyId() };
    return this.call('requestWithdrawal', { idempotencyKey, body });
  }

  withdrawal(withdrawalId: string): Promise<VenueResponse> {
    return this.call('getWithdrawal', { params: { withdrawalId } });
  }

  authorize(withdrawalId: string): Promise<VenueResponse> {
    return this.call('authorizeWithdrawal', { params: { withdrawalId } });
  }

  confirmWithdrawal(withdrawalId: string, body: object): Promise<VenueResponse> {
    const request = { params: { withdrawalId }, body: { withdrawalId, ...body }, idempotencyKey: this.key() };
    return this.call('confirmWithdrawal', request);
  }

  /** Authorizes the withdrawal and signs every step, until the money has arrived. */
  async settleWithdrawal(withdrawalId: string): Promise<Body> {
    await eventually(async () => {
      const { status, body } = await this.authorize(withdrawalId);
      if (status !== 200) throw new Error(JSON.stringify(body));
    });
    for (;;) {
      const due = await eventually(async () => {
        const { body } = await this.confirmWithdrawal(withdrawalId, { action: 'initiate' });
        if (body.challenge === null && !body.withdrawal.settled) throw new Error(JSON.stringify(body));
        return body;
      });
      if (due.withdrawal.settled) return due;
      const { signingStep, challenge } = due;
      await this.confirmWithdrawal(withdrawalId, { action: 'complete', signingStep, ...this.approval(challenge) });
    }
  }

  /** An idempotency key that no session of the owner has used. */
  key(): string {
    this.#keys += 1;
    return `${this.bot.keyId}-${this.#keys}`;
  }
}
