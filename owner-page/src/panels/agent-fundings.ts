/** Money of one agent account: the owner checks a movement before it is created, then approves it with a passkey. */
import type { Signer } from '../ceremonies/signer.ts';
import { dueOfFunding } from '../flows/agent-funding.ts';
import type { Due } from '../flows/due.ts';
import { atomsOfInput, decimalOf, shownAmount } from '../money.ts';
import type { AgentMoneyOperations, FundingRequest } from '../venue/agent-money-operations.ts';
import type { AgentAccount, AgentFunding, FundingDirection } from '../venue/agent-resources.ts';
import type { Approval } from '../venue/resources.ts';
import { isPassing, VenueError } from '../venue/venue-error.ts';
import { FlowPanel } from './flow-panel.ts';
import type { PageServices } from './panel.ts';
import { RequestKey } from './request-key.ts';

/** Refusals of the signature or the session, not of the movement. */
const SIGNATURE_REFUSALS = ['signature_rejected', 'passkey_required', 'passkey_not_found', 'no_usable_passkey'];

export class AgentFundingsPanel extends FlowPanel {
  readonly #operations: AgentMoneyOperations;
  readonly #key = new RequestKey();
  /** The agent account whose money is shown. */
  account: AgentAccount | undefined;
  /** Newest first. */
  fundings: readonly AgentFunding[] = [];
  #cursor: string | null = null;
  /** The time of the venue when it listed them. */
  #asOfEpochMs = 0;
  direction: FundingDirection = 'owner_to_agent';
  /** What the owner checks before it is sent. */
  review: FundingRequest | undefined;
  inputFailure: string | undefined;
  /** The one that is shown. */
  funding: AgentFunding | undefined;
  /** Called when the balances may have changed. */
  onMoved: () => void = () => {};

  constructor(page: PageServices, signer: Signer, operations: AgentMoneyOperations) {
    super(page, signer, 'agent-funding-due');
    this.#operations = operations;
  }

  get hasMore(): boolean {
    return this.#cursor !== null;
  }

  open(account: AgentAccount): Promise<void> {
    if (this.isBusy) return Promise.resolve();
    this.account = account;
    this.fundings = [];
    this.direction = account.status === 'identity_ready' ? 'owner_to_agent' : 'agent_to_owner';
    this.review = undefined;
    this.inputFailure = undefined;
    this.#show(undefined);
    this.page.moveFocus('agent-funding-title');
    return this.load();
  }

  /** No longer shows one that has ended. */
  clearEnded(): void {
    if (this.due?.by === 'none') this.#show(undefined);
  }

  close(): void {
    this.account = undefined;
    this.page.moveFocus('agent-accounts');
    this.page.changed();
  }

  load(): Promise<void> {
    if (this.account === undefined) return Promise.resolve();
    return this.read('Reading its fundings…', () => this.#reread());
  }

  showMore(): Promise<void> {
    return this.run('Reading older fundings…', async () => {
      const page = await this.#operations.fundings(this.account!.agentAccountId, this.#cursor);
      this.fundings = [...this.fundings, ...page.fundings];
      this.#cursor = page.nextCursor;
    });
  }

  choose(direction: FundingDirection): void {
    this.direction = direction;
    this.inputFailure = undefined;
    this.page.changed();
  }

  /** Checks the amount and shows the request for review. */
  prepare(typed: string, availableAtoms: string): void {
    const atoms = atomsOfInput(typed);
    this.failure = undefined;
    this.inputFailure = checkAmount(atoms, availableAtoms);
    if (atoms !== undefined && this.inputFailure === undefined)
      this.review = { direction: this.direction, amount: decimalOf(atoms) };
    this.page.moveFocus(this.review === undefined ? 'agent-amount' : 'agent-funding-review');
    this.page.changed();
  }

  cancelReview(): void {
    this.review = undefined;
    this.page.moveFocus('agent-amount');
    this.page.changed();
  }

  create(): Promise<void> {
    const { review, account } = this;
    if (review === undefined || account === undefined) return Promise.resolve();
    return this.run('Preparing the movement…', async () => {
      const { agentAccountId } = account;
      const content = { agentAccountId, ...review };
      try {
        const created = await this.#key.send(content, (key) => this.#operations.createFunding(agentAccountId, review, key));
        this.#show(created);
        this.fundings = [created, ...this.fundings];
      } catch (error) {
        if (!isPassing(error)) this.review = undefined;
        throw error;
      }
      this.review = undefined;
      await this.follow();
    });
  }

  /** Continues one from the list. */
  resume(funding: AgentFunding): Promise<void> {
    return this.run('Reading the movement…', async () => {
      this.#show(funding);
      await this.follow();
    });
  }

  /** Whether the owner can still bring it to its end. */
  isOpen({ status, expiresAtEpochMs }: AgentFunding): boolean {
    return status === 'submitted' || (status === 'prepared' && expiresAtEpochMs > this.#asOfEpochMs);
  }

  protected async poll(): Promise<Due> {
    const { transferId, direction } = this.funding!;
    try {
      const signing = await this.#operations.confirmFunding(this.account!.agentAccountId, transferId);
      if (signing.status === 'submitted') this.step = 'movement';
      return dueOfFunding(signing, direction);
    } catch (error) {
      // The venue says why it does not move, and what to do.
      if (!(error instanceof VenueError) || error.isRetryable) throw error;
      return { by: 'none', result: 'stopped', message: error.message };
    }
  }

  protected async complete(_: string, approval: Approval): Promise<void> {
    try {
      await this.#operations.confirmFunding(this.account!.agentAccountId, this.funding!.transferId, approval);
    } catch (error) {
      // Any other refusal is about the movement: the next poll says why it does not move.
      if (!(error instanceof VenueError) || error.isRetryable || SIGNATURE_REFUSALS.includes(error.code)) throw error;
    }
  }

  protected async settled(): Promise<void> {
    this.onMoved();
    await this.#reread();
  }

  #show(funding: AgentFunding | undefined): void {
    this.funding = funding;
    this.due = undefined;
    this.step = undefined;
    this.failure = undefined;
  }

  async #reread(): Promise<void> {
    const page = await this.#operations.fundings(this.account!.agentAccountId, null);
    this.fundings = page.fundings;
    this.#cursor = page.nextCursor;
    this.#asOfEpochMs = page.freshness.asOfEpochMs;
  }
}

function checkAmount(atoms: bigint | undefined, availableAtoms: string): string | undefined {
  if (atoms === undefined) return 'Enter an amount such as 12.5, with at most 6 decimals.';
  if (atoms > BigInt(availableAtoms)) return `At most ${shownAmount(availableAtoms)} can be moved now.`;
  return undefined;
}
