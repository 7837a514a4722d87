/** A socket of the realtime service for unit tests: records the frames that the page sends, and receives those of the test. */
import { expect } from 'vitest';
import type { Socket } from '#owner-page/src/venue/realtime-feed.ts';

export class ScriptedSocket implements Socket {
  readonly sent: Readonly<Record<string, unknown>>[] = [];
  isClosed = false;
  readonly #listeners = new Map<string, ((event: { readonly data: unknown }) => void)[]>();

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#emit('close', undefined);
  }

  addEventListener(type: 'message' | 'close' | 'error', listener: (event: { readonly data: unknown }) => void): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  /** A frame of the service. */
  receive(frame: object): void {
    this.#emit('message', JSON.stringify(frame));
  }

  /** Awaits the authentication, and responds to it and to each subscription, from these sequences on. */
  async start(sequences: Readonly<Record<string, number>>): Promise<void> {
    this.receive({ type: 'hello' });
    await expect.poll(() => this.sent.length).toBe(1);
    this.receive({ type: 'auth_ok' });
    for (const [channel, sequence] of Object.entries(sequences)) this.receive({ type: 'subscribed', channel, sequence });
  }

  #emit(type: string, data: unknown): void {
    for (const listener of this.#listeners.get(type) ?? []) listener({ data });
  }
}
