/** What a client asks for, frame by frame: who it is, what it subscribes to, and what it is refused. */

import { REALTIME_VERSION } from '#contract/realtime.ts';
import type { Channel } from '#contract/realtime-channel.ts';
import { CHANNELS, isPrivate } from '#contract/realtime-channels.ts';
import type { RealtimeLimits } from '#contract/realtime-limits.ts';
import { type ClientRequest, type NamedSubscription, parseClientFrame, refused } from '#contract/realtime-request.ts';
import type { SocketTickets } from '#identity/socket-tickets.ts';
import { StoreAway } from '#identity/store-away.ts';
import type { LiveModel } from '#projection/projection.ts';
import { parseAccountId, renderAccountId } from '#units/ids.ts';
import type { AheadSubscriptions } from './ahead-subscriptions.ts';
import type { Connection } from './connection.ts';
import { deliversNewest, type FanOut, type Subscribed } from './fan-out.ts';
import type { ReplayQueue } from './replay-queue.ts';
import { addressOf, keyOf, type Subject } from './topic.ts';

type Asked<Op extends ClientRequest['op']> = Extract<ClientRequest, { readonly op: Op }>;

const TOO_MANY_FAILED = 'The network has sent too many tickets that let nobody in: send the frame again in a while.';

export interface SessionPorts {
  readonly fanOut: FanOut;
  readonly model: LiveModel;
  readonly tickets: SocketTickets;
  readonly ahead: AheadSubscriptions;
  readonly replays: ReplayQueue;
  readonly limits: RealtimeLimits;
  /** Hears of each connection that was authenticated. */
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

  /** Rejects with a defect. */
  async takes(text: string): Promise<void> {
    const request = parseClientFrame(text);
    if ('type' in request) this.#connection.send(request);
    else if (request.op === 'ping') this.#connection.send({ type: 'pong', ...echo(request) });
    else if (request.op === 'auth') await this.#authenticate(request);
    else if (request.op === 'subscribe') this.#subscribe(request);
    else this.#unsubscribe(request);
  }

  async #authenticate({ ticket, id }: Asked<'auth'> & { readonly id?: string | undefined }): Promise<void> {
    const connection = this.#connection;
    if (this.#isAuthenticating || connection.access !== undefined) return this.#refuse('already_authenticated', { id });
    if (!connection.network.auths.take(1)) return this.#refuse('tickets_unavailable', { id }, TOO_MANY_FAILED);
    this.#isAuthenticating = true;
    const verdict = await this.#ports.tickets.authenticate(ticket).catch(noneWhileAway);
    this.#isAuthenticating = false;
    if (verdict === undefined) return this.#refuse('tickets_unavailable', { id });
    if ('failure' in verdict) {
      this.#refuse('ticket_rejected', { id, realtimeTicketFailure: verdict.failure });
      this.#failedAuths += 1;
      if (this.#failedAuths >= this.#ports.limits.maxFailedAuths) connection.close('tickets_rejected');
      return;
    }
    connection.network.auths.give(1);
    const { access } = verdict;
    connection.access = access;
    // It may have gone meanwhile: then it is forgotten with the rest.
    this.#ports.onAuthenticated(connection);
    const accountId = renderAccountId(access.account);
    connection.send({ type: 'auth_ok', accountId, expiresAt: access.expiresAtEpochMs, ...echo({ id }) });
  }

  #subscribe(request: Asked<'subscribe'> & { readonly id?: string | undefined }): void {
    const { named, fromSequence, id } = request;
    const subject = this.#subjectOf(named, id);
    if (subject === undefined) return;
    const connection = this.#connection;
    const { channel } = named;
    const { fanOut, ahead } = this.#ports;
    const key = keyOf(subject);
    const refusal = this.#whyNot(key);
    if (refusal !== undefined) {
      this.#refuse(refusal, { channel, id });
      return;
    }
    if (fromSequence === undefined || fromSequence <= fanOut.sequence) {
      this.#begin(subject, fromSequence, id);
      return;
    }
    // What REST has told already is on its way here.
    ahead.add(connection, key, fromSequence, (isReached) => {
      if (isReached) this.#begin(subject, fromSequence, id);
      else this.#refuse('sequence_ahead', { channel, id });
    });
  }

