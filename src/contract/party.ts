/**
 * The setup of an owner: a party on the external ledger, a signing wallet, and the party's consent. Each needs one signature of the
 * owner, by a passkey or by the setup key.
 */
import * as z from 'zod';
import { accountId, accountParams, ours } from './fields.ts';
import type { Operation } from './operation.ts';
import { approvalFields, signingApproval, signingChallenge } from './signing.ts';

const challenge = signingChallenge.nullable().meta({ description: 'What the owner signs next; null if no signature is due.' });
const partyId = z.string().nullable().meta({ description: 'The party on the external ledger; null until it is allocated.' });

export const partyOnboarding = z
  .strictObject({
    version: z.literal('external-party-onboarding/v1'),
    accountId,
    status: z.enum(['allocating', 'approval_required', 'active']).meta({
      description:
        'allocating: the external ledger has not allocated the party yet; repeat the request. approval_required: the owner signs the ' +
        'challenge and sends it to POST /v1/accounts/{accountId}/party/complete. active: the account can trade.',
    }),
    partyId,
    challenge,
  })
  .meta({ id: 'PartyOnboarding', 'x-openperp-ours': true });
export type PartyOnboarding = z.infer<typeof partyOnboarding>;

export const signingWallet = z
  .strictObject({
    version: z.literal('local-signing/v2'),
    accountId,
    partyId: z.string(),
    status: z.enum(['approval_required', 'active']),
    walletId: z.string().nullable(),
    challenge,
  })
  .meta({ id: 'SigningWallet', 'x-openperp-ours': true });
export type SigningWallet = z.infer<typeof signingWallet>;

/** The consent (2.13). */
export const partyConsent = z
  .strictObject({
    version: ours(z.literal('external-party-consent/v1'), 'The version of the resource.'),
    accountId: ours(accountId, 'The account.'),
    consentState: z.enum(['absent', 'pending', 'present', 'revoked']).meta({
      description:
        'absent: there is no consent. pending: it was submitted; repeat the request, and the same consent is continued. present: the external ' +
        'ledger has it. revoked: it was revoked there, and only another signature replaces it.',
    }),
    challenge: signingChallenge.nullable().meta({
      description:
        'What the owner signs next. After the consent that ends the setup, the challenge that deactivates the setup key, if one is active. ' +
        'null if no signature is due.',
    }),
    failure: z
      .strictObject({
        step: z.enum(['package_check', 'consent_submission']),
        reason: z.enum(['approval_required', 'package_absent', 'consent_revoked', 'ledger_unavailable']),
      })
      .nullable()
      .meta({
        description:
          'Why the consent is not present yet. approval_required: the owner signs the challenge. package_absent: the external ledger lacks the ' +
          'package; trading does not need it, and the owner tries again later. ledger_unavailable: whether the ledger has the consent is not ' +
          'known yet. null if nothing is missing.',
      }),
  })
  .meta({ id: 'PartyConsent' });
export type PartyConsent = z.infer<typeof partyConsent>;

const optionalApproval = (id: string) =>
  z.strictObject({ approval: signingApproval.optional() }).meta({ id, 'x-openperp-ours': true });

/** What every operation of the setup can refuse. */
const SETUP_REFUSALS = [
  'account_forbidden',
  'account_retired',
  'account_legacy_excluded',
  'intake_paused',
  'capability_unavailable',
  'venue_busy',
  'venue_halted',
] as const;
const SIGNING_REFUSALS = [...SETUP_REFUSALS, 'signature_rejected', 'no_usable_passkey', 'party_state_conflict'] as const;

const setup = { group: 'Accounts', method: 'POST', access: 'session:passkey', limit: 'signing', params: accountParams } as const;

export const startParty = {
  ...setup,
  id: 'startParty',
  path: '/v1/accounts/{accountId}/party',
  summary: 'Start the party onboarding',
  description:
    'Allocates a party on the external ledger, and returns the challenge with which the owner takes it over. Repeating it continues the same ' +
    'onboarding, and returns a fresh challenge while one is due.',
  success: { status: 200, schema: partyOnboarding, description: 'How far the onboarding is.' },
  refusals: [...SETUP_REFUSALS, 'no_usable_passkey'],
  refusalDetails: ['agentRefusal'],
} as const satisfies Operation;

export const completeParty = {
  ...setup,
  id: 'completeParty',
  path: '/v1/accounts/{accountId}/party/complete',
  summary: 'Complete the party onboarding',
  description:
    'Takes the signature of the challenge, and activates the party: the account can trade. Another or an expired challenge activates nothing; ' +
    'the response then has a fresh one. Repeating it for an active party changes nothing.',
  startsLedgerStep: true,
  body: z.strictObject(approvalFields).meta({ id: 'PartyCompletion', 'x-openperp-ours': true }),
  success: { status: 200, schema: partyOnboarding, description: 'How far the onboarding is.' },
  refusals: SIGNING_REFUSALS,
  refusalDetails: ['agentRefusal'],
} as const satisfies Operation;

export const createSigningWallet = {
  ...setup,
  id: 'createSigningWallet',
  path: '/v1/accounts/{accountId}/local-signing-wallet',
  summary: 'Create the signing wallet',
  description:
    "The wallet in which the owner's passkeys sign deposits and withdrawals. Without an approval it returns the challenge; with one it creates " +
    'the wallet, once. Needs an active party.',
  body: optionalApproval('SigningWalletCreation'),
  success: { status: 200, schema: signingWallet, description: 'The wallet, or the challenge for it.' },
  refusals: SIGNING_REFUSALS,
  refusalDetails: ['agentRefusal'],
} as const satisfies Operation;

export const consentParty = {
  ...setup,
  id: 'consentParty',
  path: '/v1/accounts/{accountId}/party/consent',
  summary: 'Consent of the party',
  description:
    'Moves no money and needs one signature of the owner. Without an approval it returns the challenge; with one it submits the consent. ' +
    'Repeating it while the consent is pending continues the same one. A revoked consent is never created again without another signature. ' +
    'When the setup ends with an active setup key, the challenge in the response deactivates that key: sign it with the key, and send it here.',
  startsLedgerStep: true,
  body: optionalApproval('PartyConsentRequest'),
  success: { status: 200, schema: partyConsent, description: 'The consent as the venue knows it.' },
  refusals: SIGNING_REFUSALS,
  refusalDetails: ['agentRefusal'],
} as const satisfies Operation;

export const partyOperations = { startParty, completeParty, createSigningWallet, consentParty };
