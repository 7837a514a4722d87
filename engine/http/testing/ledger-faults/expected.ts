/**
 * What each step shows behind each fault of the ledger: at once, some seconds later while the fault lasts, and afterwards. `others` are
 * all faults that are not named. Afterwards every fault leaves the same.
 */

import type { Observation } from './cross.ts';
import type { FaultName } from './faults.ts';

/** Statuses, and the faults behind which they are shown. */
type ByFault = Readonly<Record<string, string>>;

interface ExpectedStep {
  readonly during: ByFault;
  readonly later: ByFault;
  readonly after: string;
}

/** By step, in the order of the walks. */
export const EXPECTED: Readonly<Record<string, ExpectedStep>> = {
  register: {
    during: {
      'party absent, setup not_started': 'others',
    },
    later: {
      'party absent, setup not_started': 'others',
    },
    after: 'party absent, setup not_started',
  },
  'allocate the party': {
    during: {
      'onboarding allocating, party pending, setup pending': 'others',
      'onboarding approval_required, party pending, setup pending': 'request_repeated receipt_lost',
      'refused capability_unavailable, party pending, setup pending': 'older_ledger',
      'refused capability_unavailable, party absent, setup not_started': 'older_journal',
    },
    later: {
      'onboarding allocating, party pending, setup pending': 'others',
      'onboarding approval_required, party pending, setup pending':
        'request_lost answer_lost request_late request_repeated receipt_lost',
      'refused capability_unavailable, party pending, setup pending': 'older_ledger',
      'refused capability_unavailable, party absent, setup not_started': 'older_journal',
    },
    after: 'onboarding approval_required, party pending, setup pending',
  },
  'activate the party': {
    during: {
      'onboarding active, party active, setup pending': 'others',
      'onboarding approval_required, party pending, setup pending': 'older_journal',
    },
    later: {
      'onboarding active, party active, setup pending': 'others',
      'onboarding approval_required, party pending, setup pending': 'older_journal',
    },
    after: 'onboarding active, party active, setup pending',
  },
  'show the signing wallet': {
    during: {
      'wallet approval_required, party active, setup pending': 'others',
      'refused capability_unavailable, party active, setup pending': 'foreign_command',
    },
    later: {
      'wallet approval_required, party active, setup pending': 'others',
      'refused capability_unavailable, party active, setup pending': 'foreign_command',
    },
    after: 'wallet approval_required, party active, setup pending',
  },
  'create the signing wallet': {
    during: {
      'wallet active, party active, setup pending': 'others',
      'wallet approval_required, party active, setup pending': 'older_journal',
    },
    later: {
      'wallet active, party active, setup pending': 'others',
      'wallet approval_required, party active, setup pending': 'older_journal',
    },
    after: 'wallet active, party active, setup pending',
  },
  'show the consent': {
    during: {
      'consent absent, consent failure approval_required, account consent absent, party active, setup pending': 'others',
      'refused capability_unavailable, account consent absent, party active, setup pending': 'foreign_command',
    },
    later: {
      'consent absent, consent failure approval_required, account consent absent, party active, setup pending': 'others',
      'refused capability_unavailable, account consent absent, party active, setup pending': 'foreign_command',
    },
    after: 'consent absent, consent failure approval_required, account consent absent, party active, setup pending',
  },
  'consent without the package': {
    during: {
      'consent pending, consent failure ledger_unavailable, account consent pending, party active, setup pending': 'others',
      'consent pending, consent failure ledger_unavailable, account consent absent, party active, setup waiting_for_package':
        'request_lost answer_lost request_late',
      'consent absent, consent failure package_absent, account consent absent, party active, setup waiting_for_package':
        'request_repeated receipt_lost',
      'consent pending, account consent pending, party active, setup pending': 'answer_repeated',
      'refused capability_unavailable, account consent absent, party active, setup waiting_for_package': 'older_ledger',
      'refused capability_unavailable, account consent absent, party active, setup pending': 'older_journal',
    },
    later: {
      'consent pending, consent failure ledger_unavailable, account consent pending, party active, setup pending': 'others',
      'consent pending, account consent pending, party active, setup pending': 'slow answer_late answer_repeated',
      'consent absent, consent failure package_absent, account consent absent, party active, setup waiting_for_package':
        'request_lost answer_lost request_late request_repeated receipt_lost',
      'refused capability_unavailable, account consent absent, party active, setup waiting_for_package': 'older_ledger',
      'refused capability_unavailable, account consent absent, party active, setup pending': 'older_journal',
    },
    after: 'consent absent, consent failure package_absent, account consent absent, party active, setup waiting_for_package',
  },
  consent: {
    during: {
      'consent pending, consent failure ledger_unavailable, account consent pending, party active, setup pending': 'others',
      'consent pending, consent failure ledger_unavailable, account consent present, party active, setup complete':
        'request_lost answer_lost request_late',
      'consent present, account consent present, party active, setup complete': 'request_repeated receipt_lost older_ledger',
      'consent pending, account consent pending, party active, setup pending': 'answer_repeated',
      'refused capability_unavailable, account consent absent, party active, setup waiting_for_package': 'older_journal',
    },
    later: {
      'consent pending, consent failure ledger_unavailable, account consent pending, party active, setup pending': 'others',
      'consent pending, account consent pending, party active, setup pending': 'slow answer_late answer_repeated',
      'consent present, account consent present, party active, setup complete':
        'request_lost answer_lost request_late request_repeated receipt_lost older_ledger',
      'refused capability_unavailable, account consent absent, party active, setup waiting_for_package': 'older_journal',
    },
    after: 'consent present, account consent present, party active, setup complete',
  },
  'revoke the consent on the ledger': {
    during: {
      'consent present, account consent present, party active, setup complete':
        'down down_after_effect slow_beyond_timeout answer_repeated',
      'consent revoked, consent failure consent_revoked, account consent revoked, party active, setup pending': 'others',
      'refused capability_unavailable, account consent revoked, party active, setup pending': 'older_ledger foreign_command',
    },
    later: {
      'consent present, account consent present, party active, setup complete':
        'down down_after_effect slow_beyond_timeout answer_repeated',
      'consent revoked, consent failure consent_revoked, account consent revoked, party active, setup pending': 'others',
      'refused capability_unavailable, account consent revoked, party active, setup pending': 'older_ledger foreign_command',
    },
    after: 'consent revoked, consent failure consent_revoked, account consent revoked, party active, setup pending',
  },
  'consent again': {
    during: {
      'consent pending, consent failure ledger_unavailable, account consent pending, party active, setup pending': 'others',
      'consent pending, consent failure ledger_unavailable, account consent present, party active, setup complete':
        'request_lost answer_lost request_late',
      'consent present, account consent present, party active, setup complete': 'request_repeated receipt_lost older_ledger',
      'consent pending, account consent pending, party active, setup pending': 'answer_repeated',
      'refused capability_unavailable, account consent revoked, party active, setup pending': 'older_journal',
    },
    later: {
      'consent pending, consent failure ledger_unavailable, account consent pending, party active, setup pending': 'others',
      'consent pending, account consent pending, party active, setup pending': 'slow answer_late answer_repeated',
      'consent present, account consent present, party active, setup complete':
        'request_lost answer_lost request_late request_repeated receipt_lost older_ledger',
      'refused capability_unavailable, account consent revoked, party active, setup pending': 'older_journal',
    },
    after: 'consent present, account consent present, party active, setup complete',
  },
  'claim the grant of the faucet': {
    during: {
      'intent available': 'others',
    },
    later: {
      'intent available': 'others',
    },
    after: 'intent available',
  },
  'prepare the deposit': {
    during: {
      'deposit bound, intent deposit_bound': 'others',
      'deposit submitted_unknown, intent deposit_bound': 'down_after_effect request_lost answer_lost request_late',
      'refused capability_unavailable, deposit bound, intent deposit_bound': 'older_ledger foreign_command',
      'refused capability_unavailable, intent available': 'older_journal',
    },
    later: {
      'deposit bound, intent deposit_bound': 'others',
      'deposit submitted_unknown, intent deposit_bound': 'down_after_effect',
      'deposit bound, deposit approval_required owner_offer_acceptance, intent deposit_bound':
        'request_lost answer_lost request_late request_repeated receipt_lost',
      'refused capability_unavailable, deposit bound, intent deposit_bound': 'older_ledger foreign_command',
      'refused capability_unavailable, intent available': 'older_journal',
    },
    after: 'deposit bound, deposit approval_required owner_offer_acceptance, intent deposit_bound',
  },
  'accept the offer of the deposit': {
    during: {
      'deposit submitted_unknown, intent deposit_bound': 'others',
      'deposit bound, deposit approval_required owner_account_acceptance, intent deposit_bound': 'request_repeated receipt_lost',
      'deposit submitted, intent deposit_bound': 'answer_repeated',
      'refused capability_unavailable, deposit bound, intent deposit_bound': 'older_ledger older_journal',
      'refused capability_unavailable, deposit submitted_unknown, intent deposit_bound': 'foreign_command',
    },
    later: {
      'deposit submitted_unknown, intent deposit_bound': 'others',
      'deposit submitted, intent deposit_bound': 'slow answer_late answer_repeated',
      'deposit bound, deposit approval_required owner_account_acceptance, intent deposit_bound':
        'request_lost answer_lost request_late request_repeated receipt_lost',
      'refused capability_unavailable, deposit bound, intent deposit_bound': 'older_ledger older_journal',
      'refused capability_unavailable, deposit submitted_unknown, intent deposit_bound': 'foreign_command',
    },
    after: 'deposit bound, deposit approval_required owner_account_acceptance, intent deposit_bound',
  },
  'transfer the deposit to the venue': {
    during: {
      'deposit submitted_unknown, intent deposit_bound': 'others',
      'deposit submitted_unknown, intent consumed, transfer deposit credited': 'request_lost answer_lost request_late',
      'deposit ledger_confirmed, intent consumed, transfer deposit credited': 'request_repeated receipt_lost older_ledger',
      'deposit submitted, intent deposit_bound': 'answer_repeated',
      'refused capability_unavailable, deposit bound, intent deposit_bound': 'older_journal',
      'refused capability_unavailable, deposit submitted_unknown, intent deposit_bound': 'foreign_command',
    },
    later: {
      'deposit submitted_unknown, intent deposit_bound': 'down down_after_effect slow_beyond_timeout busy refused',
      'deposit submitted, intent deposit_bound': 'slow answer_late answer_repeated',
      'deposit ledger_confirmed, intent consumed, transfer deposit credited': 'others',
      'refused capability_unavailable, deposit bound, intent deposit_bound': 'older_journal',
      'refused capability_unavailable, deposit submitted_unknown, intent deposit_bound': 'foreign_command',
    },
    after: 'deposit ledger_confirmed, intent consumed, transfer deposit credited',
  },
  'request the withdrawal': {
    during: {
      'withdrawal requested, transfer withdrawal requested': 'others',
      'withdrawal requested, withdrawal reserved, transfer withdrawal reserved':
        'request_repeated answer_repeated receipt_lost busy refused',
      'withdrawal reserved, transfer withdrawal reserved': 'older_ledger',
      'refused withdrawal_not_found': 'older_journal',
      'refused capability_unavailable, withdrawal requested, transfer withdrawal requested': 'foreign_command',
    },
    later: {
      'withdrawal requested, transfer withdrawal requested': 'down down_after_effect slow_beyond_timeout',
      'withdrawal reserved, transfer withdrawal reserved': 'others',
      'refused withdrawal_not_found': 'older_journal',
      'refused capability_unavailable, withdrawal requested, transfer withdrawal requested': 'foreign_command',
    },
    after: 'withdrawal reserved, transfer withdrawal reserved',
  },
  'authorize the withdrawal': {
    during: {
      'withdrawal authorized, withdrawal due owner_withdrawal_consent, transfer withdrawal authorized': 'others',
      'withdrawal authorized, withdrawal due owner_withdrawal_consent, withdrawal approval_required owner_withdrawal_consent, transfer withdrawal authorized':
        'older_ledger',
      'withdrawal reserved, transfer withdrawal reserved': 'older_journal',
      'refused capability_unavailable, withdrawal authorized, withdrawal due owner_withdrawal_consent, transfer withdrawal authorized':
        'foreign_command',
    },
    later: {
      'withdrawal authorized, withdrawal due owner_withdrawal_consent, withdrawal approval_required owner_withdrawal_consent, transfer withdrawal authorized':
        'others',
      'withdrawal reserved, transfer withdrawal reserved': 'older_journal',
      'refused capability_unavailable, withdrawal authorized, withdrawal due owner_withdrawal_consent, transfer withdrawal authorized':
        'foreign_command',
    },
    after:
      'withdrawal authorized, withdrawal due owner_withdrawal_consent, withdrawal approval_required owner_withdrawal_consent, transfer withdrawal authorized',
  },
  'consent to the withdrawal': {
    during: {
      'withdrawal submitted, transfer withdrawal submitted': 'others',
      'withdrawal submitted, withdrawal due owner_offer_acceptance, transfer withdrawal submitted':
        'request_lost answer_lost request_late',
      'withdrawal submitted, withdrawal due owner_offer_acceptance, withdrawal approval_required owner_offer_acceptance, transfer withdrawal submitted':
        'request_repeated receipt_lost',
      'refused capability_unavailable, withdrawal submitted, withdrawal due owner_offer_acceptance, transfer withdrawal submitted':
        'older_ledger',
      'refused capability_unavailable, withdrawal authorized, withdrawal due owner_withdrawal_consent, transfer withdrawal authorized':
        'older_journal',
      'refused capability_unavailable, withdrawal submitted, transfer withdrawal submitted': 'foreign_command',
    },
    later: {
      'withdrawal submitted, transfer withdrawal submitted': 'others',
      'withdrawal submitted, withdrawal due owner_offer_acceptance, withdrawal approval_required owner_offer_acceptance, transfer withdrawal submitted':
        'request_lost answer_lost request_late request_repeated receipt_lost',
      'refused capability_unavailable, withdrawal submitted, withdrawal due owner_offer_acceptance, transfer withdrawal submitted':
        'older_ledger',
      'refused capability_unavailable, withdrawal authorized, withdrawal due owner_withdrawal_consent, transfer withdrawal authorized':
        'older_journal',
      'refused capability_unavailable, withdrawal submitted, transfer withdrawal submitted': 'foreign_command',
    },
    after:
      'withdrawal submitted, withdrawal due owner_offer_acceptance, withdrawal approval_required owner_offer_acceptance, transfer withdrawal submitted',
  },
  'accept the payout': {
    during: {
      'withdrawal submitted, transfer withdrawal submitted': 'others',
      'withdrawal submitted, withdrawal settled, transfer withdrawal settled': 'request_lost answer_lost request_late',
      'withdrawal settled, transfer withdrawal settled': 'request_repeated receipt_lost older_ledger',
      'refused capability_unavailable, withdrawal submitted, withdrawal due owner_offer_acceptance, transfer withdrawal submitted':
        'older_journal',
      'refused capability_unavailable, withdrawal submitted, transfer withdrawal submitted': 'foreign_command',
    },
    later: {
      'withdrawal submitted, transfer withdrawal submitted': 'others',
      'withdrawal settled, transfer withdrawal settled':
        'request_lost answer_lost request_late request_repeated receipt_lost older_ledger',
      'refused capability_unavailable, withdrawal submitted, withdrawal due owner_offer_acceptance, transfer withdrawal submitted':
        'older_journal',
      'refused capability_unavailable, withdrawal submitted, transfer withdrawal submitted': 'foreign_command',
    },
    after: 'withdrawal settled, transfer withdrawal settled',
  },
  'offer the payout': {
    during: {
      'withdrawal submitted, transfer withdrawal submitted': 'others',
      'withdrawal submitted, withdrawal due owner_offer_acceptance, transfer withdrawal submitted': 'answer_lost',
      'withdrawal submitted, withdrawal due owner_offer_acceptance, withdrawal approval_required owner_offer_acceptance, transfer withdrawal submitted':
        'request_repeated receipt_lost',
      'refused capability_unavailable, withdrawal submitted, withdrawal due owner_offer_acceptance, transfer withdrawal submitted':
        'older_ledger',
      'refused capability_unavailable, withdrawal authorized, withdrawal due owner_withdrawal_consent, transfer withdrawal authorized':
        'older_journal',
      'refused capability_unavailable, withdrawal submitted, transfer withdrawal submitted': 'foreign_command',
    },
    later: {
      'withdrawal submitted, transfer withdrawal submitted': 'others',
      'withdrawal submitted, withdrawal due owner_offer_acceptance, withdrawal approval_required owner_offer_acceptance, transfer withdrawal submitted':
        'request_lost answer_lost request_late request_repeated receipt_lost',
      'refused capability_unavailable, withdrawal submitted, withdrawal due owner_offer_acceptance, transfer withdrawal submitted':
        'older_ledger',
      'refused capability_unavailable, withdrawal authorized, withdrawal due owner_withdrawal_consent, transfer withdrawal authorized':
        'older_journal',
      'refused capability_unavailable, withdrawal submitted, transfer withdrawal submitted': 'foreign_command',
    },
    after:
      'withdrawal submitted, withdrawal due owner_offer_acceptance, withdrawal approval_required owner_offer_acceptance, transfer withdrawal submitted',
  },
  'let the payout offer expire': {
    during: {
      'withdrawal submitted, transfer withdrawal submitted': 'others',
      'withdrawal submitted, transfer withdrawal submitted, withdrawal blocked, transfer withdrawal released':
        'answer_lost request_repeated answer_repeated',
      'withdrawal blocked, transfer withdrawal released': 'older_ledger',
      'refused capability_unavailable, withdrawal submitted, transfer withdrawal submitted': 'older_journal foreign_command',
    },
    later: {
      'withdrawal submitted, transfer withdrawal submitted':
        'down down_after_effect slow slow_beyond_timeout answer_late busy refused',
      'withdrawal blocked, transfer withdrawal released': 'others',
      'refused capability_unavailable, withdrawal submitted, transfer withdrawal submitted': 'older_journal foreign_command',
    },
    after: 'withdrawal blocked, transfer withdrawal released',
  },
  'let the offer of the deposit expire': {
    during: {
      'intent deposit_bound': 'others',
      'refused capability_unavailable, deposit bound, intent deposit_bound': 'older_ledger older_journal foreign_command',
    },
    later: {
      'deposit bound, deposit approval_required owner_offer_acceptance, intent deposit_bound': 'others',
      'deposit bound, intent deposit_bound': 'down slow_beyond_timeout',
      'deposit submitted_unknown, intent deposit_bound': 'down_after_effect busy refused',
      'deposit submitted, intent deposit_bound': 'slow answer_late',
      'refused capability_unavailable, deposit bound, intent deposit_bound': 'older_ledger older_journal foreign_command',
    },
    after: 'deposit bound, deposit approval_required owner_offer_acceptance, intent deposit_bound',
  },
  'retire the account before its deposit': {
    during: {
      'intent cancelled': 'others',
      'intent available': 'older_journal',
    },
    later: {
      'intent cancelled': 'others',
      'intent available': 'older_journal',
    },
    after: 'intent cancelled',
  },
};

/** What a walk with the fault shows. */
export function expectedOf(fault: FaultName): readonly Observation[] {
  return Object.entries(EXPECTED).map(([step, { during, later, after }]) => ({
    step,
    during: shownBehind(fault, during),
    later: shownBehind(fault, later),
    after: after.split(', '),
  }));
}

function shownBehind(fault: FaultName, shown: ByFault): readonly string[] {
  const named = Object.entries(shown).find(([, faults]) => faults.split(' ').includes(fault));
  const [statuses] = named ?? Object.entries(shown).find(([, faults]) => faults === 'others')!;
  return statuses.split(', ');
}
