/** A panel for something that takes several steps. It polls while the venue works, and offers a signature when one is due. */
import type { Signer } from '../ceremonies/signer.ts';
import { type Due, isOwnersTurn } from '../flows/due.ts';
import { pollUntilSettled } from '../flows/polling.ts';
import type { Approval } from '../venue/resources.ts';
import { hasCode, isPassing } from '../venue/venue-error.ts';
import { type PageServices, Panel } from './panel.ts';

/** The venue answers a used or expired challenge with a fresh one. */
const NOT_TAKEN = 'The venue did not take the signature: it may have been too late. Nothing moved. Sign again.';

export abstract class FlowPanel extends Panel {
  due: Due | undefined;
  /** The last step that the owner signed or is to sign. */
  step: string | undefined;
  protected readonly signer: Signer;
  /** The element that gets the focus when it is the owner's turn, or nothing is due. */
  readonly focusId: string;

  constructor(page: PageServices, signer: Signer, focusId: string) {
    super(page);
    this.signer = signer;
    this.focusId = focusId;
  }

  protected abstract poll(): Promise<Due>;
  protected abstract complete(step: string, approval: Approval): Promise<unknown>;
  /** Called once nothing is due. */
  protected abstract settled(): Promise<void>;

  /** The signature that is due, by the owner's passkey. */
  approve(): Promise<void> {
    const { due } = this;
    if (!isOwnersTurn(due)) return Promise.resolve();
    return this.run('Waiting for your passkey…', async () => {
      // A prompt that is closed leaves the challenge valid.
      const approval = await this.signer.byPasskey(due.challenge);
      this.progress('The venue verifies your signature.');
      const failure = await this.complete(due.step, approval).then(
        () => undefined,
        (error: unknown) => error,
      );
      // A challenge is used up even if the approval failed; a lost response may hide a success.
      await this.follow();
      if (failure !== undefined && (!isPassing(failure) || hasCode(failure, 'rate_limited'))) throw failure;
      if (failure === undefined && isOwnersTurn(this.due) && this.due.step === due.step) this.failure = NOT_TAKEN;
    });
  }

  /** Polls until it is the owner's turn or nothing is due. */
  protected async follow(): Promise<void> {
    const { wait, signal } = this.page;
    await pollUntilSettled({ poll: () => this.poll(), onDue: (due) => this.#show(due), wait, signal });
    if (this.due?.by === 'none') await this.settled();
  }

  #show(due: Due): void {
    this.due = due;
    if (due.by === 'owner') this.step = due.step;
    if (due.by === 'venue') this.progress(due.waitsFor);
    else {
      this.page.announce(due.by === 'owner' ? 'Your signature is due.' : due.message);
      this.page.moveFocus(this.focusId);
      this.page.changed();
    }
  }
}
