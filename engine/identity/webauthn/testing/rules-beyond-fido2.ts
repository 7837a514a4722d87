/**
 * The rules that the venue has and python3-fido2 0.9 has not, as a closed list. An accepted ceremony that breaks none of them must be
 * accepted by the venue, and one that breaks any must be rejected. The rules share no code with the venue's verifier.
 */
import type { AcceptedFacts } from './second-verifier.ts';

export interface SentCeremony {
  /** In base64url. */
  readonly fields: Readonly<Record<string, string>>;
  readonly challenge: string;
  /** Of the passkey's last use; `undefined` for a registration. */
  readonly storedCount: number | undefined;
}

interface Rule {
  /** Why the library lacks it. */
  readonly reason: string;
  readonly isBroken: (sent: SentCeremony, facts: AcceptedFacts) => boolean;
}

/** By algorithm (RFC 9053, RFC 8230). */
const KEY_TYPES = new Map([
  [-7, 2],
  [-8, 1],
  [-257, 3],
]);

export const RULES_BEYOND_FIDO2 = {
  'the counter increases': {
    reason: 'the library stores no credential, so its caller compares the counter',
    isBroken: ({ storedCount }, { counter }) =>
      storedCount !== undefined && counter <= storedCount && (counter > 0 || storedCount > 0),
  },
  'no frame of another site': {
    reason: 'crossOrigin and topOrigin came after the library; its caller can read them',
    isBroken: (sent) => {
      const { crossOrigin, topOrigin } = clientData(sent);
      return (crossOrigin !== undefined && crossOrigin !== false) || topOrigin !== undefined;
    },
  },
  'nothing is backed up that cannot be': {
    reason: 'the two flags came with WebAuthn Level 3; the library ignores them',
    isBroken: (_, { flags }) => (flags & 0x18) === 0x10,
  },
  'one text for each value': {
    reason: 'the library skips foreign characters, and accepts padding and unused bits in base64url',
    isBroken: ({ fields }) => Object.values(fields).some((text) => Buffer.from(text, 'base64url').toString('base64url') !== text),
  },
  'the challenge as it was sent': {
    reason: 'the library compares the decoded bytes, so padding passes',
    isBroken: (sent) => clientData(sent).challenge !== sent.challenge,
  },
  'one encoding of an attestation object': {
    reason: 'the library reads contents that are shorter than their declared length',
    isBroken: (_, { isCanonical }) => isCanonical === false,
  },
  'the key type belongs to the algorithm': {
    reason: 'the library takes the key by its algorithm and never reads its type',
    isBroken: (_, { key }) => key !== undefined && KEY_TYPES.get(key.algorithm) !== key.type,
  },
  'an RSA exponent of at most four bytes': {
    reason: 'the library accepts what OpenSSL accepts',
    isBroken: (_, { key }) => key !== undefined && key.exponentBytes > 4,
  },
} satisfies Record<string, Rule>;

export type RuleName = keyof typeof RULES_BEYOND_FIDO2;

export function brokenRules(sent: SentCeremony, facts: AcceptedFacts): RuleName[] {
  const names = Object.keys(RULES_BEYOND_FIDO2) as RuleName[];
  return names.filter((name) => (RULES_BEYOND_FIDO2[name] as Rule).isBroken(sent, facts));
}

function clientData({ fields }: SentCeremony): Record<string, unknown> {
  return JSON.parse(Buffer.from(fields.clientData!, 'base64url').toString());
}
