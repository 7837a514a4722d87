/**
 * The connection to Redis. Nobody waits long for it: a call is answered in time or rejects with {@link StoreAway}, and
 * while it is away calls reject at once. Who calls decides what that means; the link goes on trying to come back.
 */
import { hash } from 'node:crypto';
import { Redis } from 'ioredis';
import { StoreAway } from '#identity/store-away.ts';
import type { SteadyClock } from '#time/clock.ts';

export interface RedisOptions {
  /** `redis://` or `rediss://`; it may hold a password, so it is shown to nobody. */
  readonly url: string;
  /** Begins every key, and the name of every channel. */
  readonly prefix: string;
  readonly steadyClock: SteadyClock;
  /** Takes lines for people. */
  readonly log: (line: string) => void;
  /** Takes what a listener of a channel throws: it hears the next message all the same. */
  readonly onInternalError: (error: unknown) => void;
}

/** A script that Redis runs as a whole, and nothing else meanwhile. */
export interface Script {
  readonly lua: string;
  readonly digest: string;
}

export function script(lua: string): Script {
  return { lua, digest: hash('sha1', lua) };
}

const CONNECT_MS = 2_000;
/** An answer takes less than a millisecond beside the venue, and some in the next room. */
const ANSWER_MS = 250;
/** After an answer that did not come, nobody else has to wait for one. */
const RESPITE_MS = 1_000;
const LONGEST_PAUSE_MS = 2_000;

export class RedisLink {
  readonly #client: Redis;
  /** Begins every key, and the name of every channel. */
  readonly prefix: string;
  readonly #steadyClock: SteadyClock;
  readonly #log: (line: string) => void;
  readonly #onInternalError: (error: unknown) => void;
  readonly #subscribers: Redis[] = [];
  #restsUntilMs = 0;
  #isAwayTold = false;

  /** Connects on its own, and again whenever it has to. */
  constructor({ url, prefix, steadyClock, log, onInternalError }: RedisOptions) {
    this.prefix = `${prefix}:`;
    this.#steadyClock = steadyClock;
    this.#log = log;
    this.#onInternalError = onInternalError;
    this.#client = new Redis(url, {
      // What it offers beyond that is not used, and older servers know it too.
      protocol: 2,
      connectionName: 'openperp',
      connectTimeout: CONNECT_MS,
      commandTimeout: ANSWER_MS,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      // What several requests ask for in one turn of the event loop goes in one packet.
      enableAutoPipelining: true,
      retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 10), LONGEST_PAUSE_MS),
    });
    this.#client.on('error', (error) => this.#tellAway(error));
    this.#client.on('close', () => this.#tellAway(undefined));
    this.#client.on('ready', () => this.#tellBack());
  }

  get isUp(): boolean {
    return this.#client.status === 'ready' && this.#steadyClock.elapsedMs() >= this.#restsUntilMs;
  }

  /** Resolves once it was reached for the first time, or will not be at once. */
  async settled(): Promise<void> {
    if (this.#client.status === 'ready') return;
    await new Promise<void>((resolve) => {
      this.#client.once('ready', resolve);
      this.#client.once('close', resolve);
    });
  }

  /** Runs a script on keys, which get the prefix. Rejects with {@link StoreAway}. */
  async run(it: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    if (!this.isUp) throw new StoreAway('Redis is away');
    try {
      const answer = await this.#run(it, [...keys.map((key) => this.prefix + key), ...args], keys.length);
      this.#tellBack();
      return answer;
    } catch (cause) {
      this.#restsUntilMs = this.#steadyClock.elapsedMs() + RESPITE_MS;
      this.#tellAway(cause as Error);
      throw new StoreAway('Redis does not answer', { cause });
    }
  }

  /** Another connection hears what is published from now on, but for what is while Redis is away. */
  subscribe(channel: string, listener: (message: string) => void): void {
    const client = this.#client.duplicate({ autoResubscribe: false });
    // Why it is away, the first connection says.
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

  /** It may have been started anew, or its scripts flushed: then it is sent the whole script. */
  #run({ lua, digest }: Script, all: readonly (string | number)[], keys: number): Promise<unknown> {
    return this.#client.evalsha(digest, keys, ...all).catch((error: unknown) => {
      if (error instanceof Error && error.message.startsWith('NOSCRIPT')) return this.#client.eval(lua, keys, ...all);
      throw error;
    });
  }

  #tellAway(error: Error | undefined): void {
    if (this.#isAwayTold) return;
    this.#isAwayTold = true;
    const why = error === undefined ? 'the connection was closed' : ((error as { code?: string }).code ?? error.message);
    this.#log(`redis: away (${why}): limits are counted in this process, tickets are refused; trying to come back`);
  }

  #tellBack(): void {
    this.#restsUntilMs = 0;
    if (!this.#isAwayTold) return;
    this.#isAwayTold = false;
    this.#log('redis: back');
  }
}
