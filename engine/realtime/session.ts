/** A client's session: handles its frames, with authentication, subscriptions and refusals. */

import type { Environment } from '#contract/environments.ts';
import { REALTIME_VERSION } from '#contract/realtime.ts';
import { isPrivate } from '#contract/realtime-channels.ts';
import { SOCKET_TICKET_FAILURES, SOCKET_TICKET_REMEDIES } from '#contract/realtime-errors.ts';
import type { RealtimeLimits } from '#contract/realtime-limits.ts';
import { type ClientRequest, type NamedSubscription, parseClientFrame, refused } from '#contract/realtime-request.ts';
import type { SocketTickets } from '#identity/socket-tickets.ts';
import { StoreUnavailable } from '#identity/store-unavailable.ts';
import type { LiveModel } from '#projection/projection.ts';
import { parseAccountId, renderAccountId } from '#units/ids.ts';
import type { Connection } from './connection.ts';
import type { EarlySubscriptions } from './early-subscriptions.ts';
import { deliversNewest, type FanOut } from './fan-out.ts';
import type { ReplayCapacity } from './replay-capacity.ts';
import type { ReplayOutcome, ReplayQueue } from './replay-queue.ts';
import { resyncRequired } from './resync-refusal.ts';
import { switchedOff } from './switched-off.ts';
import { addressOf, keyOf, type Subject } from './topic.ts';

type ClientOperation<Op extends ClientRequest['op']> = Extract<ClientRequest, { readonly op: Op }>;

const TOO_MANY_INVALID = 'The network has sent too many invalid tickets: send the frame again later.';

export interface SessionPorts {
  readonly environment: Environment;
  readonly fanOut: FanOut;
  readonly model: LiveModel;
  readonly tickets: SocketTickets;
  readonly ahead: EarlySubscriptions;
  readonly replays: ReplayQueue;
  readonly replayCapacity: ReplayCapacity;
  readonly limits: RealtimeLimits;
  /** Receives an internal error in a request of this connection, and closes it. */
  readonly onSendError: (connections: Iterable<Connection>, error: unknown) => void;
  /** Called with each connection that was authenticated. */
  readonly onAuthenticated: (connection: Connection) => void;
}

export class Session {
  readonly #connection: Connection;
  readonly #ports: SessionPorts;
  #isAuthenticating = false;
  #failedAuths = 0;

  constructor(connection: Connection, ports: SessionPorts) {
    this.#connection = connection;
    this.#ports = ports;
    connection.send({ type: 'hello', version: REALTIME_VERSION });
  }

  /** Never rejects: an internal error closes the connection. */
  async takes(bytes: Uint8Array): Promise<void> {
    try {
      await this.#take(bytes);
    } catch (error) {
      this.#fail(error);
    }
  }

  async #take(bytes: Uint8Array): Promise<void> {
    const request = parseClientFrame(this.#ports.environment, String(bytes), bytes);
    if ('type' in request) this.#connection.send(request);
    else if (request.op === 'ping') this.#connection.send({ type: 'pong', ...echo(request) });
    else if (request.op === 'auth') await this.#authenticate(request);
    else if (request.op === 'subscribe') this.#subscribe(request);
    else this.#unsubscribe(request);
  }

  async #authenticate({ ticket, id }: ClientOperation<'auth'> & { readonly id?: string | undefined }): Promise<void> {
    const connection = this.#connection;
    if (this.#isAuthenticating || connection.access !== undefined) return this.#refuse('already_authenticated', { id });
    if (!connection.network.auths.take(1)) return this.#refuse('tickets_unavailable', { id }, TOO_MANY_INVALID);
    this.#isAuthenticating = true;
    const verdict = await this.#ports.tickets.authenticate(ticket).catch(unlessUnavailable);
    this.#isAuthenticating = false;
    // The tokens are for wrong tickets: an outage of the store is not the network's fault.
    if (verdict === undefined || 'access' in verdict) connection.network.auths.give(1);
    if (verdict === undefined) return this.#refuse('tickets_unavailable', { id });
    if ('failure' in verdict) {
      const { failure } = verdict;
      const message = `${SOCKET_TICKET_FAILURES[failure]} ${SOCKET_TICKET_REMEDIES[failure]}`;
      this.#refuse('ticket_rejected', { id, realtimeTicketFailure: failure }, message);
      this.#failedAuths += 1;
      if (this.#failedAuths >= this.#ports.limits.maxFailedAuths) connection.close('tickets_rejected');
      return;
    }
    const { access } = verdict;
    connection.access = access;
    // It may have closed meanwhile: then it is dropped with its other state.
    this.#ports.onAuthenticated(connection);
    const accountId = renderAccountId(access.account);
    connection.send({ type: 'auth_ok', accountId, expiresAt: access.expiresAtEpochMs, ...echo({ id }) });
  }

  #subscribe(request: ClientOperation<'subscribe'> & { readonly id?: string | undefined }): void {
    const { named, fromSequence, id } = request;
    const subject = this.#subjectOf(named, id);
    if (subject === undefined) return;
    const connection = this.#connection;
    const { channel } = named;
    const { fanOut, ahead } = this.#ports;
    const key = keyOf(subject);
    const refusal = this.#rejectionReason(key);
    if (refusal !== undefined) {
      this.#refuse(refusal, { channel, id });
      return;
    }
    if (fromSequence === undefined || fromSequence <= fanOut.sequence) {
      this.#begin(subject, fromSequence, id);
      return;
    }
    // REST has already shown this sequence: its record arrives here soon.
    ahead.add(connection, key, fromSequence, (outcome) => {
      try {
        if (outcome === 'reached') this.#begin(subject, fromSequence, id);
        else this.#refuse(outcome === 'withdrawn' ? 'subscription_withdrawn' : 'sequence_ahead', { channel, id });
      } catch (error) {
        this.#fail(error);
      }
    });
  }

