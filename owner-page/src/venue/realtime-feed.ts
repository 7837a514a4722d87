/**
 * One socket of the realtime service: it authenticates, subscribes, and passes updates on, until it closes or an update is missing. The
 * panel that follows a log then reads it again, and opens another socket.
 */

/** The parts of a browser's socket that are used. */
export interface Socket {
  send(text: string): void;
  close(): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close' | 'error', listener: () => void): void;
}

export type OpenSocket = (address: string) => Socket;

export interface Subscription {
  readonly channel: string;
  readonly accountId?: string;
  readonly marketId?: string;
  /** Updates after it are sent. */
  readonly fromSequence?: number;
}

export interface Feed {
  /** Called once the service has responded. */
  readonly mintTicket: () => Promise<string>;
  readonly subscriptions: readonly Subscription[];
  /** Called once all subscriptions have started. */
  readonly onLive: () => void;
  readonly onUpdate: (update: Update) => void;
}

export interface Update {
  readonly channel: string;
  readonly sequence: number;
  readonly epochMs: number;
  readonly data: unknown;
}

interface Frame extends Update {
  readonly type: string;
  readonly previousSequence: number;
}

/** A connection that is silent for longer than two of these has ended without notice. */
const PING_MS = 20_000;

export class RealtimeFeed {
  readonly #feed: Feed;
  readonly #socket: Socket;
  /** By channel: the sequence that was reached. */
  readonly #reached = new Map<string, number>();
  /** Resolves when the socket has closed. */
  readonly ended: Promise<void>;
  #isSilent = false;

  constructor(socket: Socket, feed: Feed) {
    this.#feed = feed;
    this.#socket = socket;
    this.ended = new Promise((resolve) => {
      socket.addEventListener('close', () => resolve());
      socket.addEventListener('error', () => resolve());
    });
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data)) as Frame));
  }

  close(): void {
    this.#socket.close();
  }

  /** Sends pings until the signal aborts. Closes the socket if the service does not respond. */
  async watch(wait: (delayMs: number, signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    for (;;) {
      await wait(PING_MS, signal);
      if (this.#isSilent) break;
      this.#isSilent = true;
      this.#send({ op: 'ping' });
    }
    this.close();
  }

  #receive(frame: Frame): void {
    this.#isSilent = false;
    if (frame.type === 'hello') void this.#authenticate();
    if (frame.type === 'auth_ok') this.#subscribe();
    if (frame.type === 'subscribed') this.#start(frame);
    if (frame.type === 'update') this.#update(frame);
    if (frame.type === 'error') this.close();
  }

  async #authenticate(): Promise<void> {
    try {
      this.#send({ op: 'auth', ticket: await this.#feed.mintTicket() });
    } catch {
      this.close();
    }
  }

  #subscribe(): void {
    for (const subscription of this.#feed.subscriptions) this.#send({ op: 'subscribe', ...subscription });
  }

  #start({ channel, sequence }: Frame): void {
    this.#reached.set(channel, sequence);
    if (this.#reached.size === this.#feed.subscriptions.length) this.#feed.onLive();
  }

  #update(frame: Frame): void {
    const { channel, sequence, previousSequence } = frame;
    const reached = this.#reached.get(channel) ?? 0;
    if (sequence <= reached) return;
    this.#reached.set(channel, sequence);
    if (previousSequence > reached) this.close();
    else this.#feed.onUpdate(frame);
  }

  #send(frame: object): void {
    this.#socket.send(JSON.stringify(frame));
  }
}
