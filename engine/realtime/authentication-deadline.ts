/**
 * Sockets without a ticket must not keep out those with one: beyond `maxUnauthenticated`, a new socket is closed unless it
 * authenticates in time.
 */
import type { RealtimeLimits } from '#contract/realtime-limits.ts';
import type { SteadyClock } from '#time/clock.ts';
import type { Connection } from './connection.ts';

export class AuthenticationDeadline {
  readonly #limits: RealtimeLimits;
  readonly #steadyClock: SteadyClock;
  readonly #unauthenticated = new Set<Connection>();
  /** Sockets that must authenticate, and their deadlines, earliest first. */
  readonly #dueAtMs = new Map<Connection, number>();

  constructor(limits: RealtimeLimits, steadyClock: SteadyClock) {
    this.#limits = limits;
    this.#steadyClock = steadyClock;
  }

  connected(connection: Connection): void {
    const { maxUnauthenticated, authenticateMs } = this.#limits;
    this.#unauthenticated.add(connection);
    if (this.#unauthenticated.size > maxUnauthenticated)
      this.#dueAtMs.set(connection, this.#steadyClock.elapsedMs() + authenticateMs);
  }

  /** The socket was authenticated or has closed. */
  disconnected(connection: Connection): void {
    this.#unauthenticated.delete(connection);
    this.#dueAtMs.delete(connection);
  }

  check(): void {
    const now = this.#steadyClock.elapsedMs();
    for (const [connection, dueAtMs] of this.#dueAtMs) {
      if (dueAtMs > now) break;
      this.#dueAtMs.delete(connection);
      connection.close('authentication_overdue');
    }
  }
}
