/** Approves or denies a program's request for an API key, by its user code. The owner sees first what the key may do. */
import { type Authenticator, approveByPasskey } from '../ceremonies/passkey.ts';
import { userCodeOf } from '../flows/device-code.ts';
import type { OwnerOperations } from '../venue/owner-operations.ts';
import type { DeviceGrant } from '../venue/resources.ts';
import { type PageServices, Panel } from './panel.ts';

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
    return this.run('Looks the code up.', async () => {
      this.request = { userCode, grant: await this.#operations.decideDevice(userCode, 'describe') };
      this.page.moveFocus('device-request');
    });
  }

  decide(decision: 'approve' | 'deny'): Promise<void> {
    const { request } = this;
    if (request === undefined) return Promise.resolve();
    return this.run(decision === 'approve' ? 'Approves the program.' : 'Denies the request.', async () => {
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
    this.progress('Waits for your passkey: it approves exactly this request.');
    const approval = await approveByPasskey(this.#authenticator, due.challenge);
    return this.#operations.decideDevice(userCode, 'approve', approval);
  }

  cancel(): void {
    this.request = undefined;
    this.page.moveFocus('user-code');
    this.page.changed();
  }
}
