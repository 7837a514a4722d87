/** Generated assertions, good and mutated: the venue accepts exactly those that an independent naive verifier accepts. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifyAssertion } from './assertion.ts';
import { generatedAssertions } from './testing/generated-assertions.ts';
import { CHALLENGE, RELYING_PARTY } from './testing/generated-site.ts';
import { naivelyAccepts } from './testing/naive-assertion.ts';

const RUNS = Number(process.env.OPENPERP_CEREMONIES ?? 1_000);

test(`agrees with a naive verifier about ${RUNS} generated assertions`, async () => {
  const seen = { accepted: 0, rejected: new Map<string, number>() };
  await fc.assert(
    fc.asyncProperty(await generatedAssertions(), async ({ approval, passkey, holder }) => {
      const result = await verifyAssertion({ approval, challenge: CHALLENGE, relyingParty: RELYING_PARTY, passkey });
      const { credentialId, publicKey } = holder;
      const { origins, id: rpId } = RELYING_PARTY;
      const storedCount = passkey.signatureCount;
      const expected = { credentialId, publicKey, challenge: CHALLENGE, origins, rpId, storedCount };
      expect('signatureCount' in result, JSON.stringify(result)).toBe(naivelyAccepts(approval, expected));
      if ('rejection' in result) seen.rejected.set(result.rejection, (seen.rejected.get(result.rejection) ?? 0) + 1);
      else seen.accepted += 1;
    }),
    { numRuns: RUNS },
  );
  // Neither verifier rejects everything, and each part of a ceremony was wrong at some time.
  expect(seen.accepted).toBeGreaterThan(RUNS / 10);
  expect(seen.rejected.size).toBeGreaterThanOrEqual(9);
});
