/** What a request needs before it moves money or sets up a party: an open venue, its capability, and a ledger. */
import { Refused } from '#contract/refused.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import type { OwnerView } from '#reads/owner-directory.ts';
import type { LedgerView } from '#reads/owner-money.ts';
import type { Directory } from '#reads/reads.ts';
import type { Coordinator } from '#settlement/coordinator/coordinator.ts';
import { type AccountOrdinal, renderAccountId } from '#units/ids.ts';

const RETRY_LATER = { 'retry-after': '10' } as const;

/**
 * Throws {@link Refused} while the venue is halted or paused, or money may not move in this direction. Changes of parties need
 * `transfers` alone.
 */
export function demandMovable(directory: Directory, capability: 'deposits' | 'withdrawals' | 'transfers'): void {
  const { status, capabilities } = directory.switches();
  if (status === 'halted') throw new Refused('venue_halted', HALTED, { agentRefusal: 'venue_halted', headers: RETRY_LATER });
  if (status === 'intake_paused') throw new Refused('intake_paused');
  // Transfers are off while the ledger differs from the journal.
  if (capabilities[capability] !== true || capabilities.transfers !== true)
    throw new Refused('capability_unavailable', undefined, { agentRefusal: 'account_transfer_unavailable' });
}

const HALTED = 'The operator halted the venue. Nothing was carried out: retry when GET /ready returns 200.';

/** Throws {@link Refused} on a venue without an external ledger. */
export function demandLedger({ settlement }: Pick<HttpPorts, 'settlement'>): Coordinator {
  if (settlement !== undefined) return settlement;
  throw new Refused('dependency_unavailable', 'The operator has not connected an external ledger to this venue.', {
    dependency: 'external_ledger',
    headers: { 'retry-after': '60' },
  });
}

/** Throws {@link Refused} until the venue has met its ledger for the first time. */
export function demandBoundLedger({ owners }: Pick<HttpPorts, 'owners'>): LedgerView {
  const bound = owners.ledger();
  if (bound !== undefined) return bound;
  throw new Refused('dependency_unavailable', 'The external ledger has not responded yet. Retry in a moment.', {
    dependency: 'external_ledger',
    headers: RETRY_LATER,
  });
}

/** Throws {@link Refused} for a retired account. A session has an owner. */
export function demandOwner({ owners }: Pick<HttpPorts, 'owners'>, account: AccountOrdinal): OwnerView {
  const owner = owners.owner(account);
  if (owner === undefined) throw new Error(`${renderAccountId(account)} has a session and no owner`);
  if (owner.isRetired) throw new Refused(owner.isLegacy ? 'account_legacy_excluded' : 'account_retired');
  return owner;
}
