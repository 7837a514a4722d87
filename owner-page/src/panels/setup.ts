/** Sets an account up: party, signing wallet and consent. A setup key signs them all after one passkey prompt, if it can be made. */

import { createSetupKey, proveSetupKey } from '../ceremonies/setup-key.ts';
import type { Signer } from '../ceremonies/signer.ts';
import { type Due, isOwnersTurn } from '../flows/due.ts';
import { dueOfConsent, dueOfSetupStep, SETUP_STEPS, type SetupDue, type SetupStep, SIGNED_BY_SETUP_KEY } from '../flows/setup.ts';
import type { OwnerOperations } from '../venue/owner-operations.ts';
import type { Approval, PartyBinding } from '../venue/resources.ts';
import { isPassing, VenueError } from '../venue/venue-error.ts';
import { FlowPanel } from './flow-panel.ts';
import type { PageServices } from './panel.ts';

export class SetupPanel extends FlowPanel {
  readonly #operations: OwnerOperations;
  /** Steps of which nothing is due any more. */
  readonly #ended = new Set<SetupStep>();
  binding: PartyBinding | undefined;
  /** The step that is due; `undefined` before the owner starts. */
  current: SetupStep | undefined;
  /** Called when the account has been set up. */
  onComplete: () => void = () => {};

  constructor(page: PageServices, signer: Signer, operations: OwnerOperations) {
    super(page, signer, 'setup-due');
    this.#operations = operations;
  }

  /** Operators' accounts need no set-up. */
  get isComplete(): boolean {
    return this.binding?.setup === 'complete' || this.binding?.source === 'operator';
  }

  load(): Promise<void> {
    return this.read('Reading how far your account is set up…', async () => {
      this.binding = await this.#operations.party();
    });
  }

  start(): Promise<void> {
    return this.run('Preparing the set-up…', async () => {
      if ((await this.signer.setupKey()) === undefined) await this.#makeSetupKey();
      await this.follow();
    });
  }

  /** One prompt. If the venue refuses a setup key, the passkey signs each step. */
  async #makeSetupKey(): Promise<void> {
    const key = await createSetupKey();
    if (!(await this.signer.keepSetupKey(key))) return;
    try {
      const { creation } = await this.#operations.initiateSetupKey();
      const proof = await proveSetupKey(key, creation!);
      const { challenge } = await this.#operations.approveSetupKey(proof);
      this.progress('Waiting for your passkey: it approves the set-up.');
      const approval = await this.signer.byPasskey(challenge!);
      await this.#operations.completeSetupKey(proof, approval);
    } catch (error) {
      // The key is kept if it may have been registered.
      if (!isPassing(error)) await this.signer.forgetSetupKey();
      if (!(error instanceof VenueError) || error.status !== 409) throw error;
    }
  }

  protected async poll(): Promise<Due> {
    for (const { step } of SETUP_STEPS) {
      if (this.#ended.has(step)) continue;
      const due = await this.#dueOf(step);
      this.current = step;
      if (due.by === 'next_step') {
        this.#ended.add(step);
        continue;
      }
      return isOwnersTurn(due) ? this.#signedOrDue(due) : due;
    }
    throw new Error('the consent is the last step');
  }

  async #dueOf(step: SetupStep): Promise<SetupDue> {
    if (step === 'consent') return dueOfConsent(await this.#operations.consent());
    if (step === 'wallet') return dueOfSetupStep(step, await this.#operations.signingWallet());
    return dueOfSetupStep(step, await this.#operations.onboardParty());
  }

  async #signedOrDue(due: Due & { readonly by: 'owner' }): Promise<Due> {
    const isForKey = SIGNED_BY_SETUP_KEY.includes(due.step);
    const approval = isForKey ? await this.signer.bySetupKey(due.challenge) : undefined;
    if (approval !== undefined) {
      await this.complete(due.step, approval);
      return { by: 'venue', waitsFor: 'Your setup key has signed. The next step follows.' };
    }
    // Another browser has the setup key. The account is set up all the same.
    if (due.step === 'retire_key') return dueOfConsent({ consentState: 'present', challenge: null, failure: null }) as Due;
    return due;
  }

  protected complete(step: string, approval: Approval): Promise<unknown> {
    if (step === 'party') return this.#operations.completeParty(approval);
    if (step === 'wallet') return this.#operations.signingWallet(approval);
    return this.#operations.consent(approval);
  }

  protected async settled(): Promise<void> {
    this.binding = await this.#operations.party();
    if (!this.isComplete) return;
    await this.signer.forgetSetupKey();
    this.page.moveFocus(this.focusId);
    this.onComplete();
  }
}
