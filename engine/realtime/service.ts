/**
 * The realtime service: a socket server on a port of its own. It takes committed groups from the writer and sends updates to
 * subscribers. It never delays the venue. An internal error closes the sockets that it concerns; one in the fold ends the service
 * and the venue, because clients would get wrong data.
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CLOSE_CODES, type CloseReason } from '#contract/realtime-limits.ts';
import { refused } from '#contract/realtime-request.ts';
import { contained } from '#http/server/guarded-events.ts';
import { TrustedProxies } from '#http/server/trusted-proxies.ts';
import { LiveModel, type LiveRows } from '#projection/projection.ts';
import type { Timer } from '#time/timers.ts';
import { TokenBucket } from '#time/token-bucket.ts';
import type { CommittedGroup } from '#writer/port/submit.ts';
import { AuthenticationDeadline } from './authentication-deadline.ts';
import { Connection, type ConnectionPorts, type ConnectionTally } from './connection.ts';
import { EarlySubscriptions } from './early-subscriptions.ts';
import { FanOut, type FanOutPorts } from './fan-out.ts';
import { AccountBudgets, FrameBudget } from './frame-budget.ts';
import { FrameTurns } from './frame-turns.ts';
import { nextToShed } from './load-shedding.ts';
import { FAIR_TIME_MS, Networks } from './networks.ts';
import type { RealtimeCounts, RealtimePorts } from './ports.ts';
import { PrivateBytes } from './private-bytes.ts';
import { ReplayCapacity } from './replay-capacity.ts';
import { ReplayLog } from './replay-log.ts';
import { ReplayQueue } from './replay-queue.ts';
import { Session, type SessionPorts } from './session.ts';
import { TicketFamilies } from './ticket-families.ts';
import { handleUpgrades, type UpgradedSocket } from './upgrade.ts';

/** A group that was sent so long before it is folded means that the service is overloaded. */
const OVERLOAD_THRESHOLD_MS = 5_000;

