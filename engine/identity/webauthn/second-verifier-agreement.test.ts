/**
 * Generated ceremonies, good and mutated: the venue accepts exactly those that Debian's python3-fido2 accepts, and that break none of
 * the rules which that library lacks. Each of those rules is necessary: the library alone accepts a ceremony that breaks it.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyAssertion } from './assertion.ts';
import type { Fido2Approval, Passkey } from './passkey.ts';
import { verifyRegistration } from './registration.ts';
import { generatedAssertions, passkeyOf } from './testing/generated-assertions.ts';
import { generatedRegistrations, type Registration } from './testing/generated-registrations.ts';
import { CHALLENGE, RELYING_PARTY, SITE } from './testing/generated-site.ts';
import { brokenRules, RULES_BEYOND_FIDO2, type RuleName } from './testing/rules-beyond-fido2.ts';
import { type AcceptedFacts, NO_SECOND_VERIFIER, SecondVerifier } from './testing/second-verifier.ts';
import { coseKey, SoftwareAuthenticator } from './testing/software-authenticator.ts';

/** Of both kinds together. */
const RUNS = Number(process.env.OPENPERP_CEREMONIES ?? 1_000);

describe.skipIf(NO_SECOND_VERIFIER !== undefined)('a second verifier', () => {
  let second: SecondVerifier;
  beforeAll(() => {
    second = new SecondVerifier();
  });
  afterAll(() => second?.end());

  /** The library's result, and the rules that it lacks and that the ceremony breaks. */
  interface Opinion {
    readonly facts: AcceptedFacts | undefined;
    readonly broken: readonly RuleName[];
    /** For the message of a failure. */
    readonly text: string;
  }

  async function opinionOf(
    ceremony: 'assertion' | 'registration',
    fields: Readonly<Record<string, string>>,
    { credentialId, publicKey, signatureCount: storedCount }: Partial<Passkey> = {},
  ): Promise<Opinion> {
    const site = { challenge: CHALLENGE, origins: RELYING_PARTY.origins, rpId: RELYING_PARTY.id };
    const verdict = await second.verify({ ceremony, ...site, ...fields, credentialId, publicKey });
    const facts = verdict.accepted;
    const broken = facts === undefined ? [] : brokenRules({ fields, challenge: CHALLENGE, storedCount }, facts);
    return { facts, broken, text: JSON.stringify({ verdict, broken }) };
  }

  async function judgeAssertion({ credentialAssertion: fields, kind }: Fido2Approval, passkey: Passkey) {
    const approval = { kind, credentialAssertion: fields };
    const own = await verifyAssertion({ approval, challenge: CHALLENGE, relyingParty: RELYING_PARTY, passkey });
    return { own, opinion: await opinionOf('assertion', fields, passkey) };
  }

  async function judgeRegistration(registration: Registration) {
    const own = await verifyRegistration({ registration, challenge: CHALLENGE, relyingParty: RELYING_PARTY });
    return { own, opinion: await opinionOf('registration', { ...registration }) };
  }

  test(`agrees about ${RUNS} generated ceremonies`, async () => {
    const [assertions, registrations] = [Math.ceil(RUNS / 2), Math.floor(RUNS / 2)];
    const count = { agreed: 0, accepted: 0, byRules: 0 };
    /** The library's result with the rules that it lacks, and ours. */
    const compare = (own: unknown, library: unknown, { broken, text }: Opinion) => {
      expect(own, text).toEqual(broken.length > 0 ? null : library);
      count.agreed += 1;
      if (own !== null) count.accepted += 1;
      if (broken.length > 0) count.byRules += 1;
    };
    await fc.assert(
      fc.asyncProperty(await generatedAssertions(), async ({ approval, passkey }) => {
        const { own, opinion } = await judgeAssertion(approval, passkey);
        const library = opinion.facts === undefined ? null : opinion.facts.counter;
        compare('signatureCount' in own ? own.signatureCount : null, library, opinion);
      }),
      { numRuns: assertions },
    );
    await fc.assert(
      fc.asyncProperty(generatedRegistrations(), async (registration) => {
        const { own, opinion } = await judgeRegistration(registration);
        const { facts } = opinion;
        const library = facts === undefined ? null : [facts.id, facts.counter, facts.key?.algorithm];
        const { passkey } = 'passkey' in own ? own : { passkey: undefined };
        compare(passkey ? [passkey.credentialId, passkey.signatureCount, passkey.algorithm] : null, library, opinion);
      }),
      { numRuns: registrations },
    );
    console.info(
      `The second verifier agrees about ${count.agreed} of ${RUNS} ceremonies (${count.accepted} accepted, ${count.byRules} rejected by rules that it lacks).`,
    );
    expect(count.agreed).toBe(RUNS);
    expect(count.accepted).toBeGreaterThan(RUNS / 10);
  });

  const key = new SoftwareAuthenticator();
  const rsa = new SoftwareAuthenticator('RS256');
  const asserted = async (changes: object, storedCount = 0) =>
    judgeAssertion(key.assert({ ...SITE, ...changes }), { ...(await passkeyOf(key)), signatureCount: storedCount });
  const registered = (registration: Registration) => judgeRegistration(registration);

  const BREAKING: Record<RuleName, () => Promise<{ readonly own: object; readonly opinion: Opinion }>> = {
    'the counter increases': () => asserted({ counter: 5 }, 5),
    'no frame of another site': () => asserted({ more: { crossOrigin: true } }),
    'nothing is backed up that cannot be': () => asserted({ flags: 0x15 }),
    'one text for each value': () => {
      const registration = key.register(SITE);
      return registered({ ...registration, clientData: `${registration.clientData}=` });
    },
    'the challenge as it was sent': () => asserted({ challenge: `${CHALLENGE}=` }),
    'one encoding of an attestation object': () => {
      const registration = key.register(SITE);
      const bytes = Buffer.from(registration.attestationObject, 'base64url');
      // The length of the authenticator data, which is the last content.
      bytes[bytes.indexOf('authData') + 'authData'.length + 1]! += 1;
      return registered({ ...registration, attestationObject: bytes.toString('base64url') });
    },
    'the key type belongs to the algorithm': () => {
      const cose = coseKey('ES256', key.publicKey).set(1, 3);
      return registered(key.register(SITE, { cose }));
    },
    'an RSA exponent of at most four bytes': () => {
      const cose = coseKey('RS256', rsa.publicKey).set(-2, Buffer.alloc(5, 1));
      return registered(rsa.register(SITE, { cose }));
    },
  };

  test.each(Object.keys(RULES_BEYOND_FIDO2) as RuleName[])('lacks the rule: %s', async (name) => {
    const { own, opinion } = await BREAKING[name]();
    expect(opinion.facts, opinion.text).toBeDefined();
    expect(opinion.broken).toEqual([name]);
    expect(own).toHaveProperty('rejection');
  });
});