  #fail(error: unknown): void {
    this.#ports.onSendError([this.#connection], error);
  }

  #rejectionReason(key: string): 'already_subscribed' | 'too_many_subscriptions' | undefined {
    const connection = this.#connection;
    const { subscriptions } = connection;
    const { ahead, replays, limits } = this.#ports;
    if (subscriptions.has(key) || ahead.has(connection, key) || replays.has(connection, key)) return 'already_subscribed';
    const count = subscriptions.size + ahead.countOf(connection) + replays.countOf(connection);
    return count >= limits.maxSubscriptions ? 'too_many_subscriptions' : undefined;
  }

  #begin(subject: Subject, fromSequence: number | undefined, id: string | undefined): void {
    const { channel } = subject;
    if (!this.#ports.fanOut.hasSource(channel)) {
      this.#connection.send(switchedOff(channel, id));
      return;
    }
    const connection = this.#connection;
    const { fanOut, replays } = this.#ports;
    if (fromSequence === undefined || deliversNewest(subject)) {
      const { sequence, frames } = fanOut.subscribe(connection, subject);
      connection.send(subscribed(subject, sequence, id), ...frames);
      return;
    }
    const end = (outcome: ReplayOutcome) => this.#endReplay(subject, fromSequence, outcome, id);
    if (fromSequence < fanOut.recent.oldest) end('not_kept');
    else {
      const create = () => fanOut.replay(subject, fromSequence);
      replays.add({ connection, key: keyOf(subject), create, end, fail: (error) => this.#fail(error) });
    }
  }

  #endReplay(subject: Subject, fromSequence: number, outcome: ReplayOutcome, id: string | undefined): void {
    const { channel } = subject;
    const connection = this.#connection;
    const { fanOut, replayCapacity, limits } = this.#ports;
    // The operator may have switched it off during the replay.
    if (!fanOut.hasSource(channel)) connection.send(switchedOff(channel, id));
    else if (outcome === 'withdrawn') this.#refuse('subscription_withdrawn', { channel, id });
    else if (outcome === 'not_kept')
      connection.send(resyncRequired(subject, { fromSequence, oldestSequence: fanOut.recent.oldest }, id));
    else if (outcome === 'too_much')
      connection.send(resyncRequired(subject, { fromSequence, maxReplayBytes: limits.maxReplayBytes }, id));
    else if (!replayCapacity.reserve(connection, bytesOf(outcome.frames))) this.#refuse('no_room_for_replay', { channel, id });
    else {
      fanOut.resume(connection, subject, outcome);
      connection.sendReplay(subscribed(subject, fromSequence, id), outcome.frames);
    }
  }

  #unsubscribe({ named, id }: ClientOperation<'unsubscribe'> & { readonly id?: string | undefined }): void {
    const subject = this.#subjectOf(named, id);
    if (subject === undefined) return;
    const key = keyOf(subject);
    // A waiting subscription gets its response before this one.
    this.#ports.ahead.withdraw(this.#connection, key);
    this.#ports.replays.withdraw(this.#connection, key);
    const sequence = this.#ports.fanOut.unsubscribe(this.#connection, key);
    this.#connection.send({ type: 'unsubscribed', channel: named.channel, ...addressOf(subject), sequence, ...echo({ id }) });
  }

  /** `undefined` if it was refused. */
  #subjectOf({ channel, subject, ...choice }: NamedSubscription, id: string | undefined): Subject | undefined {
    if (isPrivate(channel)) {
      const { access } = this.#connection;
      if (access === undefined) return this.#refuse('authentication_required', { channel, id });
      if (parseAccountId(subject) !== access.account) return this.#refuse('account_forbidden', { channel, id });
      if (access.channels?.includes(channel) === false) return this.#refuse('channel_not_in_ticket', { channel, id });
      return { channel, account: access.account } as Subject;
    }
    const market = this.#ports.model.marketNamed(subject);
    if (market === undefined) return this.#refuse('unknown_market', { channel, id });
    return { channel, market, ...choice } as Subject;
  }

  #refuse(code: Parameters<typeof refused>[0], details: Parameters<typeof refused>[2], message?: string): undefined {
    this.#connection.send(refused(code, message, details));
  }
}

function subscribed(subject: Subject, sequence: number, id: string | undefined): object {
  return { type: 'subscribed', channel: subject.channel, ...addressOf(subject), sequence, ...echo({ id }) };
}

function bytesOf(frames: readonly Buffer[]): number {
  return frames.reduce((sum, { length }) => sum + length, 0);
}

function unlessUnavailable(error: unknown): undefined {
  if (!(error instanceof StoreUnavailable)) throw error;
}

function echo({ id }: { readonly id?: string | undefined }): { readonly id?: string } {
  return id === undefined ? {} : { id };
}
