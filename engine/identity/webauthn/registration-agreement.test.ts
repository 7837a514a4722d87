/** Generated registrations, good and mutated: the venue accepts exactly those that an independent naive verifier accepts. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifyRegistration } from './registration.ts';
import { generatedRegistrations } from './testing/generated-registrations.ts';
import { CHALLENGE, RELYING_PARTY } from './testing/generated-site.ts';
import { naivelyRegistered } from './testing/naive-registration.ts';

const RUNS = Number(process.env.OPENPERP_CEREMONIES ?? 1_000);

test(`agrees with a naive verifier about ${RUNS} generated registrations`, async () => {
  let accepted = 0;
  const reasons = new Set<string>();
  await fc.assert(
    fc.asyncProperty(generatedRegistrations(), async (registration) => {
      const result = await verifyRegistration({ registration, challenge: CHALLENGE, relyingParty: RELYING_PARTY });
      const { origins, id: rpId } = RELYING_PARTY;
      const naive = naivelyRegistered(registration, { challenge: CHALLENGE, origins, rpId });
      const own = 'passkey' in result ? { id: result.passkey.credentialId, counter: result.passkey.signatureCount } : null;
      expect(own, JSON.stringify(result)).toEqual(naive);
      if ('rejection' in result) reasons.add(result.rejection);
      else accepted += 1;
    }),
    { numRuns: RUNS },
  );
  // Neither verifier rejects everything, and each part of a ceremony was wrong at some time.
  expect(accepted).toBeGreaterThan(RUNS / 10);
  expect(reasons.size).toBeGreaterThanOrEqual(8);
});
