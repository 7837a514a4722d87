/**
 * Offers that the ledger has from records that the journal has lost: the item goes on with the same offer, under the same command id.
 * Only the expiry can differ: it depends on the time, and everything else in the command follows from the item.
 */
import type { LedgerCommand } from '#settlement/port/command.ts';
import { canonicalText, checkedCommand } from '#settlement/port/command-form.ts';
import type { Receipt } from '#settlement/port/receipt.ts';
import { type EpochMs, epochMs } from '#units/money.ts';
import type { LedgerCalls } from './ledger-calls.ts';
import { OFFER_LIFETIME_MS, type PassPorts } from './pass-ports.ts';

/** An offer that has already expired gets this lifetime, because the journal stores no expiry in the past. It is withdrawn after that. */
const MIN_LIFETIME_MS = 60_000;

type Offer = Extract<LedgerCommand, { readonly expiresAtEpochMs: EpochMs }>;

/** The expiry for the offer that is due: the ledger's if it has the offer. Undefined if the ledger has it and does not show it yet. */
export async function expiryOfOffer(ports: PassPorts, commandId: string): Promise<EpochMs | undefined> {
  const { calls, clock, isInDoubt } = ports;
  const expiresAtEpochMs = epochMs(clock.now() + OFFER_LIFETIME_MS);
  if (!isInDoubt()) return expiresAtEpochMs;
  const found = await calls.read((ledger) => ledger.lookUp(commandId));
  if (found.status === 'unknown') return expiresAtEpochMs;
  const command = found.status === 'sequenced' ? (await calls.entryAt(found.receipt.offset))?.command : undefined;
  if (command === undefined) return undefined;
  // The ledger refuses the offer then, and the item is stuck.
  if (!isOffer(command)) return expiresAtEpochMs;
  return epochMs(Math.max(command.expiresAtEpochMs, clock.now() + MIN_LIFETIME_MS));
}

/**
 * The receipt of what the ledger has under the id, if it is the same offer with another expiry. Also if it was rejected: it changed
 * nothing, and no offer can be made under this id.
 */
export async function receiptOfSameOffer(calls: LedgerCalls, command: LedgerCommand): Promise<Receipt | undefined> {
  if (!isOffer(command)) return undefined;
  const found = await calls.read((ledger) => ledger.lookUp(command.commandId));
  if (found.status !== 'sequenced') return undefined;
  if (found.receipt.outcome === 'sequenced_rejected') return found.receipt;
  const entry = await calls.entryAt(found.receipt.offset);
  if (entry === undefined || !isOffer(entry.command)) return undefined;
  const { expiresAtEpochMs } = command;
  return isEqual({ ...entry.command, expiresAtEpochMs }, command) ? found.receipt : undefined;
}

function isEqual(one: LedgerCommand, other: LedgerCommand): boolean {
  return canonicalText(checkedCommand(one)) === canonicalText(checkedCommand(other));
}

function isOffer(command: LedgerCommand): command is Offer {
  return 'expiresAtEpochMs' in command;
}
