/**
 * A client as the contract describes one: every frame that arrives is checked against its schema, and every update against the sequence
 * that the client holds. What is wrong is kept until {@link SocketClient.demandSound}.
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
  /** What was lost: updates whose `previousSequence` is beyond what was held. */
  readonly faults: unknown[] = [];
  /** Of each subscription, the sequence that is held. */
  readonly held = new Map<string, number>();
  /** Subscriptions that an update of has come: of a channel whose newest comes first, that one is of the sequence that is held. */
  readonly #begun = new Set<string>();
  readonly #heard: ((frame: Frame) => void)[] = [];

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

  onFrame(hear: (frame: Frame) => void): void {
    this.#heard.push(hear);
  }

  send(frame: object | string): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** Sends a frame and waits for its answer. */
  async ask(frame: object): Promise<Frame> {
    const id = `ask-${this.#asked++}`;
    this.send({ ...frame, id });
    return this.until((it) => it.id === id);
  }
  #asked = 1;

  async subscribed(channel: string, subject: object, fromSequence?: number): Promise<Frame> {
    const frame = { op: 'subscribe', channel, ...subject, ...(fromSequence !== undefined && { fromSequence }) };
    const answer = await this.ask(frame);
    expect(answer).toMatchObject({ type: 'subscribed', channel });
    return answer;
  }

  /** The first frame that is so, whenever it came. */
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

  /** Everything that was sent before has arrived. */
  async drained(): Promise<void> {
    await this.ask({ op: 'ping' });
  }

  async closes(): Promise<{ readonly code: number; readonly reason: string }> {
    await eventually(() => expect(this.closed).toBeDefined());
    return this.closed!;
  }

  demandSound(): void {
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
    this.#hold(frame);
    for (const hear of this.#heard) hear(frame);
  }

  #hold(frame: Frame): void {
    const { type, channel, marketId, accountId, series, timeframe, sequence, previousSequence } = frame;
    const name = [channel, marketId ?? accountId, series, timeframe].join(' ');
    if (type === 'subscribed') {
      this.held.set(name, sequence);
      this.#begun.delete(name);
    }
    if (type === 'unsubscribed') this.held.delete(name);
    if (type !== 'update') return;
    const held = this.held.get(name);
    const isNewest = (CHANNELS[channel as ChannelName] as Channel).delivery === 'newest';
    if (held === undefined) this.faults.push({ name, fault: 'an update without a subscription', frame });
    else if (isNewest && !this.#begun.has(name) ? sequence !== held : sequence <= held)
      this.faults.push({ name, fault: 'a sequence went back', held, sequence });
    else if (!isNewest && previousSequence > held)
      this.faults.push({ name, fault: 'an update was lost', held, previousSequence });
    this.held.set(name, sequence);
    this.#begun.add(name);
  }
}
