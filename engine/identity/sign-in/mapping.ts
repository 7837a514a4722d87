/**
 * Links a signed-in owner again with the identity that registered the account. The mapping itself is durable and never changes: this
 * proves that the provider still vouches for the same identity. It adds no passkey.
 */
import { Refused } from '#contract/refused.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { renderAccountId } from '#units/ids.ts';
import type { Attempts } from './attempts.ts';
import type { IdentityProofs, RedirectedAttempt } from './identity-proofs.ts';
import type { Owners } from './owners.ts';
import type { LocalCredentials } from './providers.ts';

export interface MappingPorts {
  readonly attempts: Attempts;
  readonly proofs: IdentityProofs;
  readonly owners: Pick<Owners, 'accountOfIdentity'>;
}

/** All throw {@link Refused}; `mapping_forbidden` if another identity, or none, registered the account. */
export class MappingRecovery {
  readonly #ports: MappingPorts;

  constructor(ports: MappingPorts) {
    this.#ports = ports;
  }

  async initiate(request: {
    readonly account: AccountOrdinal;
    readonly provider: string;
    readonly local?: LocalCredentials | undefined;
  }): Promise<'linked' | RedirectedAttempt> {
    const { account } = request;
    const begun = await this.#ports.proofs.begin({ purpose: 'link', owner: renderAccountId(account), ...request });
    return 'attempt' in begun ? begun : this.#link(account, begun.identityDigest);
  }

  async complete(request: {
    readonly account: AccountOrdinal;
    readonly provider: string;
    readonly attempt: string;
    readonly callback: string;
  }): Promise<'linked'> {
    const identityDigest = await this.#ports.proofs.complete({ purpose: 'link', ...request });
    await this.#ports.attempts.end(request.attempt);
    return this.#link(request.account, identityDigest);
  }

  #link(account: AccountOrdinal, identityDigest: string): 'linked' {
    if (this.#ports.owners.accountOfIdentity(identityDigest) !== account) throw new Refused('mapping_forbidden');
    return 'linked';
  }
}
