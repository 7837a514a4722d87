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
import type { Clock } from '#writer/clock.ts';
import type { AheadSubscriptions } from './ahead-subscriptions.ts';
import type { Connection } from './connection.ts';
import type { FanOut } from './fan-out.ts';
import { addressOf, keyOf, type Subject } from './topic.ts';

type Asked<Op extends ClientRequest['op']> = Extract<ClientRequest, { readonly op: Op }>;

/** A replay over so many records counts as one frame more. */
const RECORDS_PER_FRAME = 10_000;

export interface SessionPorts {
  readonly fanOut: FanOut;
  readonly model: LiveModel;
  readonly tickets: SocketTickets;
  readonly ahead: AheadSubscriptions;
  readonly limits: RealtimeLimits;
  readonly clock: Clock;
  /** Hears of each connection that was authenticated. */
  readonly onAuthenticated: (connection: Connection) => void;
}

export class Session {
  readonly #connection: Connection;
  readonly #ports: SessionPorts;
  #isAuthenticating = false;

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
    this.#isAuthenticating = true;
    const verdict = await this.#ports.tickets.authenticate(ticket).catch(noneWhileAway);
    this.#isAuthenticating = false;
    if (verdict === undefined) return this.#refuse('tickets_unavailable', { id });
    if ('failure' in verdict) return this.#refuse('ticket_rejected', { id, realtimeTicketFailure: verdict.failure });
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
    const { fanOut, ahead, clock } = this.#ports;
    const key = keyOf(subject);
    const refusal = this.#whyNot(key);
    if (refusal !== undefined) {
      this.#refuse(refusal, { channel, id });
      return;
    }
    if (fromSequence === undefined || fromSequence <= fanOut.sequence) {
      const records = fromSequence === undefined ? 0 : fanOut.sequence - Math.max(fromSequence, fanOut.recent.oldest);
      if (connection.hears(clock.now(), Math.floor(records / RECORDS_PER_FRAME))) this.#begin(subject, fromSequence, id);
      return;
    }
    // What REST has told already is on its way here.
    ahead.add(connection, key, fromSequence, (isReached) => {
      if (isReached) this.#begin(subject, fromSequence, id);
      else this.#refuse('sequence_ahead', { channel, id });
    });
  }

  #whyNot(key: string): 'already_subscribed' | 'too_many_subscriptions' | undefined {
    const { subscriptions } = this.#connection;
    const { ahead, limits } = this.#ports;
    if (subscriptions.has(key) || ahead.has(this.#connection, key)) return 'already_subscribed';
    const count = subscriptions.size + ahead.countOf(this.#connection);
    return count >= limits.maxSubscriptions ? 'too_many_subscriptions' : undefined;
  }

  #begin(subject: Subject, fromSequence: number | undefined, id: string | undefined): void {
    const { channel } = subject;
    const subscribed = this.#ports.fanOut.subscribe(this.#connection, subject, fromSequence);
    if ('oldestSequence' in subscribed) {
      const { snapshotSource } = CHANNELS[channel] as Channel;
      const { oldestSequence } = subscribed;
      this.#refuse('resync_required', { channel, id, oldestSequence, ...(snapshotSource !== undefined && { snapshotSource }) });
      return;
    }
    const { sequence, frames } = subscribed;
    this.#connection.send({ type: 'subscribed', channel, ...addressOf(subject), sequence, ...echo({ id }) });
    if (frames.length > 0) this.#connection.write({ bytes: Buffer.concat(frames), frames: frames.length });
  }

  #unsubscribe({ named, id }: Asked<'unsubscribe'> & { readonly id?: string | undefined }): void {
    const subject = this.#subjectOf(named, id);
    if (subject === undefined) return;
    const key = keyOf(subject);
    this.#ports.ahead.drop(this.#connection, key);
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

  #refuse(code: Parameters<typeof refused>[0], details: Parameters<typeof refused>[2]): undefined {
    this.#connection.send(refused(code, undefined, details));
  }
}

function noneWhileAway(error: unknown): undefined {
  if (!(error instanceof StoreAway)) throw error;
}

function echo({ id }: { readonly id?: string | undefined }): { readonly id?: string } {
  return id === undefined ? {} : { id };
}
