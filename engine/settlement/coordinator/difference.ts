/**
 * Compares the ledger with the journal: after a start, and after every time without the ledger. Each of the two stores may have been
 * restored from an older copy, or replaced. A difference that open items do not explain is returned in words.
 */

import type { OwnerDirectory } from '#reads/owner-directory.ts';
import type { LedgerView } from '#reads/owner-money.ts';
import type { LedgerCommand } from '#settlement/port/command.ts';
import type { LedgerHead } from '#settlement/port/contracts.ts';
import { MAX_PAGE } from '#settlement/port/ledger.ts';
import type { LedgerEntry } from '#settlement/port/receipt.ts';
import { type AccountOrdinal, parseAccountId } from '#units/ids.ts';
import type { LedgerCalls } from './ledger-calls.ts';
import { commandIdOf, DEPOSIT_ORDER, issueIdOf, WITHDRAWAL_ORDER } from './ledger-steps.ts';

export interface Comparison {
  /** Undefined if the journal explains all that the ledger has. */
  readonly difference: string | undefined;
  /** Accounts whose consents were revoked since. */
  readonly revoked: readonly AccountOrdinal[];
}

/** Rejects if the ledger is unavailable. A late or repeated response shows no difference that does not exist. */
export async function compareWithLedger(calls: LedgerCalls, owners: OwnerDirectory): Promise<Comparison & { head: LedgerHead }> {
  const head = await calls.read((ledger) => ledger.head());
  const known = owners.ledger();
  const difference = otherLedger(known, head) ?? (await otherHistory(calls, known)) ?? (await unbalanced(calls));
  if (difference !== undefined) return { difference, revoked: [], head };
  return { ...(await compareEntries(calls, owners, known?.offset ?? 0)), head };
}

function otherLedger(known: LedgerView | undefined, { ledgerId }: LedgerHead): string | undefined {
  if (known === undefined || known.ledgerId === ledgerId) return undefined;
  return `the journal belongs to the ledger ${known.ledgerId}, and this one is ${ledgerId}`;
}

/** The event id at an offset stands for the whole history up to it, which never changes. */
async function otherHistory(calls: LedgerCalls, known: LedgerView | undefined): Promise<string | undefined> {
  if (known === undefined || known.offset === 0) return undefined;
  const { offset, ledgerEventId } = known;
  const [entry] = await calls.read((ledger) => ledger.entries({ afterOffset: offset - 1, limit: 1 }));
  if (entry === undefined) return `the ledger ends before offset ${offset}, which the journal knows: it is an older copy`;
  if (entry.receipt.ledgerEventId === ledgerEventId) return undefined;
  return `the ledger has another event at offset ${offset} than the journal: one of the two is an older copy that was continued`;
}

/** A ledger whose money does not add up moves none, whatever its history is. */
async function unbalanced(calls: LedgerCalls): Promise<string | undefined> {
  const { issuedAtoms, heldAtoms, offeredAtoms } = await calls.read((ledger) => ledger.supply());
  if (heldAtoms + offeredAtoms === issuedAtoms) return undefined;
  return `the ledger has issued ${issuedAtoms} atoms, and its parties hold ${heldAtoms} and offer ${offeredAtoms}: it is at fault`;
}

/** Everything up to the known offset was submitted by records before the one that recorded it. */
async function compareEntries(calls: LedgerCalls, owners: OwnerDirectory, from: number): Promise<Comparison> {
  const revoked: AccountOrdinal[] = [];
  for (let afterOffset = from; ; ) {
    const page = await calls.read((ledger) => ledger.entries({ afterOffset, limit: MAX_PAGE }));
    // Items that ended meanwhile have moved the known offset.
    const recordedUpTo = owners.ledger()?.offset ?? 0;
    const explained = explainedIds(owners);
    for (const entry of page) {
      const { offset } = entry.receipt;
      if (offset > recordedUpTo && !isExplained(owners, explained, entry)) return { difference: unexplained(entry), revoked };
      if (entry.command.step === 'party_consent_revocation') revoked.push(...accountOf(owners, entry.command.partyId));
      afterOffset = offset;
    }
    if (page.length < MAX_PAGE) return { difference: undefined, revoked };
  }
}

function unexplained({ command: { step, commandId }, receipt: { offset } }: LedgerEntry): string {
  return `the ledger has the command ${commandId} (${step}) at offset ${offset}, which the journal did not submit`;
}

/** Consents and packages move no money, and others may change them. A rejected command changed nothing. */
function isExplained(owners: OwnerDirectory, explained: ReadonlySet<string>, { command, receipt }: LedgerEntry): boolean {
  switch (command.step) {
    case 'party_consent_revocation':
    case 'package_availability':
      return true;
    case 'party_consent':
      return accountOf(owners, command.partyId).length > 0;
    case 'party_allocation':
      return isAllocationOf(owners, command);
    default:
      return receipt.outcome === 'sequenced_rejected' || explained.has(command.commandId);
  }
}

function isAllocationOf(owners: OwnerDirectory, { commandId, partyHint }: Extract<LedgerCommand, { step: 'party_allocation' }>) {
  const account = parseAccountId(partyHint);
  const owner = account === undefined ? undefined : owners.owner(account);
  return owner !== undefined && commandIdOf(owner.party.ledgerKey, 'party_allocation', 1) === commandId;
}

/** Party ids start with the hint of their allocation. */
function accountOf(owners: OwnerDirectory, partyId: string): readonly AccountOrdinal[] {
  const account = parseAccountId(partyId.split('::')[0] ?? '');
  return account !== undefined && owners.owner(account)?.party.partyId === partyId ? [account] : [];
}

/** The command ids that open items have submitted. */
function explainedIds(owners: OwnerDirectory): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const it of owners.openDeposits()) {
    ids.add(issueIdOf(it.ledgerKey));
    addSubmitted(ids, it, DEPOSIT_ORDER);
  }
  for (const it of owners.openWithdrawals()) addSubmitted(ids, it, WITHDRAWAL_ORDER);
  return ids;
}

interface Submitted {
  readonly ledgerKey: string;
  readonly step: string | null;
  readonly attempt: number;
  readonly isSubmitted: boolean;
}

/** All steps of earlier attempts; those of the current one up to the due step, and that one if it is submitted. */
function addSubmitted(ids: Set<string>, { ledgerKey, step, attempt, isSubmitted }: Submitted, steps: readonly string[]): void {
  const due = step === null ? steps.length : steps.indexOf(step);
  for (let earlier = 1; earlier < attempt; earlier += 1) for (const each of steps) ids.add(commandIdOf(ledgerKey, each, earlier));
  for (const [index, each] of steps.entries())
    if (index < due || (index === due && isSubmitted)) ids.add(commandIdOf(ledgerKey, each, attempt));
}
