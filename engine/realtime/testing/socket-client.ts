/**
 * A client by the contract: checks every frame against its schema, and every update against the client's sequence. Collects
 * faults for {@link SocketClient.demandValid}.
 */
import { once } from 'node:events';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { serverFrameSchema } from '#contract/realtime.ts';
import type { Channel } from '#contract/realtime-channel.ts';
import { CHANNELS, type ChannelName } from '#contract/realtime-channels.ts';
import { eventually } from '#time/testing/eventually.ts';

// biome-ignore lint/suspicious/noExplicitAny: checked against its schema when it arrives
export type Frame = Record<string, any>;

const validators = new Map<string, ReturnType<typeof serverFrameSchema>>();

export class SocketClient {
  readonly socket: WebSocket;
  readonly frames: Frame[] = [];
  closed: { readonly code: number; readonly reason: string } | undefined;
  /** Violations of the contract, such as lost updates: an update whose `previousSequence` is higher than the client's sequence. */
  readonly faults: unknown[] = [];
  /** The client's sequence, by subscription. */
  readonly lastSequences = new Map<string, number>();
  /** Subscriptions that had an update: the first one of a `newest` channel has the sequence of the subscription. */
  readonly #updated = new Set<string>();
  readonly #received: ((frame: Frame) => void)[] = [];

  private constructor(url: string, localAddress: string | undefined) {
    this.socket = new WebSocket(url, { localAddress });
    this.socket.on('message', (bytes) => this.#take(String(bytes)));
    this.socket.on('close', (code, reason) => {
      this.closed = { code, reason: String(reason) };
    });
    this.socket.on('error', () => {});
  }

  static async connect(target: string | number, localAddress?: string): Promise<SocketClient> {
    const client = new SocketClient(typeof target === 'number' ? `ws://localhost:${target}` : target, localAddress);
    await once(client.socket, 'open');
    return client;
  }

  onFrame(receive: (frame: Frame) => void): void {
    this.#received.push(receive);
  }

  send(frame: object | string): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** Sends a frame and waits for its response. */
  async request(frame: object): Promise<Frame> {
    const id = `request-${this.#lastId++}`;
    this.send({ ...frame, id });
    return this.until((it) => it.id === id);
  }
  #lastId = 1;

  async subscribed(channel: string, subject: object, fromSequence?: number): Promise<Frame> {
    const frame = { op: 'subscribe', channel, ...subject, ...(fromSequence !== undefined && { fromSequence }) };
    const response = await this.request(frame);
    expect(response).toMatchObject({ type: 'subscribed', channel });
    return response;
  }

  /** The first frame that matches, also of earlier ones. */
  async until(isWanted: (frame: Frame) => boolean): Promise<Frame> {
    await eventually(() => expect(this.frames.some(isWanted)).toBe(true));
    return this.frames.find(isWanted)!;
  }

  async next(type: string, count = 1): Promise<Frame> {
    const ofType = () => this.frames.filter((frame) => frame.type === type);
    await eventually(() => expect(ofType().length).toBeGreaterThanOrEqual(count));
    return ofType()[count - 1]!;
  }

  updates(channel: string): readonly Frame[] {
    return this.frames.filter((frame) => frame.type === 'update' && frame.channel === channel);
  }

  /** Waits until everything sent before has arrived. */
  async drained(): Promise<void> {
    await this.request({ op: 'ping' });
  }

  async closes(): Promise<{ readonly code: number; readonly reason: string }> {
    await eventually(() => expect(this.closed).toBeDefined());
    return this.closed!;
  }

  demandValid(): void {
    expect(this.faults).toEqual([]);
  }

  #take(text: string): void {
    const frame: Frame = JSON.parse(text);
    this.frames.push(frame);
    const kind = `${frame.type} ${frame.channel}`;
    const schema = validators.get(kind) ?? serverFrameSchema(frame.type, frame.channel);
    validators.set(kind, schema);
    const checked = schema?.safeParse(frame);
    if (checked?.success !== true) this.faults.push({ frame, error: checked?.error?.issues ?? 'there is no such frame' });
    this.#recordSequence(frame);
    for (const receive of this.#received) receive(frame);
  }

  #recordSequence(frame: Frame): void {
    const { type, channel, marketId, accountId, series, timeframe, sequence, previousSequence } = frame;
    const name = [channel, marketId ?? accountId, series, timeframe].join(' ');
    if (type === 'subscribed') {
      this.lastSequences.set(name, sequence);
      this.#updated.delete(name);
    }
    if (type === 'unsubscribed') this.lastSequences.delete(name);
    if (type !== 'update') return;
    const lastSequence = this.lastSequences.get(name);
    const isNewest = (CHANNELS[channel as ChannelName] as Channel).delivery === 'newest';
    if (lastSequence === undefined) this.faults.push({ name, fault: 'an update without a subscription', frame });
    else if (isNewest && !this.#updated.has(name) ? sequence !== lastSequence : sequence <= lastSequence)
      this.faults.push({ name, fault: 'a sequence went back', lastSequence, sequence });
    else if (!isNewest && previousSequence > lastSequence)
      this.faults.push({ name, fault: 'an update was lost', lastSequence, previousSequence });
    this.lastSequences.set(name, sequence);
    this.#updated.add(name);
  }
}
