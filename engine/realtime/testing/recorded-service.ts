/** The service in this thread, fed with a history record by record: with a real core, but no writer and no disk. */
import { onTestFinished } from 'vitest';
import { DEFAULT_ENVIRONMENT, type Environment } from '#contract/environments.ts';
import { REALTIME_LIMITS, type RealtimeLimits } from '#contract/realtime-limits.ts';
import { holderIdOf, type StoredApiKey } from '#identity/directory.ts';
import { MemoryExpiringStore } from '#identity/expiring-store.ts';
import { SESSIONS, Sessions } from '#identity/sessions.ts';
import { sessionOwners } from '#identity/testing/session-owners.ts';
import { MemoryTicketStore } from '#identity/ticket-store.ts';
import { Tickets } from '#identity/tickets.ts';
import { gathered, openProjection } from '#projection/projection.ts';
import { RealtimeService } from '#realtime/service.ts';
import { History } from '#simulation/history.ts';
import { systemTime } from '#time/system-time.ts';
import type { Timers } from '#time/timers.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { renderAccountId } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { CommittedGroup } from '#writer/port/submit.ts';
import { SocketClient } from './socket-client.ts';

export const MARKET_ID = 'BTC-USD-PERP';
/** Of account 1. */
export const PASSKEY = 'AAAA';

export class RecordedService {
  readonly history: History;
  readonly tickets: Tickets;
  readonly store = new MemoryTicketStore();
  readonly projection = openProjection(':memory:');
  readonly internalErrors: unknown[] = [];
  readonly clients: SocketClient[] = [];
  /** Moves the tickets' clock, which otherwise follows the machine's. */
  aheadMs = 0;
  /** Moves the sockets' clock likewise. */
  steadyAheadMs = 0;
  service!: RealtimeService;
  readonly clock = { now: () => (1_700_000_000_000 + Math.floor(performance.now()) + this.aheadMs) as EpochMs };
  /** If set, the sockets' clock moves only by {@link steadyAheadMs}. */
  steadyStoppedAtMs: number | undefined;
  readonly steadyClock = { elapsedMs: () => (this.steadyStoppedAtMs ?? performance.now()) + this.steadyAheadMs };
  readonly revokedKeys = new Set<string>();
  readonly sessions = new Sessions({ store: new MemoryExpiringStore(SESSIONS), clock: this.clock });
  #publishedSequence = 0;
  #isStopped = false;

  private constructor(history: History) {
    this.history = history;
    const { store, clock, sessions } = this;
    const owners = sessionOwners(new Map([[PASSKEY, 1 as AccountOrdinal]]));
    const findApiKey = (keyId: string) => this.#apiKey(keyId);
    this.tickets = new Tickets({ store, findApiKey, sessions, owners, clock });
  }

  /** The service starts with all records of `history`. */
  static async start(
    history = History.begin(3),
    limits: Partial<RealtimeLimits> = {},
    origins: readonly string[] = [],
    trustedProxies: readonly string[] = [],
    replayLogDirectory?: string,
    timers: Timers = systemTime.timers,
    environment: Environment = DEFAULT_ENVIRONMENT,
  ) {
    const it = new RecordedService(history);
    it.projection.follow(history.group(0));
    it.#publishedSequence = history.records.length;
    it.service = await RealtimeService.start({
      environment,
      host: 'localhost',
      port: 0,
      origins,
      trustedProxies,
      rows: gathered(it.projection.livePieces()),
      replayLogDirectory,
      tickets: it.tickets,
      clock: it.clock,
      steadyClock: it.steadyClock,
      timers,
      limits: { ...REALTIME_LIMITS, replayWindowBytes: 2 ** 20, ...limits },
      provider: 'generated',
      onReplayLogOpened: () => {},
      onSockets: () => {},
      log: () => {},
      onInternalError: (error) => it.internalErrors.push(error),
    });
    it.store.onRevoked((familyId) => it.service.familyRevoked(familyId));
    it.sessions.onEnded((sessionId) => it.service.holderEnded(holderIdOf(sessionId)));
    onTestFinished(() => it.stop());
    return it;
  }

  /** Closes the service, and throws what was wrong with its frames. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    for (const client of this.clients) client.socket.terminate();
    await this.service.close();
    this.projection.close();
    for (const client of this.clients) client.demandValid();
    if (this.internalErrors.length > 0) throw this.internalErrors[0];
  }

  get port(): number {
    return this.service.port;
  }

  /** Another loopback address counts as another network. `port` may be that of a proxy. */
  async connect(localAddress?: string, port = this.port): Promise<SocketClient> {
    const client = await SocketClient.connect(port, localAddress);
    this.clients.push(client);
    return client;
  }

  /** A socket that is authenticated for the account. */
  async connectAs(account: number, keyId = 'key', localAddress?: string, port?: number): Promise<SocketClient> {
    const client = await this.connect(localAddress, port);
    const { ticket } = (await this.tickets.mint({ account: account as AccountOrdinal, keyId, expiresAtEpochMs: 0 as EpochMs }))!;
    const { accountId } = await client.request({ op: 'auth', ticket });
    if (accountId !== renderAccountId(account as AccountOrdinal)) throw new Error('the socket was not authenticated');
    return client;
  }

  /** Publishes the history's new records to projection and service, each as a group of its own. Calls `onPublished` after each. */
  publish(onPublished?: () => void): void {
    const { records } = this.history;
    for (; this.#publishedSequence < records.length; this.#publishedSequence += 1) {
      const group = storedGroup(this.history, this.#publishedSequence);
      this.projection.follow(group);
      this.service.follow(group);
      onPublished?.();
    }
  }

  #apiKey(keyId: string): StoredApiKey {
    const isRevoked = this.revokedKeys.has(keyId);
    return {
      keyId,
      account: 1 as AccountOrdinal,
      digest: '',
      scopes: ['read'],
      label: '',
      isRevoked,
      issuedAtEpochMs: 0 as EpochMs,
      expiresAtEpochMs: 0 as EpochMs,
    };
  }
}

/** The record after `after`, as a group with a place in a journal. */
export function storedGroup(history: History, after: number): CommittedGroup {
  const group = history.group(after, after + 1);
  const header = {
    byteLength: 0,
    recordCount: 1,
    number: after + 1,
    firstSequence: group.records[0]!.sequence,
    previousDigest: Buffer.from(after === 0 ? '00'.repeat(32) : history.group(after - 1, after).chainDigest, 'hex'),
  };
  return { ...group, stored: { header, bytes: new Uint8Array(), digest: Buffer.from(group.chainDigest, 'hex') } };
}
