/** Handlers for the setup of an owner: the party, the signing wallet, and the consent of the party. */
import { randomBytes } from 'node:crypto';
import type { PartyConsent, PartyOnboarding, partyOperations, SigningWallet } from '#contract/party.ts';
import { Refused } from '#contract/refused.ts';
import type { SigningApproval } from '#contract/signing.ts';
import { ownAccount } from '#http/access/access.ts';
import type { StartLedgerStep } from '#http/access/ledger-step-charge.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import type { ApprovalRequest, Approvals } from '#identity/approvals.ts';
import { newChallengeIdentifier } from '#identity/challenges.ts';
import { isReplacement } from '#identity/sign-in/owners.ts';
import type { OwnerView } from '#reads/owner-directory.ts';
import type { LedgerView } from '#reads/owner-money.ts';
import { commandIdOf, ledgerKeyOf, newLedgerKey } from '#settlement/coordinator/command-id.ts';
import type { Coordinator } from '#settlement/coordinator/coordinator.ts';
import { approvedBytes, consentCommand } from '#settlement/coordinator/ledger-steps.ts';
import { LedgerUnavailable } from '#settlement/port/ledger.ts';
import { type AccountOrdinal, renderAccountId } from '#units/ids.ts';
import type { Command } from '#venue/command.ts';
import type { Outcome } from '#writer/port/submit.ts';
import { dueChallenge, isApproved } from './owner-approval.ts';
import { approvalsOf } from './owner-commands.ts';
import { demandBoundLedger, demandLedger, demandMovable, demandOwner } from './settlement-gate.ts';
import { venueRefusal } from './venue-refusal.ts';

export function partyHandlers(ports: HttpPorts): Pick<Handlers, keyof typeof partyOperations> {
  const { submit, directory } = ports;
  /** What is set up already is shown whatever the switches are. */
  const demandChangeable = (isDue: boolean): void => {
    if (isDue) demandMovable(directory, 'transfers');
  };
  const approvals = approvalsOf(ports);
  const carryOut = async (command: Command): Promise<void> => demandCarriedOut(await submit({ command }));
  const ownerOf = (account: AccountOrdinal) => demandOwner(ports, account);

  const onboarding = async (account: AccountOrdinal): Promise<PartyOnboarding> => {
    const owner = ownerOf(account);
    const { status, partyId } = owner.party;
    const challenge = status === 'allocated' ? await dueChallenge(approvals, partyApproval(owner)) : null;
    return {
      version: 'external-party-onboarding/v1',
      accountId: renderAccountId(account),
      status: status === 'active' ? 'active' : status === 'allocated' ? 'approval_required' : 'allocating',
      partyId: partyId === '' ? null : partyId,
      challenge,
    };
  };

  const walletOf = async (account: AccountOrdinal): Promise<SigningWallet> => {
    const owner = ownerOf(account);
    const { walletId, party } = owner;
    const isDue = walletId === '';
    return {
      version: 'local-signing/v2',
      accountId: renderAccountId(account),
      partyId: party.partyId,
      status: isDue ? 'approval_required' : 'active',
      walletId: isDue ? null : walletId,
      challenge: isDue ? await dueChallenge(approvals, walletApproval(owner)) : null,
    };
  };

  /** Carries out what the approval is for: the consent that is due, or the end of the setup key. */
  const takeConsentApproval = async (owner: OwnerView, approval: SigningApproval, start: StartLedgerStep): Promise<void> => {
    const { account, consent } = owner;
    const deactivated = deactivationOf(owner);
    if (deactivated !== undefined) {
      const { credentialId, request } = deactivated;
      const { id: relyingPartyId } = ports.relyingParty();
      if (await isApproved(approvals, request, approval))
        await carryOut({ type: 'RemovePasskey', account, credentialId, relyingPartyId });
      return;
    }
    if (!isConsentDue(owner)) return;
    const ledgerKey = ledgerKeyOf(approval.challengeIdentifier, owner.party.ledgerKey);
    const request = consentApproval(demandBoundLedger(ports), owner, ledgerKey);
    const command = { type: 'SubmitPartyConsent', account, ledgerKey, replacesConsentId: consent.consentId } as const;
    const submitSigned = async () => ((await isApproved(approvals, request, approval)) ? submit({ command }) : undefined);
    demandCarriedOut(await start(submitSigned));
  };

  return {
    startParty: async ({ params, principal }) => {
      const account = ownAccount(principal, params.accountId);
      const { party } = ownerOf(account);
      const settlement = demandLedger(ports);
      demandChangeable(party.status === 'absent' || party.status === 'allocated');
      if (party.status === 'absent') await carryOut({ type: 'StartParty', account, ledgerKey: newLedgerKey() });
      if (party.status === 'absent' || party.status === 'allocating') await settlement.partySettled(account);
      return { body: await onboarding(account) };
    },

    completeParty: async ({ params, body, principal, startLedgerStep }) => {
      const account = ownAccount(principal, params.accountId);
      const owner = ownerOf(account);
      demandLedger(ports);
      const { status } = owner.party;
      if (status === 'absent' || status === 'allocating') throw new Refused('party_state_conflict');
      demandChangeable(status === 'allocated');
      const submitSigned = async () =>
        (await isApproved(approvals, partyApproval(owner), body))
          ? submit({ command: { type: 'ActivateParty', account } })
          : undefined;
      if (status === 'allocated') demandCarriedOut(await startLedgerStep(submitSigned));
      return { body: await onboarding(account) };
    },

    createSigningWallet: async ({ params, body: { approval }, principal }) => {
      const account = ownAccount(principal, params.accountId);
      const owner = ownerOf(account);
      demandLedger(ports);
      demandActiveParty(owner);
      demandChangeable(owner.walletId === '');
      if (owner.walletId === '' && approval !== undefined && (await isApproved(approvals, walletApproval(owner), approval)))
        await carryOut({ type: 'CreateSigningWallet', account, walletId: `wallet-${randomBytes(16).toString('hex')}` });
      return { body: await walletOf(account) };
    },

    consentParty: async ({ params, body: { approval }, principal, startLedgerStep }) => {
      const account = ownAccount(principal, params.accountId);
      const owner = ownerOf(account);
      const settlement = demandLedgerFor(ports, owner);
      demandChangeable(isConsentDue(owner));
      if (approval !== undefined) await takeConsentApproval(owner, approval, startLedgerStep);
      await settlement.partySettled(account);
      return { body: await consentOf({ ...ports, approvals, settlement }, ownerOf(account)) };
    },
  };
}

