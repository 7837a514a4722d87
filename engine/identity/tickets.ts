/**
 * Realtime tickets as clients use them: minted with an API key or a session, rotated, used by a socket, revoked. They end with that
 * key or session, their holder.
 */

import type { RealtimeTicketFailure, SocketTicketFailure } from '#contract/realtime-errors.ts';
import { MAX_TICKET_FAMILIES, TICKET_LIFETIMES } from '#contract/realtime-limits.ts';
import type { Clock } from '#time/clock.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { type BearerPorts, type Principal, sessionOfHolder } from './directory.ts';
import { isOfOwner } from './session-owner.ts';
import type { Sessions } from './sessions.ts';
import type { FamilyStatus, SocketTickets, TicketVerdict } from './socket-tickets.ts';
import { createTicket, digestsOf, nextTicket } from './ticket.ts';
import { type FamilyChange, revoked, rotated, type TicketFamily, used } from './ticket-family.ts';
import type { TicketStore } from './ticket-store.ts';

export interface GrantedTicket {
  readonly ticket: string;
  readonly account: AccountOrdinal;
  readonly expiresAtEpochMs: EpochMs;
}

export interface TicketPorts extends Pick<BearerPorts, 'findApiKey' | 'owners'> {
  readonly store: TicketStore;
  readonly sessions: Pick<Sessions, 'unrevoked'>;
  readonly clock: Clock;
}

/** The holder that a ticket is minted for. Tickets expire no later than it. */
type TicketHolder = Pick<Principal, 'account' | 'keyId' | 'expiresAtEpochMs'>;

/** Another account of the holder's owner, and the private channels of it that a ticket permits. */
interface TicketScope {
  readonly account: AccountOrdinal;
  readonly channels: readonly string[];
}

export class Tickets implements SocketTickets {
  readonly #ports: TicketPorts;
  readonly #store: TicketStore;
  readonly #clock: Clock;

  constructor(ports: TicketPorts) {
    this.#ports = ports;
    this.#store = ports.store;
    this.#clock = ports.clock;
  }

  /** For the account of the holder, or in a scope. `undefined` if the account has as many families as it may. */
  async mint(holder: TicketHolder, scope?: TicketScope): Promise<GrantedTicket | undefined> {
    const { keyId, expiresAtEpochMs: holderExpiresAtEpochMs } = holder;
    const { account } = scope ?? holder;
    const now = this.#clock.now();
    const { ticket, familyId, digest } = createTicket();
    const endsAtEpochMs = Math.min(
      now + TICKET_LIFETIMES.familyMs,
      holderExpiresAtEpochMs || Number.POSITIVE_INFINITY,
    ) as EpochMs;
    const expiresAtEpochMs = Math.min(now + TICKET_LIFETIMES.ticketMs, endsAtEpochMs) as EpochMs;
    const family: TicketFamily = {
      familyId,
      account,
      keyId,
      ...(scope && { channels: scope.channels }),
      endsAtEpochMs,
      isRevoked: false,
      current: { digest, expiresAtEpochMs, isUsed: false },
    };
    return (await this.#add(family, now)) ? { ticket, account, expiresAtEpochMs } : undefined;
  }

  async rotate(ticket: string): Promise<GrantedTicket | { readonly failure: RealtimeTicketFailure }> {
    if (digestsOf(ticket) === undefined) return { failure: 'invalid' };
    const next = nextTicket(ticket);
    const { digest } = next;
    const verdict = await this.#judge(ticket, (family, presented, now) =>
      rotated(family, presented, { digest, lifetimeMs: TICKET_LIFETIMES.ticketMs }, now),
    );
    if ('failure' in verdict) return verdict;
    const { account, expiresAtEpochMs } = verdict.access;
    return { ticket: next.ticket, account, expiresAtEpochMs };
  }

  authenticate(ticket: string): Promise<TicketVerdict> {
    return this.#judge(ticket, used);
  }

  /** Ends the family of a ticket, whichever of its tickets that is. */
  async revoke(ticket: string): Promise<void> {
    const familyId = digestsOf(ticket)?.familyId;
    if (familyId !== undefined) await this.#store.change(familyId, (family) => ({ family: revoked(family) }));
  }

  async validUntil(familyId: string): Promise<FamilyStatus> {
    const family = await this.#store.find(familyId);
    if (family === undefined) return 'unknown';
    return family.isRevoked || (await this.#hasLostHolder(family)) ? 'revoked' : family.current.expiresAtEpochMs;
  }

  /** If the account is at its limit, families whose holder ended make room: their tickets cannot be used any more. */
  async #add(family: TicketFamily, now: EpochMs): Promise<boolean> {
    if (await this.#store.add(family, MAX_TICKET_FAMILIES, now)) return true;
    const families = await this.#store.validFamilies(family.account, now);
    const ended = await Promise.all(families.map(async (it) => ((await this.#hasLostHolder(it)) ? [it.familyId] : [])));
    await Promise.all(ended.flat().map((familyId) => this.#store.change(familyId, (it) => ({ family: revoked(it) }))));
    return ended.flat().length > 0 && this.#store.add(family, MAX_TICKET_FAMILIES, now);
  }

  async #judge<Failure extends SocketTicketFailure>(
    ticket: string,
    change: (family: TicketFamily, digest: string, now: EpochMs) => FamilyChange<Failure>,
  ): Promise<FamilyChange<Failure | RealtimeTicketFailure>['verdict']> {
    const digests = digestsOf(ticket);
    if (digests === undefined) return { failure: 'invalid' };
    const now = this.#clock.now();
    const { familyId, digest } = digests;
    // The holder of a family never changes. A holder that ends later notifies the sockets.
    const found = await this.#store.find(familyId);
    const hasLostHolder = found !== undefined && (await this.#hasLostHolder(found));
    const changed = await this.#store.change(familyId, (family): FamilyChange<Failure | RealtimeTicketFailure> => {
      if (hasLostHolder) return { family: revoked(family), verdict: { failure: 'revoked' } };
      return change(family, digest, now);
    });
    return changed?.verdict ?? { failure: 'invalid' };
  }

  /** Whether the key was revoked, or the session ended early or with its passkey. */
  async #hasLostHolder({ keyId }: TicketFamily): Promise<boolean> {
    const { findApiKey, sessions, owners } = this.#ports;
    const sessionId = sessionOfHolder(keyId);
    if (sessionId === undefined) return findApiKey(keyId)?.isRevoked !== false;
    const session = await sessions.unrevoked(sessionId);
    return session === undefined || !isOfOwner(session, owners);
  }
}
