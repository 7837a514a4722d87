/** One pass of an owner's party and of its consent: allocation and consent are submitted to the ledger, and recorded. */

import type { OwnerView } from '#reads/owner-directory.ts';
import type { Receipt } from '#settlement/port/receipt.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { LedgerEvent, RecordPartyConsent } from '#venue/command.ts';
import type { Next } from './item-queue.ts';
import { allocationCommand, consentCommand } from './ledger-steps.ts';
import type { PassPorts } from './pass-ports.ts';
import { receiptOf } from './receipts.ts';

export async function passParty(ports: PassPorts, account: AccountOrdinal): Promise<Next> {
  const owner = ports.owners.owner(account);
  if (owner === undefined) return 'idle';
  if (owner.party.status === 'allocating') return allocate(ports, owner);
  if (owner.consent.state === 'submitted') return recordConsent(ports, owner);
  if (owner.consent.state === 'present' && ports.isConsentInDoubt(account)) return checkConsent(ports, account);
  return 'idle';
}

async function allocate(ports: PassPorts, owner: OwnerView): Promise<Next> {
  const receipt = await receiptOf(ports, allocationCommand(owner));
  if (receipt === undefined) return 'pending';
  if (receipt.outcome === 'sequenced_rejected')
    return ports.report(`the ledger rejected the party of account ${owner.account}: ${receipt.reason}`);
  const command = { type: 'AllocateParty', account: owner.account, partyId: receipt.createdId! } as const;
  return forgetting(ports, receipt.commandId, await ports.carryOut({ ...command, ledgerEvent: eventOf(receipt) }));
}

async function recordConsent(ports: PassPorts, owner: OwnerView): Promise<Next> {
  const { account, consent } = owner;
  const receipt = await receiptOf(ports, consentCommand(owner, consent.ledgerKey, consent.consentId));
  if (receipt === undefined) return 'pending';
  const found = await consentOnLedger(ports, owner, receipt);
  const ledgerEvent = eventOf(receipt);
  return forgetting(
    ports,
    receipt.commandId,
    await ports.carryOut({ type: 'RecordPartyConsent', account, ...found, ledgerEvent }),
  );
}

/** What the ledger has now: an accepted consent may be revoked already, and there may be another one instead of a rejected one. */
async function consentOnLedger(ports: PassPorts, { party }: OwnerView, receipt: Receipt) {
  const status = await ports.calls.read((ledger) => ledger.consent(party.partyId));
  const { state = 'absent', consentId } = status ?? {};
  const reason = receipt.outcome === 'sequenced_rejected' ? receipt.reason : REVOKED;
  return { consent: state, consentId: consentId ?? '', reason: state === 'present' ? '' : reason } as const;
}

/**
 * Records a revocation. It is never undone here: only a new signature of the owner replaces a revoked consent. The review of the
 * ledger's new entries records it with its event; one without was skipped by an earlier version.
 */
async function checkConsent(ports: PassPorts, account: AccountOrdinal): Promise<Next> {
  if (!(await ports.review())) return 'idle';
  const command = await revocationOf(ports, account);
  ports.consentChecked(account);
  return command === undefined ? 'idle' : ports.carryOut(command);
}

/** The record of the account's consent as revoked; undefined if the journal or the ledger does not have it as present or revoked. */
export async function revocationOf(
  { owners, calls }: Pick<PassPorts, 'owners' | 'calls'>,
  account: AccountOrdinal,
): Promise<RecordPartyConsent | undefined> {
  const partyId = owners.owner(account)?.party.partyId ?? '';
  const status = await calls.read((ledger) => ledger.consent(partyId));
  const consent = owners.owner(account)?.consent;
  if (consent?.state !== 'present' || status?.state !== 'revoked' || status.consentId !== consent.consentId) return undefined;
  return { type: 'RecordPartyConsent', account, consent: 'revoked', consentId: consent.consentId, reason: REVOKED };
}

const REVOKED = 'consent_revoked';

export function eventOf({ ledgerEventId, offset: ledgerOffset }: Receipt): LedgerEvent {
  return { ledgerEventId, ledgerOffset };
}

function forgetting({ calls }: PassPorts, commandId: string, next: Next): Next {
  if (next === 'again') calls.forget(commandId);
  return next;
}
