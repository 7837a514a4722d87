/**
 * The commands of a party's consent: submitted to the external ledger, then recorded as the ledger has it. Only one is in flight,
 * and a revoked consent is replaced only by a command that names it.
 */
import type { AccountOrdinal } from '#units/ids.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import type { Refusal } from '#venue/refusal.ts';
import { isLedgerEvent, type LedgerEvent, ledgerEventLayout } from '#venue/transfer/ledger-steps.ts';
import { emitSettlement } from '#venue/transfer/settlement-fold.ts';
import { checkLedgerStart } from '#venue/transfer/settlement-gate.ts';
import type { Turn } from '#venue/turn.ts';
import { checkActiveOwner, checkOwner, emitOfOwner } from './owner-turn.ts';
import { type Consent, type ConsentState, isLedgerReason, isLedgerText } from './party.ts';

/** Durable before the venue submits the consent to the ledger. */
export interface SubmitPartyConsent {
  readonly type: 'SubmitPartyConsent';
  readonly account: AccountOrdinal;
  /** Random, as in `StartParty`. */
  readonly ledgerKey: string;
  /** The revoked consent that the owner replaces; empty for the first one. */
  readonly replacesConsentId: string;
}

export const RECORDED_CONSENTS = ['present', 'absent', 'revoked'] as const;

/** `present`: the ledger created the consent. `absent`: it did not, for the reason. `revoked`: the consent was revoked there. */
export interface RecordPartyConsent {
  readonly type: 'RecordPartyConsent';
  readonly account: AccountOrdinal;
  readonly consent: (typeof RECORDED_CONSENTS)[number];
  readonly consentId: string;
  readonly reason: string;
  /** Of the receipt, or of the revocation. Journals of earlier versions have none. */
  readonly ledgerEvent?: LedgerEvent;
}

export type ConsentCommand = SubmitPartyConsent | RecordPartyConsent;

export const CONSENT_COMMANDS: CommandRules<ConsentCommand> = {
  SubmitPartyConsent: {
    plan: planSubmission,
    commit: commitSubmission,
    layout: {
      tag: 35,
      fields: (io, it) => ({
        type: 'SubmitPartyConsent',
        account: io.int(it.account),
        ledgerKey: io.text(it.ledgerKey),
        replacesConsentId: io.text(it.replacesConsentId),
      }),
    },
  },
  RecordPartyConsent: {
    plan: planRecording,
    commit: commitRecording,
    layout: {
      tag: 36,
      fields: recordLayout,
      extended: [
        {
          tag: 58,
          applies: ({ ledgerEvent }) => ledgerEvent !== undefined,
          fields: (io, it) => ({ ...recordLayout(io, it), ledgerEvent: io.part(it.ledgerEvent, ledgerEventLayout) }),
        },
      ],
    },
  },
};

function recordLayout(io: Cursor, it: RecordPartyConsent): RecordPartyConsent {
  return {
    type: 'RecordPartyConsent',
    account: io.int(it.account),
    consent: io.oneOf(RECORDED_CONSENTS, it.consent),
    consentId: io.text(it.consentId),
    reason: io.text(it.reason),
  };
}

/** The states of a consent from which each one may be recorded. */
const RECORDED_FROM: Readonly<Record<RecordPartyConsent['consent'], readonly ConsentState[]>> = {
  present: ['submitted'],
  absent: ['submitted'],
  // It may be revoked before the venue learned that the ledger created it.
  revoked: ['submitted', 'present'],
};

export function planSubmission(turn: Turn, command: SubmitPartyConsent): Refusal | undefined {
  const { account, ledgerKey, replacesConsentId } = command;
  const refusal = checkActiveOwner(turn, account);
  if (refusal !== undefined) return refusal;
  const { party, consent } = turn.state.owners.of(account)!;
  if (party.status !== 'active') return { code: 'party_state_conflict' };
  const isDue = consent.state === 'absent' || consent.state === 'revoked';
  if (!isDue || replacesConsentId !== consent.consentId) return { code: 'consent_state_conflict' };
  return isLedgerText(ledgerKey) ? checkLedgerStart(turn.state, 'parties') : { code: 'ledger_reference_invalid' };
}

export function commitSubmission(turn: Turn, { account, ledgerKey, replacesConsentId: consentId }: SubmitPartyConsent): void {
  emitOfOwner(turn, { type: 'PartyConsentChanged', account, consent: 'submitted', consentId, ledgerKey, reason: '' });
}

/** Also for an account that was retired meanwhile: the ledger has decided. A revocation ends the setup key. */
export function planRecording(turn: Turn, command: RecordPartyConsent): Refusal | undefined {
  const { account, consent: recorded, consentId, reason, ledgerEvent } = command;
  const refusal = checkOwner(turn, account);
  if (refusal !== undefined) return refusal;
  const { consent } = turn.state.owners.of(account)!;
  if (!RECORDED_FROM[recorded].includes(consent.state)) return { code: 'consent_state_conflict' };
  if (consent.state === 'present' && consentId !== consent.consentId) return { code: 'consent_state_conflict' };
  const isValid = (recorded === 'absent' ? consentId === '' : isLedgerText(consentId)) && isLedgerReason(reason);
  const isPlaced = ledgerEvent === undefined || isLedgerEvent(ledgerEvent);
  return isValid && isPlaced ? undefined : { code: 'ledger_reference_invalid' };
}

export function commitRecording(turn: Turn, command: RecordPartyConsent): void {
  const { account, reason, ledgerEvent } = command;
  const { consent, passkeys } = turn.state.owners.of(account)!;
  const { state, consentId } = resultOf(command, consent);
  const { ledgerKey } = consent;
  emitOfOwner(turn, { type: 'PartyConsentChanged', account, consent: state, consentId, ledgerKey, reason });
  if (ledgerEvent !== undefined) emitSettlement(turn, { type: 'LedgerEventSeen', ...ledgerEvent });
  if (state !== 'revoked') return;
  for (const { credentialId, kind } of [...passkeys.values()])
    if (kind === 'setup_key') emitOfOwner(turn, { type: 'PasskeyRemoved', account, credentialId });
}

/** The revoked consent stays if the ledger did not replace it, so that a later one must name it again. */
function resultOf({ consent, consentId }: RecordPartyConsent, before: Consent): Pick<Consent, 'state' | 'consentId'> {
  if (consent === 'absent' && before.consentId !== '') return { state: 'revoked', consentId: before.consentId };
  return { state: consent, consentId };
}
