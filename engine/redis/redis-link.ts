/**
 * The connection to Redis. A call gets its response within a short time or rejects with {@link StoreUnavailable}; while Redis is
 * unavailable, calls reject at once. Callers decide how to proceed; the link keeps reconnecting.
 */
import { hash } from 'node:crypto';
import { Redis } from 'ioredis';
import { StoreUnavailable } from '#identity/store-unavailable.ts';
import type { SteadyClock } from '#time/clock.ts';

export interface RedisOptions {
  /** `redis://` or `rediss://`. It may contain a password, so it is never logged. */
  readonly url: string;
  /** The prefix of every key and channel. */
  readonly prefix: string;
  readonly steadyClock: SteadyClock;
  /** Receives log lines for people. */
  readonly log: (line: string) => void;
  /** Takes exceptions of channel listeners, which still get the next message. */
  readonly onInternalError: (error: unknown) => void;
}

/** A script that Redis runs atomically. */
export interface Script {
  readonly lua: string;
  readonly digest: string;
}

export function script(lua: string): Script {
  return { lua, digest: hash('sha1', lua) };
}

const CONNECT_TIMEOUT_MS = 2_000;
/** A response takes less than a millisecond on the same machine, and a few from a nearby one. */
const RESPONSE_TIMEOUT_MS = 250;
/** After a timeout, calls reject at once for this long instead of waiting. */
const RETRY_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 2_000;

export class RedisLink {
  readonly #client: Redis;
  /** The prefix of every key and channel. */
  readonly prefix: string;
  readonly #steadyClock: SteadyClock;
  readonly #log: (line: string) => void;
  readonly #onInternalError: (error: unknown) => void;
  readonly #subscribers: Redis[] = [];
  #retryAtMs = 0;
  #isUnavailableLogged = false;

  /** Connects by itself, and reconnects when needed. */
  constructor({ url, prefix, steadyClock, log, onInternalError }: RedisOptions) {
    this.prefix = `${prefix}:`;
    this.#steadyClock = steadyClock;
    this.#log = log;
    this.#onInternalError = onInternalError;
    this.#client = new Redis(url, {
      // Newer protocols offer nothing that is used, and older servers do not know them.
      protocol: 2,
      connectionName: 'openperp',
      connectTimeout: CONNECT_TIMEOUT_MS,
      commandTimeout: RESPONSE_TIMEOUT_MS,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      // Commands of several requests in one iteration of the event loop go in one packet.
      enableAutoPipelining: true,
      retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 10), MAX_PAUSE_MS),
    });
    this.#client.on('error', (error) => this.#logUnavailable(error));
    this.#client.on('close', () => this.#logUnavailable(undefined));
    this.#client.on('ready', () => this.#logAvailable());
  }

  get isUp(): boolean {
    return this.#client.status === 'ready' && this.#steadyClock.elapsedMs() >= this.#retryAtMs;
  }

  /** Resolves once the first attempt to connect has succeeded or failed. */
  async settled(): Promise<void> {
    if (this.#client.status === 'ready') return;
    await new Promise<void>((resolve) => {
      this.#client.once('ready', resolve);
      this.#client.once('close', resolve);
    });
  }

  /** Runs a script on keys, which get the prefix. Rejects with {@link StoreUnavailable}. */
  async run(it: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    if (!this.isUp) throw new StoreUnavailable('Redis is unavailable');
    try {
      const response = await this.#run(it, [...keys.map((key) => this.prefix + key), ...args], keys.length);
      this.#logAvailable();
      return response;
    } catch (cause) {
      this.#retryAtMs = this.#steadyClock.elapsedMs() + RETRY_PAUSE_MS;
      this.#logUnavailable(cause as Error);
      throw new StoreUnavailable('Redis does not respond', { cause });
    }
  }

  /** Subscribes over another connection. Messages published while Redis is unavailable are lost. */
  subscribe(channel: string, listener: (message: string) => void): void {
    const client = this.#client.duplicate({ autoResubscribe: false });
    // The first connection logs the reason.
    client.on('error', () => {});
    client.on('ready', () => client.subscribe(this.prefix + channel).catch(() => client.disconnect(true)));
    client.on('message', (_channel, message) => {
      try {
        listener(message);
      } catch (error) {
        this.#onInternalError(error);
      }
    });
    this.#subscribers.push(client);
  }

  close(): void {
    this.#client.removeAllListeners('close');
    for (const client of [this.#client, ...this.#subscribers]) client.disconnect();
  }

  /** Sends the whole script if Redis was restarted or its scripts were flushed. */
  #run({ lua, digest }: Script, all: readonly (string | number)[], keys: number): Promise<unknown> {
    return this.#client.evalsha(digest, keys, ...all).catch((error: unknown) => {
      if (error instanceof Error && error.message.startsWith('NOSCRIPT')) return this.#client.eval(lua, keys, ...all);
      throw error;
    });
  }

  #logUnavailable(error: Error | undefined): void {
    if (this.#isUnavailableLogged) return;
    this.#isUnavailableLogged = true;
    const why = error === undefined ? 'the connection was closed' : ((error as { code?: string }).code ?? error.message);
    this.#log(
      `redis: unavailable (${why}): limits are counted in this process; tickets, sessions, challenges and device grants are refused; reconnecting`,
    );
  }

  #logAvailable(): void {
    this.#retryAtMs = 0;
    if (!this.#isUnavailableLogged) return;
    this.#isUnavailableLogged = false;
    this.#log('redis: available again');
  }
}
