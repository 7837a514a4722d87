/**
 * The site that passkeys are bound to for good. Without `--public-origin` it is this machine, where the owners of testnet and mainnet
 * are not: registration and passkey login are closed then.
 */
import type { HttpPorts } from '#http/server/ports.ts';

export function hasPasskeySite({ environment, relyingParty }: Pick<HttpPorts, 'environment' | 'relyingParty'>): boolean {
  return environment === 'local' || environment === 'development' || relyingParty().id !== 'localhost';
}
