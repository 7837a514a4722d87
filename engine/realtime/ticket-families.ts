/**
 * Sockets by ticket family and by its holder, an API key or a session. They are closed when their family ends. The store is queried when a family is due to
 * expire, because it may have been rotated, and periodically, because a revocation notification may be lost.
 */

import type { CloseReason } from '#contract/realtime-limits.ts';
import { contained } from '#http/server/guarded-events.ts';
import type { SocketTickets } from '#identity/socket-tickets.ts';
import { StoreUnavailable } from '#identity/store-unavailable.ts';
import type { Clock } from '#time/clock.ts';
import type { Connection } from './connection.ts';

interface Family {
  readonly keyId: string;
  readonly connections: Set<Connection>;
  expiresAtEpochMs: number;
}

export class TicketFamilies {
  readonly #tickets: SocketTickets;
  readonly #clock: Clock;
  readonly #onInternalError: (error: unknown) => void;
  readonly #families = new Map<string, Family>();

  constructor(tickets: SocketTickets, clock: Clock, onInternalError: (error: unknown) => void) {
    this.#tickets = tickets;
    this.#clock = clock;
    this.#onInternalError = onInternalError;
  }

  add(connection: Connection): void {
    const { familyId, keyId, expiresAtEpochMs } = connection.access!;
    const family = this.#families.get(familyId) ?? { keyId, connections: new Set(), expiresAtEpochMs };
    this.#families.set(familyId, family);
    family.connections.add(connection);
    family.expiresAtEpochMs = Math.max(family.expiresAtEpochMs, expiresAtEpochMs);
  }

  drop(connection: Connection): void {
    const familyId = connection.access?.familyId;
    if (familyId === undefined) return;
    const family = this.#families.get(familyId);
    family?.connections.delete(connection);
    if (family?.connections.size === 0) this.#families.delete(familyId);
  }

  /** Closes the sockets of a revoked family. */
  revoked(familyId: string): void {
    for (const connection of [...(this.#families.get(familyId)?.connections ?? [])]) this.#close(connection, 'ticket_revoked');
  }

  /** Closes the sockets of all tickets of a key or session. */
  holderEnded(keyId: string): void {
    for (const [familyId, family] of this.#families) if (family.keyId === keyId) this.revoked(familyId);
  }

  /**
   * Queries the store about families that are due, or all. A failed query is repeated by the next check. Expired families are
   * closed in any case. Never rejects.
   */
  async check(which: 'due' | 'all'): Promise<void> {
    const now = this.#clock.now();
    const due = [...this.#families].filter(([, { expiresAtEpochMs }]) => which === 'all' || expiresAtEpochMs <= now);
    await Promise.all(due.map(([familyId, family]) => this.#checkOne(familyId, family)));
  }

  async #checkOne(familyId: string, family: Family): Promise<void> {
    try {
      const status = await this.#tickets.validUntil(familyId);
      if (status === 'revoked') this.revoked(familyId);
      else if (status !== 'unknown') family.expiresAtEpochMs = status;
    } catch (error) {
      // If the query fails, the last known expiry applies, as with a family that the store has forgotten.
      if (!(error instanceof StoreUnavailable)) this.#onInternalError(error);
    }
    if (family.expiresAtEpochMs > this.#clock.now()) return;
    for (const connection of [...family.connections]) this.#close(connection, 'ticket_expired');
  }

  /** An exception does not keep the other sockets open. */
  #close(connection: Connection, reason: CloseReason): void {
    contained(this.#onInternalError, 'the end of a ticket', () => connection.close(reason))();
  }
}