export class RealtimeService {
  readonly #ports: RealtimePorts;
  readonly #server: Server;
  #fanOut: FanOut;
  readonly #replayLog: ReplayLog | undefined;
  readonly #early: EarlySubscriptions;
  readonly #replays: ReplayQueue;
  readonly #families: TicketFamilies;
  #session: SessionPorts;
  readonly #fanOutPorts: FanOutPorts;
  readonly #connections = new Set<Connection>();
  readonly #networks: Networks;
  readonly #accounts: AccountBudgets;
  readonly #connectionPorts: ConnectionPorts;
  readonly #tally: ConnectionTally = {
    framesSent: 0,
    closed: Object.fromEntries(Object.keys(CLOSE_CODES).map((reason) => [reason, 0])) as ConnectionTally['closed'],
  };
  readonly #overdue: AuthenticationDeadline;
  readonly #timers: readonly Timer[];
  /** No load is shed before this moment, so that the service can catch up. */
  #shedUntilMs = Number.NEGATIVE_INFINITY;
  /** Before the last start over. */
  #conflatedBefore = 0;

  private constructor(ports: RealtimePorts) {
    const {
      rows,
      replayLogDirectory: directory,
      limits,
      provider,
      tickets,
      clock,
      steadyClock,
      timers,
      onReplayLogOpened,
      log,
      onInternalError,
    } = ports;
    const model = new LiveModel(rows);
    this.#ports = ports;
    const privateBytes = new PrivateBytes(limits);
    const onSendError: FanOutPorts['onSendError'] = (connections, error) => this.#end(connections, error);
    this.#fanOutPorts = { limits, provider, steadyClock, timers, onSendError };
    this.#connectionPorts = { limits, tally: this.#tally, privateBytes, steadyClock, timers, onSendError };
    const rate = { burst: limits.totalFrameBurst, perSecond: limits.totalFramesPerSecond };
    const turns = () => new FrameTurns(rate, steadyClock, timers);
    this.#networks = new Networks(limits, steadyClock, turns());
    const turnsOfAccounts = turns();
    this.#accounts = new AccountBudgets(() => {
      const tokens = new TokenBucket({ burst: limits.sharedFrameBurst, perSecond: limits.sharedFramesPerSecond }, steadyClock);
      return new FrameBudget(tokens, new TokenBucket(FAIR_TIME_MS, steadyClock), steadyClock, turnsOfAccounts);
    });
    if (directory !== undefined)
      this.#replayLog = new ReplayLog({
        directory,
        replayWindowBytes: limits.replayWindowBytes,
        timers,
        onReplayLogOpened,
        log,
        onInternalError,
      });
    this.#fanOut = new FanOut(model, this.#fanOutPorts, this.#replayLog);
    this.#replayLog?.restore(rows, this.#fanOut.recent);
    this.#early = new EarlySubscriptions(timers, limits.aheadMs);
    this.#replays = new ReplayQueue({ steadyClock, timers, sliceMs: limits.replaySliceMs, onInternalError });
    this.#families = new TicketFamilies(tickets, clock, onInternalError);
    const onAuthenticated = (connection: Connection) => this.#authenticated(connection);
    const replayCapacity = new ReplayCapacity(this.#connections, privateBytes, limits);
    const [fanOut, ahead, replays] = [this.#fanOut, this.#early, this.#replays];
    this.#session = {
      environment: ports.environment,
      fanOut,
      model,
      tickets,
      ahead,
      replays,
      replayCapacity,
      limits,
      onSendError,
      onAuthenticated,
    };
    this.#server = handleUpgrades({
      limits,
      origins: ports.origins,
      proxies: new TrustedProxies(ports.trustedProxies),
      count: () => this.#connections.size,
      hasCapacity: (network) => this.#networks.hasCapacity(network),
      takeHandshakeToken: (network) => this.#networks.named(network).handshakes.take(1),
      onUpgrade: (arrival) => this.#receive(arrival),
      steadyClock,
      timers,
      onInternalError,
    });
    this.#overdue = new AuthenticationDeadline(limits, steadyClock);
    this.#timers = [
      timers.setInterval(
        contained(onInternalError, 'looking for sockets that do not authenticate', () => this.#overdue.check()),
        limits.authenticateMs / 10,
      ),
      timers.setInterval(
        contained(onInternalError, 'looking for idle sockets', () => this.#checkIdle()),
        limits.idleMs / 4,
      ),
      timers.setInterval(() => void this.#families.check('due').catch(onInternalError), 1_000),
      timers.setInterval(() => void this.#families.check('all').catch(onInternalError), limits.idleMs / 2),
    ];
  }

  /** Rejects if the port is in use. */
  static async start(ports: RealtimePorts): Promise<RealtimeService> {
    const service = new RealtimeService(ports);
    const server = service.#server;
    try {
      server.listen({ host: ports.host, port: ports.port });
      await once(server, 'listening');
    } catch (error) {
      for (const timer of service.#timers) timer.cancel();
      throw error;
    }
    // A connection could not be accepted, for example for lack of file descriptors; open ones continue.
    server.on('error', (error) => ports.log(`realtime: ${error.message}`));
    return service;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Folds the next committed group. `sentAtMs`: when it was sent here, on the steady clock. */
  follow(group: CommittedGroup, sentAtMs: number = this.#ports.steadyClock.elapsedMs()): void {
    for (const { revokedKeys } of this.#fanOut.follow(group, sentAtMs))
      for (const keyId of revokedKeys) this.#families.holderEnded(keyId);
    this.#early.reached(this.#fanOut.sequence);
    if (this.#ports.steadyClock.elapsedMs() - sentAtMs > OVERLOAD_THRESHOLD_MS) this.#shedLoad();
  }

  /** Closes the most expensive sockets, and more of them if the service is still behind later. */
  #shedLoad(): void {
    const now = this.#ports.steadyClock.elapsedMs();
    if (now < this.#shedUntilMs) return;
    this.#shedUntilMs = now + OVERLOAD_THRESHOLD_MS;
    for (const connection of nextToShed(this.#connections)) this.#disconnect(connection, 'overloaded');
  }

  /**
   * Starts over with these rows, if more records wait than the service can process. It skips records, so all clients are
   * disconnected. They reconnect and resync.
   */
  startOver(rows: LiveRows): void {
    for (const connection of this.#connections) this.#disconnect(connection, 'overloaded');
    this.#fanOut.stop();
    this.#conflatedBefore += this.#fanOut.conflated;
    const model = new LiveModel(rows);
    this.#fanOut = new FanOut(model, this.#fanOutPorts, this.#replayLog);
    this.#session = { ...this.#session, fanOut: this.#fanOut, model };
  }

  /** The newest folded record. */
  get sequence(): number {
    return this.#fanOut.sequence;
  }

  /** Closes the sockets of a key's or a session's tickets. */
  holderEnded(holderId: string): void {
    this.#families.holderEnded(holderId);
  }

  /** Closes the sockets of a revoked ticket family. */
  familyRevoked(familyId: string): void {
    this.#families.revoked(familyId);
  }

  counts(): RealtimeCounts {
    let subscriptions = 0;
    for (const connection of this.#connections) subscriptions += connection.subscriptions.size;
    const conflated = this.#conflatedBefore + this.#fanOut.conflated;
    const { sequence } = this;
    const { framesSent, closed } = this.#tally;
    const [sockets, waitingReplays] = [this.#connections.size, this.#replays.count];
    return { sockets, subscriptions, waitingReplays, framesSent, closed: { ...closed }, conflated, sequence };
  }

  /** Sends waiting updates. */
  flush(): void {
    this.#fanOut.flush();
  }

  /** Closes every client with the reason `venue_stops`, and ends. */
  async close(): Promise<void> {
    for (const timer of this.#timers) timer.cancel();
    this.flush();
    this.#fanOut.stop();
    this.#replays.stop();
    this.#closeAll('venue_stops');
    const closed = new Promise((resolve) => this.#server.close(resolve));
    // Connections before their upgrade are closed at once; clients have a moment to read their close frame.
    this.#server.closeAllConnections();
    await closed;
    await this.#replayLog?.close();
  }

  #receive(arrival: UpgradedSocket): void {
    const { onSockets } = this.#ports;
    const { socket } = arrival;
    // A frame that is too large or malformed, or a reset: ws closes the connection, and nothing else is needed.
    socket.on('error', () => socket.terminate());
    const network = this.#networks.named(arrival.network);
    const connection = new Connection({ ...arrival, network }, this.#connectionPorts);
    this.#connections.add(connection);
    onSockets(this.#connections.size);
    network.joined();
    this.#overdue.connected(connection);
    socket.on('close', () => this.#forget(connection));
    connection.onDrained = () => this.#replays.wake();
    const session = new Session(connection, this.#session);
    const orEnd = (take: () => void) => {
      try {
        take();
      } catch (error) {
        this.#end([connection], error);
      }
    };
    const taking = (bytes: Buffer, take: () => void) => orEnd(() => connection.admitFrame(bytes, () => orEnd(take)));
    socket.on('pong', (data) => taking(data, () => {}));
    socket.on('ping', (data) => taking(data, () => connection.pong(data)));
    socket.on('message', (data, isBinary) => {
      const bytes = data as Buffer;
      taking(bytes, () => {
        if (isBinary) connection.send(refused('invalid_request', 'Send frames as text.'));
        else void session.takes(bytes);
      });
    });
  }

  /** Reports an internal error and closes the sockets that it concerns; others continue. */
  #end(connections: Iterable<Connection>, error: unknown): void {
    this.#ports.onInternalError(error);
    for (const connection of connections) this.#disconnect(connection, 'internal_error');
  }

  #disconnect(connection: Connection, reason: CloseReason): void {
    this.#runSteps([
      () => this.#fanOut.drop(connection),
      () => this.#early.dropAll(connection),
      () => this.#replays.dropAll(connection),
      () => connection.close(reason),
    ]);
  }

  #authenticated(connection: Connection): void {
    if (!this.#connections.has(connection)) return;
    this.#overdue.disconnected(connection);
    connection.joinNetwork(this.#accounts.of(connection.access!.account));
    this.#families.add(connection);
  }

  #forget(connection: Connection): void {
    this.#connections.delete(connection);
    connection.network.left();
    this.#runSteps([
      () => connection.onClosed(),
      () => this.#overdue.disconnected(connection),
      () => this.#ports.onSockets(this.#connections.size),
      () => this.#fanOut.drop(connection),
      () => this.#early.dropAll(connection),
      () => this.#replays.dropAll(connection),
      () => this.#families.drop(connection),
    ]);
  }

  /** Runs each step, even if another throws: a closed socket must not stay in a count or a list, nor a failed one open. */
  #runSteps(steps: readonly (() => void)[]): void {
    for (const step of steps) contained(this.#ports.onInternalError, 'the close of a socket', step)();
  }

  #checkIdle(): void {
    for (const connection of this.#connections) {
      try {
        connection.checkIdle();
      } catch (error) {
        this.#end([connection], error);
      }
    }
    this.#networks.evictIdle();
    this.#accounts.evictIdle();
    this.#fanOut.dropReplayRanges();
  }

  #closeAll(reason: CloseReason): void {
    for (const connection of this.#connections) connection.close(reason);
  }
}