  #whyNot(key: string): 'already_subscribed' | 'too_many_subscriptions' | undefined {
    const connection = this.#connection;
    const { subscriptions } = connection;
    const { ahead, replays, limits } = this.#ports;
    if (subscriptions.has(key) || ahead.has(connection, key) || replays.has(connection, key)) return 'already_subscribed';
    const count = subscriptions.size + ahead.countOf(connection) + replays.countOf(connection);
    return count >= limits.maxSubscriptions ? 'too_many_subscriptions' : undefined;
  }

  #begin(subject: Subject, fromSequence: number | undefined, id: string | undefined): void {
    const connection = this.#connection;
    const { fanOut, replays } = this.#ports;
    if (fromSequence === undefined || deliversNewest(subject)) {
      this.#answer(subject, fanOut.subscribe(connection, subject), id);
      return;
    }
    if (fromSequence < fanOut.recent.oldest) {
      this.#refuseReplay(subject, fanOut.recent.oldest, id);
      return;
    }
    replays.add({
      connection,
      key: keyOf(subject),
      begin: () => fanOut.replay(subject, fromSequence),
      end: (outcome) => {
        if (outcome === 'not_kept') this.#refuseReplay(subject, fanOut.recent.oldest, id);
        else if (outcome === 'too_much') this.#refuseReplay(subject, fanOut.sequence, id);
        else if (!connection.hasRoom(bytesOf(outcome.frames))) this.#refuseReplay(subject, fanOut.sequence, id);
        else {
          fanOut.resume(connection, subject, outcome);
          this.#answer(subject, { sequence: fromSequence, frames: outcome.frames }, id);
        }
      },
    });
  }

  #answer(subject: Subject, { sequence, frames }: Subscribed, id: string | undefined): void {
    const { channel } = subject;
    this.#connection.send({ type: 'subscribed', channel, ...addressOf(subject), sequence, ...echo({ id }) }, ...frames);
  }

  #refuseReplay({ channel }: Subject, oldestSequence: number, id: string | undefined): void {
    const { snapshotSource } = CHANNELS[channel] as Channel;
    this.#refuse('resync_required', { channel, id, oldestSequence, ...(snapshotSource !== undefined && { snapshotSource }) });
  }

  #unsubscribe({ named, id }: Asked<'unsubscribe'> & { readonly id?: string | undefined }): void {
    const subject = this.#subjectOf(named, id);
    if (subject === undefined) return;
    const key = keyOf(subject);
    this.#ports.ahead.drop(this.#connection, key);
    this.#ports.replays.drop(this.#connection, key);
    const sequence = this.#ports.fanOut.unsubscribe(this.#connection, key);
    this.#connection.send({ type: 'unsubscribed', channel: named.channel, ...addressOf(subject), sequence, ...echo({ id }) });
  }

  /** `undefined` where it was refused. */
  #subjectOf({ channel, subject, ...choice }: NamedSubscription, id: string | undefined): Subject | undefined {
    if (isPrivate(channel)) {
      const { access } = this.#connection;
      if (access === undefined) return this.#refuse('authentication_required', { channel, id });
      if (parseAccountId(subject) !== access.account) return this.#refuse('account_forbidden', { channel, id });
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

function bytesOf(frames: readonly Buffer[]): number {
  return frames.reduce((sum, { length }) => sum + length, 0);
}

function noneWhileAway(error: unknown): undefined {
  if (!(error instanceof StoreAway)) throw error;
}

function echo({ id }: { readonly id?: string | undefined }): { readonly id?: string } {
  return id === undefined ? {} : { id };
}
