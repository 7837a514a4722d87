/** The steps of setting up an account, and what is due of each, from the responses of their operations. */
import type { ConsentState, SetupStepState } from '../venue/resources.ts';
import type { Due } from './due.ts';

export const SETUP_STEPS = [
  { step: 'party', name: 'Your party on the external ledger' },
  { step: 'wallet', name: 'Your signing wallet' },
  { step: 'consent', name: 'Your consent' },
] as const;
export type SetupStep = (typeof SETUP_STEPS)[number]['step'];

export type SetupDue = Due | { readonly by: 'next_step' };

const WAITS_FOR: Readonly<Record<'party' | 'wallet', string>> = {
  party: 'The external ledger allocates your party.',
  wallet: 'The venue creates your signing wallet.',
};

export function dueOfSetupStep(step: 'party' | 'wallet', { status, challenge }: SetupStepState): SetupDue {
  if (status === 'active') return { by: 'next_step' };
  if (challenge !== null) return { by: 'owner', step, challenge };
  return { by: 'venue', waitsFor: WAITS_FOR[step] };
}

const COMPLETE = 'Your account is set up: you can deposit and trade.';
const REVOKED = 'The consent of this account was revoked. It is not renewed by itself: ask the operator of the venue.';
const NO_PACKAGE =
  'The external ledger lacks the package that the consent needs. Trading does not need it: continue the set-up here later.';

export function dueOfConsent({ consentState, challenge, failure }: ConsentState): SetupDue {
  if (challenge !== null) return { by: 'owner', step: signatureOf(consentState, failure?.reason), challenge };
  if (consentState === 'present') return { by: 'none', result: 'done', message: COMPLETE };
  if (consentState === 'revoked') return { by: 'none', result: 'stopped', message: REVOKED };
  if (failure?.reason === 'package_absent') return { by: 'none', result: 'stopped', message: NO_PACKAGE };
  return { by: 'venue', waitsFor: 'The external ledger records your consent.' };
}

/** What a challenge signs. After the consent, the setup key signs its own deactivation. */
function signatureOf(consentState: string, reason: string | undefined): string {
  if (consentState === 'present') return 'retire_key';
  if (consentState === 'revoked') return 'renew_consent';
  return reason === undefined || reason === 'approval_required' ? 'consent' : 'retry_consent';
}

/** Only these are signed by the setup key: a consent that failed or was revoked is signed again by the owner in person. */
export const SIGNED_BY_SETUP_KEY: readonly string[] = ['party', 'wallet', 'consent', 'retire_key'];
