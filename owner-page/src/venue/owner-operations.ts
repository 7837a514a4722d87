/** The operations of a signed-in owner's account that are not about money. */
import type { PasskeyRegistration } from '../ceremonies/passkey.ts';
import type { SetupKeyProof } from '../ceremonies/setup-key.ts';
import type { SentRequest, VenueClient } from './client.ts';
import type {
  ApiKey,
  Approval,
  ConsentState,
  DeviceGrant,
  PartyBinding,
  Passkey,
  PasskeyRemoval,
  PasskeyStep,
  SetupKeyStep,
  SetupStepState,
} from './resources.ts';

export class OwnerOperations {
  readonly #client: VenueClient;
  readonly #account: string;

  constructor(client: VenueClient, accountId: string) {
    this.#client = client;
    this.#account = `/v1/accounts/${accountId}`;
  }

  party(): Promise<PartyBinding> {
    return this.#send('GET', '/party');
  }

  /** Starts the party's allocation, or reads how far it is. */
  onboardParty(): Promise<SetupStepState> {
    return this.#send('POST', '/party');
  }

  completeParty(approval: Approval): Promise<SetupStepState> {
    return this.#send('POST', '/party/complete', approval);
  }

  signingWallet(approval?: Approval): Promise<SetupStepState> {
    return this.#send('POST', '/local-signing-wallet', approval === undefined ? {} : { approval });
  }

  consent(approval?: Approval): Promise<ConsentState> {
    return this.#send('POST', '/party/consent', approval === undefined ? {} : { approval });
  }

  initiateSetupKey(): Promise<SetupKeyStep> {
    return this.#send('POST', '/passkeys/setup-key', { action: 'initiate' });
  }

  approveSetupKey(proof: SetupKeyProof): Promise<SetupKeyStep> {
    return this.#send('POST', '/passkeys/setup-key', { action: 'approve', ...proof });
  }

  /** With the signature of a passkey. */
  completeSetupKey({ credential }: SetupKeyProof, approval: Approval): Promise<SetupKeyStep> {
    return this.#send('POST', '/passkeys/setup-key', { action: 'complete', credential, ...approval });
  }

  async passkeys(): Promise<readonly Passkey[]> {
    return (await this.#send<{ passkeys: readonly Passkey[] }>('GET', '/passkeys')).passkeys;
  }

  initiatePasskey(): Promise<PasskeyStep> {
    return this.#send('POST', '/passkeys', { action: 'initiate' });
  }

  approvePasskey(registration: PasskeyRegistration): Promise<PasskeyStep> {
    return this.#send('POST', '/passkeys', { action: 'approve', ...registration });
  }

  /** With the signature of a passkey that the account has. */
  completePasskey({ passkeyName, credential }: PasskeyRegistration, approval: Approval): Promise<PasskeyStep> {
    return this.#send('POST', '/passkeys', { action: 'complete', passkeyName, credential, ...approval });
  }

  /** Without an approval it returns the challenge that approves the removal. */
  removePasskey(passkeyId: string, approval?: Approval): Promise<PasskeyRemoval> {
    return this.#send('POST', `/passkeys/${encodeURIComponent(passkeyId)}/removal`, approval === undefined ? {} : { approval });
  }

  /** `approve` needs the approval of the challenge that it returns without one. */
  decideDevice(userCode: string, decision: 'describe' | 'approve' | 'deny', approval?: Approval): Promise<DeviceGrant> {
    const body = approval === undefined ? { userCode, decision } : { userCode, decision, approval };
    return this.#send('POST', '/agent-connect/approve', body);
  }

  async apiKeys(): Promise<readonly ApiKey[]> {
    return (await this.#send<{ apiKeys: readonly ApiKey[] }>('GET', '/api-keys')).apiKeys;
  }

  revokeApiKey(keyId: string): Promise<void> {
    return this.#send('DELETE', `/api-keys/${encodeURIComponent(keyId)}`);
  }

  endSession(): Promise<void> {
    return this.#client.send({ method: 'DELETE', path: '/v1/auth/session' });
  }

  endAllSessions(): Promise<void> {
    return this.#client.send({ method: 'DELETE', path: '/v1/auth/sessions' });
  }

  #send<Result>(method: SentRequest['method'], path: string, body?: unknown): Promise<Result> {
    return this.#client.send({ method, path: `${this.#account}${path}`, ...(body === undefined ? {} : { body }) });
  }
}
