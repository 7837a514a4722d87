/** An owner with every kind of credential that may, or may not, sign an approval. */

import { SITE, storedPasskey } from '#http/testing/software-owner.ts';
import { TestOwner } from '#http/testing/test-owner.ts';
import type { VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { SoftwareAuthenticator } from '#identity/webauthn/testing/software-authenticator.ts';
import { SoftwareSetupKey } from '#identity/webauthn/testing/software-setup-key.ts';

export const OTHER_SITE = { origin: 'https://testnet.example', rpId: 'testnet.example' } as const;

export interface ApprovingOwner {
  readonly venue: VenueUnderTest;
  /** With a session of its passkey, whose counter the venue has stored. */
  readonly owner: TestOwner;
  readonly setupKey: SoftwareSetupKey;
  /** A passkey that was removed from the account. */
  readonly removed: SoftwareAuthenticator;
  /** A passkey of the account that was made on {@link OTHER_SITE}. */
  readonly elsewhere: SoftwareAuthenticator;
}

/** The setup key is an active one of the account, unless the test is about its registration. */
export async function approvingOwner(venue: VenueUnderTest, { hasSetupKey = true } = {}): Promise<ApprovingOwner> {
  const owner = await TestOwner.register(venue);
  const setupKey = new SoftwareSetupKey();
  const [removed, elsewhere] = [new SoftwareAuthenticator(), new SoftwareAuthenticator()];
  const { account } = owner.bot;
  const add = (passkey: ReturnType<typeof storedPasskey>) =>
    venue.operate({ type: 'AddPasskey', account, passkey }, 'PasskeyAdded');
  await add(storedPasskey(removed));
  await add(storedPasskey(elsewhere, OTHER_SITE));
  const credentialId = removed.credentialId.toString('base64url');
  await venue.operate({ type: 'RemovePasskey', account, credentialId, relyingPartyId: SITE.rpId }, 'PasskeyRemoved');
  if (hasSetupKey) await addSetupKey(venue, owner, setupKey);
  // The first sign-in stores a counter of at least 1, and the second one of at least 2.
  await owner.signIn();
  return { venue, owner: await owner.signIn(), setupKey, removed, elsewhere };
}

async function addSetupKey(venue: VenueUnderTest, { bot }: TestOwner, { credentialId, publicKey }: SoftwareSetupKey) {
  const site = { relyingPartyId: SITE.rpId, origin: SITE.origin };
  const passkey = { credentialId, kind: 'setup_key', publicKey, signatureCount: 0, name: 'Setup key', ...site } as const;
  await venue.operate({ type: 'AddPasskey', account: bot.account, passkey }, 'PasskeyAdded');
}
