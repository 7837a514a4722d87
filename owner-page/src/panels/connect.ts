/** Approves or denies a program's request for an API key, by its user code. The owner sees first what the key may do. */
import { type Authenticator, approveByPasskey } from '../ceremonies/passkey.ts';
import { userCodeOf } from '../flows/device-code.ts';
import type { OwnerOperations } from '../venue/owner-operations.ts';
import type { DeviceGrant } from '../venue/resources.ts';
import { VenueError } from '../venue/venue-error.ts';
import { type PageServices, Panel } from './panel.ts';

const CODE_FAILURES: Readonly<Record<string, string>> = {
  user_code_not_found: 'No program waits with this code. Compare it with what the program shows, or start the program again.',
  expired_token: 'This code has expired. Start the program again: it shows a new one.',
  device_grant_decided: 'This code was answered before. If the program has no key, start it again.',
};

/** What is wrong with the code; `undefined` for any other failure. */
function codeFailure(error: unknown): string | undefined {
  return error instanceof VenueError ? CODE_FAILURES[error.code] : undefined;
}

export class ConnectPanel extends Panel {
  readonly #operations: OwnerOperations;
  readonly #authenticator: Authenticator;
  /** As typed, or from the link. */
  typed = '';
  inputFailure: string | undefined;
  /** The request that is shown, with its code. */
  request: { readonly userCode: string; readonly grant: DeviceGrant } | undefined;
  /** Called when a key may have been made. */
  onApproved: () => void = () => {};

  constructor(page: PageServices, operations: OwnerOperations, authenticator: Authenticator) {
    super(page);
    this.#operations = operations;
    this.#authenticator = authenticator;
  }

  /** A link only fills the code in and shows the request: the owner decides. */
  open(userCode: string): Promise<void> {
    this.typed = userCode;
    return this.describe();
  }

  describe(): Promise<void> {
    const userCode = userCodeOf(this.typed);
    this.inputFailure = userCode === undefined ? 'Enter the code that the program shows, such as WDJB-MJHT.' : undefined;
    this.request = undefined;
    if (userCode === undefined) {
      this.page.moveFocus('user-code');
      this.page.changed();
      return Promise.resolve();
    }
    return this.run('Looking up the code…', async () => {
      try {
        this.request = { userCode, grant: await this.#operations.decideDevice(userCode, 'describe') };
        this.page.moveFocus('device-request');
      } catch (error) {
        this.inputFailure = codeFailure(error);
        if (this.inputFailure === undefined) throw error;
        this.page.moveFocus('user-code');
      }
    });
  }

  decide(decision: 'approve' | 'deny'): Promise<void> {
    const { request } = this;
    if (request === undefined) return Promise.resolve();
    return this.run(decision === 'approve' ? 'Approving the program…' : 'Denying the request…', async () => {
      const grant = await (decision === 'approve'
        ? this.#approve(request.userCode)
        : this.#operations.decideDevice(request.userCode, 'deny'));
      this.request = { ...request, grant };
      this.typed = '';
      this.page.moveFocus('device-request');
      if (grant.status === 'approved') this.onApproved();
    });
  }

  async #approve(userCode: string): Promise<DeviceGrant> {
    const due = await this.#operations.decideDevice(userCode, 'approve');
    if (due.challenge === null) return due;
    this.progress('Waiting for your passkey: it approves exactly this request.');
    const approval = await approveByPasskey(this.#authenticator, due.challenge);
    return this.#operations.decideDevice(userCode, 'approve', approval);
  }

  cancel(): void {
    this.request = undefined;
    this.page.moveFocus('user-code');
    this.page.changed();
  }
}
