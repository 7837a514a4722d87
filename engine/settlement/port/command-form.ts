/**
 * The form of each command: which fields it has and what they may contain. Checked before a command is stored and when the log is
 * read. The canonical text of a command compares commands and is what event ids depend on.
 */
import type { LedgerCommand, LedgerStep } from '#settlement/port/command.ts';
import { CommandRefused } from '#settlement/port/ledger.ts';

type FieldForm = 'id' | 'optionalId' | 'hint' | 'amount' | 'epochMs' | 'flag';

type FieldsOf<Step extends LedgerStep> = Record<
  Exclude<keyof Extract<LedgerCommand, { step: Step }>, 'step' | 'commandId'>,
  FieldForm
>;

const FIELDS: { readonly [Step in LedgerStep]: FieldsOf<Step> } = {
  party_allocation: { partyHint: 'hint' },
  development_issue: { amountAtoms: 'amount' },
  treasury_offer: { partyId: 'id', amountAtoms: 'amount', expiresAtEpochMs: 'epochMs' },
  owner_offer_acceptance: { partyId: 'id', offerId: 'id' },
  owner_account_acceptance: { partyId: 'id', amountAtoms: 'amount' },
  owner_withdrawal_consent: { partyId: 'id', destinationPartyId: 'id', amountAtoms: 'amount' },
  payout_offer: { withdrawalConsentId: 'id', expiresAtEpochMs: 'epochMs' },
  offer_withdrawal: { offerId: 'id' },
  party_consent: { partyId: 'id', replacesConsentId: 'optionalId' },
  party_consent_revocation: { partyId: 'id' },
  package_availability: { isAvailable: 'flag' },
};

const ID = /^[A-Za-z0-9:._-]{1,160}$/;
const HINT = /^[A-Za-z0-9._-]{1,64}$/;

const ACCEPTS: Record<FieldForm, { readonly expected: string; readonly accepts: (value: unknown) => boolean }> = {
  id: { expected: '1 to 160 letters, digits or :._-', accepts: isId },
  optionalId: { expected: 'null, or 1 to 160 letters, digits or :._-', accepts: (value) => value === null || isId(value) },
  hint: { expected: '1 to 64 letters, digits or ._-', accepts: (value) => typeof value === 'string' && HINT.test(value) },
  amount: { expected: 'a positive integer of atoms', accepts: (value) => Number.isSafeInteger(value) && Number(value) > 0 },
  epochMs: { expected: 'an integer of milliseconds', accepts: (value) => Number.isSafeInteger(value) && Number(value) >= 0 },
  flag: { expected: 'true or false', accepts: (value) => typeof value === 'boolean' },
};

function isId(value: unknown): boolean {
  return typeof value === 'string' && ID.test(value);
}

/** A copy with exactly the fields of its step, in their order. Throws {@link CommandRefused}. */
export function checkedCommand(command: LedgerCommand): LedgerCommand {
  const given: Record<string, unknown> = { ...command };
  if (!Object.hasOwn(FIELDS, String(given.step)))
    throw new CommandRefused(`step: expected one of ${Object.keys(FIELDS).join(', ')}`);
  const forms: [string, FieldForm][] = [['commandId', 'id'], ...(Object.entries(FIELDS[command.step]) as [string, FieldForm][])];
  const checked: Record<string, unknown> = { step: command.step };
  for (const [field, form] of forms) {
    const { expected, accepts } = ACCEPTS[form];
    if (!accepts(given[field])) throw new CommandRefused(`${command.step}: ${field}: expected ${expected}`);
    checked[field] = given[field];
  }
  return checked as unknown as LedgerCommand;
}

/** Equal for equal commands only. Takes a checked command. */
export function canonicalText(checked: LedgerCommand): string {
  return JSON.stringify(checked);
}
