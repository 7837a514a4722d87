/** The page: signed out, or signed in with a view. It holds the session only in memory. */
import { userCodeOfHash } from '../flows/device-code.ts';
import type { SavedAttempt } from '../panels/attempt-store.ts';
import { RegistrationPanel } from '../panels/registration.ts';
import { SignInPanel, type SignInParts } from '../panels/sign-in.ts';
import type { OwnerSession } from '../venue/resources.ts';
import { SignInOperations } from '../venue/sign-in-operations.ts';
import { Owner, type OwnerParts } from './owner.ts';
import { isOfAgents, subjectOfHash, type ViewId, viewOfHash } from './views.ts';

/** Environments whose faucet gives test funds. */
const FAUCET_ENVIRONMENTS = ['local', 'development'];
/** Environments that admit agents; the others have no views of them. */
const AGENT_ENVIRONMENTS = ['development', 'testnet'];
const ENDED = 'Your session has ended. Sign in again to continue.';
const NEVER = new AbortController().signal;

/** The address of the page: the parts that it reads and writes. */
export interface Address {
  readonly hash: string;
  /** Removes the query, so that a provider's answer is used once and not stored in the history. */
  readonly search: string;
  replace(hash: string): void;
}

export interface AppParts extends Omit<OwnerParts, 'hasFaucet' | 'hasAgents'>, Omit<SignInParts, 'operations' | 'onSignedIn'> {
  readonly address: Address;
}

export class App {
  readonly #parts: AppParts;
  readonly signIn: SignInPanel;
  readonly registration: RegistrationPanel;
  owner: Owner | undefined;
  view: ViewId = 'funds';
  notice: string | undefined;

  constructor(parts: AppParts) {
    this.#parts = parts;
    const operations = new SignInOperations(parts.client);
    const signInParts = { ...parts, operations, onSignedIn: (session: OwnerSession) => void this.#enter(session) };
    this.signIn = new SignInPanel({ ...parts.page, signal: NEVER }, signInParts);
    this.registration = new RegistrationPanel({ ...parts.page, signal: NEVER }, signInParts);
    parts.client.onSessionEnded = () => this.#leave(ENDED);
  }

  /** The code of a program that waits for approval, from the link that the owner followed. */
  get pendingUserCode(): string | undefined {
    return userCodeOfHash(this.#parts.address.hash);
  }

  async start(): Promise<void> {
    const { search, hash } = this.#parts.address;
    const attempt = this.#parts.attempts.find();
    const isReturn = /[?&]state=/.test(search);
    if (isReturn) this.#parts.address.replace(attempt?.hash ?? hash);
    await this.signIn.load();
    if (attempt !== undefined) await this.#resume(attempt, isReturn ? search.slice(1) : undefined);
  }

  #resume({ purpose, provider, attempt }: SavedAttempt, callback: string | undefined): Promise<void> {
    if (purpose === 'login' || callback === undefined) this.#parts.attempts.remove();
    if (callback === undefined) return purpose === 'login' ? Promise.resolve() : this.registration.recover(attempt);
    const panel = purpose === 'login' ? this.signIn : this.registration;
    return panel.finish(provider, attempt, callback);
  }

  async #enter(session: OwnerSession): Promise<void> {
    const { client, page, address } = this.#parts;
    client.signIn(session.accessToken);
    this.notice = undefined;
    const environment = this.signIn.capabilities?.environment ?? '';
    const hasFaucet = FAUCET_ENVIRONMENTS.includes(environment);
    const owner = new Owner(session, { ...this.#parts, hasFaucet, hasAgents: AGENT_ENVIRONMENTS.includes(environment) });
    owner.setup.onComplete = () => owner.open('funds', '');
    if (owner.agents !== undefined) {
      owner.agents.drafts.onDrafted = (draftId) => this.show('draft', draftId);
      owner.agents.deploy.onDeployed = (deploymentId) => this.show('deployment', deploymentId);
    }
    this.owner = owner;
    const { hash } = address;
    const linked = viewOfHash(hash);
    await owner.setup.load();
    if (this.owner !== owner) return;
    this.show(linked ?? (owner.setup.isComplete ? 'funds' : 'setup'), subjectOfHash(hash));
    page.announce('You are signed in.');
  }

  /** Follows the address: called when its hash changes. */
  navigate(): void {
    const { hash } = this.#parts.address;
    const view = viewOfHash(hash);
    if (view !== undefined && this.owner !== undefined) this.show(view, subjectOfHash(hash));
  }

  /** `subject`: the draft or deployment of the view. The address keeps it, unlike the code of a program. */
  show(linked: ViewId, subject = ''): void {
    const { owner } = this;
    if (owner === undefined) return;
    const userCode = this.pendingUserCode;
    const view = isOfAgents(linked) && owner.agents === undefined ? 'funds' : linked;
    const shown = view === 'draft' || view === 'deployment' ? `=${subject}` : '';
    this.view = view;
    this.#parts.address.replace(`#${view}${shown}`);
    this.#parts.page.moveFocus('view-title');
    owner.open(view, subject);
    if (view === 'connect' && userCode !== undefined) void owner.connect.open(userCode);
    this.#parts.page.changed();
  }

  /** Forgets the session at once, whether or not the venue responds: it expires within the hour. */
  signOut(): void {
    const ended = this.owner?.operations.endSession();
    this.#leave('You are signed out.');
    ended?.catch(() => this.#notify('You are signed out here. The venue did not confirm it: the session ends by itself.'));
  }

  /** All sessions of the account, in all browsers. */
  async signOutEverywhere(): Promise<void> {
    const ended = this.owner?.passkeys.endAllSessions() ?? Promise.resolve(false);
    if (await ended) this.#leave('You are signed out everywhere.');
  }

  #notify(notice: string): void {
    this.notice = notice;
    this.#parts.page.announce(notice);
    this.#parts.page.changed();
  }

  #leave(notice: string): void {
    if (this.owner === undefined) return;
    this.owner.end();
    this.owner = undefined;
    this.#parts.client.forget();
    this.#parts.page.moveFocus('view-title');
    this.#notify(notice);
  }
}
