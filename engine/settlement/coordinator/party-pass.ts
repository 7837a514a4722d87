/** One pass of an owner's party and of its consent: allocation and consent are submitted to the ledger, and recorded. */

import type { OwnerView } from '#reads/owner-directory.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { Next } from './item-queue.ts';
import { allocationCommand, consentCommand } from './ledger-steps.ts';
import type { PassPorts } from './pass-ports.ts';
import { receiptOf } from './receipts.ts';

export async function passParty(ports: PassPorts, account: AccountOrdinal): Promise<Next> {
  const owner = ports.owners.owner(account);
  if (owner === undefined) return 'idle';
  if (owner.party.status === 'allocating') return allocate(ports, owner);
  if (owner.consent.state === 'submitted') return recordConsent(ports, owner);
  if (owner.consent.state === 'present' && ports.isConsentInDoubt(account)) return checkConsent(ports, owner);
  return 'idle';
}

async function allocate(ports: PassPorts, owner: OwnerView): Promise<Next> {
  const receipt = await receiptOf(ports, allocationCommand(owner));
  if (receipt === undefined) return 'pending';
  if (receipt.outcome === 'sequenced_rejected')
    return ports.report(`the ledger rejected the party of account ${owner.account}: ${receipt.reason}`);
  const { account } = owner;
  return forgetting(
    ports,
    receipt.commandId,
    await ports.carryOut({ type: 'AllocateParty', account, partyId: receipt.createdId! }),
  );
}

async function recordConsent(ports: PassPorts, owner: OwnerView): Promise<Next> {
  const { account, consent } = owner;
  const receipt = await receiptOf(ports, consentCommand(owner, consent.ledgerKey, consent.consentId));
  if (receipt === undefined) return 'pending';
  const found =
    receipt.outcome === 'sequenced_accepted'
      ? { consent: 'present' as const, consentId: receipt.createdId!, reason: '' }
      : await consentOnLedger(ports, owner, receipt.reason);
  return forgetting(ports, receipt.commandId, await ports.carryOut({ type: 'RecordPartyConsent', account, ...found }));
}

/** What the ledger has instead of the rejected consent. */
async function consentOnLedger(ports: PassPorts, { party }: OwnerView, reason: string) {
  const status = await ports.calls.read((ledger) => ledger.consent(party.partyId));
  const state = status?.state ?? 'absent';
  return { consent: state, consentId: status?.consentId ?? '', reason: state === 'present' ? '' : reason } as const;
}

/** A revocation is recorded. It is never undone here: only a new signature of the owner replaces a revoked consent. */
async function checkConsent(ports: PassPorts, { account, party, consent }: OwnerView): Promise<Next> {
  const status = await ports.calls.read((ledger) => ledger.consent(party.partyId));
  ports.consentChecked(account);
  if (status?.state !== 'revoked') return 'idle';
  const { consentId } = consent;
  return ports.carryOut({ type: 'RecordPartyConsent', account, consent: 'revoked', consentId, reason: 'consent_revoked' });
}

function forgetting({ calls }: PassPorts, commandId: string, next: Next): Next {
  if (next === 'again') calls.forget(commandId);
  return next;
}