/** A conflict means that another request was first: what the account has then is returned. */
function demandCarriedOut(outcome: Outcome | undefined): void {
  const refusal = outcome && venueRefusal(outcome);
  if (refusal !== undefined && !CONFLICTS.has(refusal.code)) throw refusal;
}

function isConsentDue({ consent }: OwnerView): boolean {
  return consent.state === 'absent' || consent.state === 'revoked';
}

const CONFLICTS: ReadonlySet<string> = new Set([
  'party_state_conflict',
  'consent_state_conflict',
  'wallet_exists',
  'passkey_not_found',
]);

function demandLedgerFor(ports: HttpPorts, owner: OwnerView): Coordinator {
  const settlement = demandLedger(ports);
  demandActiveParty(owner);
  return settlement;
}

function demandActiveParty({ party }: OwnerView): void {
  if (party.status !== 'active') throw new Refused('party_state_conflict');
}

interface ConsentPorts extends Pick<HttpPorts, 'owners'> {
  readonly approvals: Approvals;
  readonly settlement: Coordinator;
}

async function consentOf({ owners, approvals, settlement }: ConsentPorts, owner: OwnerView): Promise<PartyConsent> {
  const { account, consent } = owner;
  const resource = { version: 'external-party-consent/v1', accountId: renderAccountId(account) } as const;
  switch (consent.state) {
    case 'present': {
      const deactivated = deactivationOf(owner);
      const challenge = deactivated === undefined ? null : await dueChallenge(approvals, deactivated.request);
      return { ...resource, consentState: 'present', challenge, failure: null };
    }
    case 'submitted': {
      const isKnown = settlement.isAnswered(commandIdOf(consent.ledgerKey, 'party_consent', 1));
      const failure = isKnown ? null : ({ step: 'consent_submission', reason: 'ledger_unavailable' } as const);
      return { ...resource, consentState: 'pending', challenge: null, failure };
    }
    default: {
      const missing = await missingPackage(settlement, owner);
      const consentState = consent.state;
      if (missing !== undefined)
        return { ...resource, consentState, challenge: null, failure: { step: 'package_check', reason: missing } };
      const identifier = newChallengeIdentifier();
      const request = consentApproval(demandBoundLedger({ owners }), owner, ledgerKeyOf(identifier, owner.party.ledgerKey));
      const challenge = await dueChallenge(approvals, request, identifier);
      const failure =
        consentState === 'revoked'
          ? ({ step: 'consent_submission', reason: 'consent_revoked' } as const)
          : ({ step: 'package_check', reason: 'approval_required' } as const);
      return { ...resource, consentState, challenge, failure };
    }
  }
}

/** After a first attempt without the package, no signature is due until the ledger has it. */
async function missingPackage(
  settlement: Coordinator,
  { party, consent }: OwnerView,
): Promise<'package_absent' | 'ledger_unavailable' | undefined> {
  if (consent.reason !== 'package_absent') return undefined;
  try {
    const status = await settlement.read((ledger) => ledger.consent(party.partyId));
    return status?.isPackageAvailable === true ? undefined : 'package_absent';
  } catch (error) {
    if (error instanceof LedgerUnavailable) return 'ledger_unavailable';
    throw error;
  }
}

/** The three signatures of the setup may also be those of the setup key. */
function setupApproval({ account }: OwnerView, operation: string, ...parts: readonly string[]): ApprovalRequest {
  const command = new TextEncoder().encode(JSON.stringify([renderAccountId(account), ...parts]));
  return { account, operation, command, signers: 'passkey_or_setup_key' };
}

function partyApproval(owner: OwnerView): ApprovalRequest {
  return setupApproval(owner, 'party/activation', owner.party.partyId);
}

function walletApproval(owner: OwnerView): ApprovalRequest {
  return setupApproval(owner, 'signing-wallet/creation', owner.party.partyId);
}

/**
 * The exact ledger command. It names the revoked consent that it replaces, so an approval never replaces a later one. That is no part
 * of the setup any more, so that the setup key may not sign it.
 */
function consentApproval(ledger: LedgerView, owner: OwnerView, ledgerKey: string): ApprovalRequest {
  const { account, consent } = owner;
  const command = approvedBytes(ledger, consentCommand(owner, ledgerKey, consent.consentId));
  return { account, operation: 'party/consent', command, signers: isReplacement(consent) ? 'passkey' : 'passkey_or_setup_key' };
}

/** What the setup key signs last; undefined while the setup goes on, and without such a key. */
function deactivationOf(owner: OwnerView): { readonly credentialId: string; readonly request: ApprovalRequest } | undefined {
  const key = owner.passkeys.find(({ kind }) => kind === 'setup_key');
  if (key === undefined || owner.setup !== 'complete') return undefined;
  const { credentialId } = key;
  return { credentialId, request: { ...setupApproval(owner, 'setup-key/deactivation', credentialId), signers: 'setup_key' } };
}
