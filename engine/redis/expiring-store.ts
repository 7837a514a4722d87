/**
 * Short-lived entries that several processes share, in Redis: one key per entry, one list of all by their end, and one list per owner
 * and per site of those that count. A change is computed here and swapped there if the entry is still the one that was read.
 */
import type { AddResult, EntryChange, ExpiringEntry, ExpiringStore, StoreCapacity } from '#identity/expiring-store.ts';
import { StoreUnavailable } from '#identity/store-unavailable.ts';
import type { EpochMs } from '#units/money.ts';
import { siteOf } from '#units/network-site.ts';
import { type RedisLink, script } from './redis-link.ts';

/** One client does not cause this many concurrent changes of an entry in a row. */
const MAX_ATTEMPTS = 128;

/**
 * KEYS: the entry, the list of all, the list of its owner, that of its site. ARGV: entry, its id, its end, now, the maximum in all, the
 * maximum per owner, whether the oldest is replaced, how long all is stored, the key prefix of entries, the channel of ended ones, until
 * when it counts, the maximum per site (0: none).
 */
const ADD = script(`
for _, list in ipairs({KEYS[2], KEYS[3], KEYS[4]}) do redis.call('ZREMRANGEBYSCORE', list, '-inf', ARGV[4]) end
if redis.call('EXISTS', KEYS[1]) == 1 then return 'taken' end
local excess = redis.call('ZCARD', KEYS[3]) - tonumber(ARGV[6]) + 1
if excess > 0 and ARGV[7] == '0' then return 'owner_full' end
local max_of_site = tonumber(ARGV[12])
if max_of_site > 0 and redis.call('ZCARD', KEYS[4]) >= max_of_site then return 'site_full' end
if excess <= 0 and redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[5]) then return 'full' end
if excess > 0 then
  for _, id in ipairs(redis.call('ZRANGE', KEYS[3], 0, excess - 1)) do
    redis.call('DEL', ARGV[9] .. id)
    redis.call('ZREM', KEYS[2], id)
    redis.call('ZREM', KEYS[3], id)
    redis.call('ZREM', KEYS[4], id)
    redis.call('PUBLISH', ARGV[10], id)
  end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[8])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[2])
redis.call('ZADD', KEYS[3], ARGV[11], ARGV[2])
if max_of_site > 0 then redis.call('ZADD', KEYS[4], ARGV[11], ARGV[2]) end
for _, list in ipairs({KEYS[2], KEYS[3], KEYS[4]}) do redis.call('PEXPIRE', list, ARGV[8]) end
return 'added'`);

/**
 * KEYS: likewise. ARGV: the entry before and after (empty: remove it), its id, how long it is stored, the channel to notify of
 * its end, whether it still counts.
 */
const SWAP = script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] == '' then
  redis.call('DEL', KEYS[1])
  redis.call('ZREM', KEYS[2], ARGV[3])
else
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[4])
end
if ARGV[2] == '' or ARGV[6] == '0' then
  redis.call('ZREM', KEYS[3], ARGV[3])
  redis.call('ZREM', KEYS[4], ARGV[3])
end
if ARGV[5] ~= '' then redis.call('PUBLISH', ARGV[5], ARGV[3]) end
return 1`);

/** KEYS: the list of an owner. ARGV: now, the key prefix of entries. */
const LIST = script(`
local entries = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. ARGV[1], '+inf')) do
  entries[#entries + 1] = redis.call('GET', ARGV[2] .. id) or nil
end
return entries`);

const GET = script(`return redis.call('GET', KEYS[1])`);

export class RedisExpiringStore<Entry extends ExpiringEntry> implements ExpiringStore<Entry> {
  readonly #redis: RedisLink;
  readonly #name: string;
  readonly #capacity: StoreCapacity;

  /** `name` starts the keys of this store, and names it to clients while it is unavailable: another store of the venue has another. */
  constructor(redis: RedisLink, name: string, capacity: StoreCapacity) {
    this.#redis = redis;
    this.#name = name;
    this.#capacity = capacity;
  }

  async add(entry: Entry, now: EpochMs): Promise<AddResult> {
    const { maxInAll, maxPerOwner, maxPerSite = 0, ifOwnerIsFull } = this.#capacity;
    const replaces = ifOwnerIsFull === 'replace_oldest' ? 1 : 0;
    const { id, countedUntilEpochMs, forgottenAtEpochMs } = entry;
    const limits = [maxInAll, maxPerOwner, replaces, remainingMs(entry, now)];
    const places = [this.#redis.prefix + this.#keyOf(''), this.#redis.prefix + this.#ended];
    const args = [JSON.stringify(entry), id, forgottenAtEpochMs, now, ...limits, ...places, countedUntilEpochMs, maxPerSite];
    return (await this.#run(ADD, this.#keysOf(entry), args)) as AddResult;
  }

  async change<Result extends EntryChange<Entry>>(
    id: string,
    now: EpochMs,
    change: (entry: Entry) => Result,
  ): Promise<Result | undefined> {
    for (let tries = 0; tries < MAX_ATTEMPTS; tries += 1) {
      const text = await this.#read(id);
      const before = text === undefined ? undefined : (JSON.parse(text) as Entry);
      if (text === undefined || before === undefined || before.forgottenAtEpochMs <= now) return undefined;
      const result = change(before);
      const isUnchanged = result.entry === before && result.isEnded !== true && result.isCounted !== false;
      if (isUnchanged || (await this.#swap(text, before, result, now))) return result;
    }
    throw new StoreUnavailable(`an entry was changed concurrently ${MAX_ATTEMPTS} times`, { dependency: this.#name });
  }

  async find(id: string, now: EpochMs): Promise<Entry | undefined> {
    const text = await this.#read(id);
    const found = text === undefined ? undefined : (JSON.parse(text) as Entry);
    return found === undefined || found.forgottenAtEpochMs <= now ? undefined : found;
  }

  async ofOwner(owner: string, now: EpochMs): Promise<readonly Entry[]> {
    const args = [now, this.#redis.prefix + this.#keyOf('')];
    const found = (await this.#run(LIST, [this.#listOf(owner)], args)) as readonly string[];
    return found.map((text) => JSON.parse(text) as Entry);
  }

  onEnded(listener: (id: string) => void): void {
    this.#redis.subscribe(this.#ended, listener);
  }

  async #run(...call: Parameters<RedisLink['run']>): Promise<unknown> {
    try {
      return await this.#redis.run(...call);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      throw new StoreUnavailable(error.message, { cause: error.cause, dependency: this.#name });
    }
  }

  async #read(id: string): Promise<string | undefined> {
    return ((await this.#run(GET, [this.#keyOf(id)], [])) as string | null) ?? undefined;
  }

  /** Returns false if the entry has changed since it was read. */
  async #swap(text: string, before: Entry, change: EntryChange<Entry>, now: EpochMs): Promise<boolean> {
    const { entry, isEnded, isCounted = true } = change;
    const after = entry === undefined ? '' : JSON.stringify(entry);
    const channel = isEnded === true ? this.#redis.prefix + this.#ended : '';
    const args = [text, after, before.id, remainingMs(before, now), channel, isCounted ? 1 : 0];
    return (await this.#run(SWAP, this.#keysOf(before), args)) === 1;
  }

  #keysOf({ id, owner }: Entry): readonly string[] {
    return [this.#keyOf(id), `${this.#name}:all`, this.#listOf(owner), `${this.#name}:site:${siteOf(owner)}`];
  }

  #keyOf(id: string): string {
    return `${this.#name}:entry:${id}`;
  }

  #listOf(owner: string): string {
    return `${this.#name}:of:${owner}`;
  }

  get #ended(): string {
    return `${this.#name}:ended`;
  }
}

function remainingMs({ forgottenAtEpochMs }: ExpiringEntry, now: EpochMs): number {
  return Math.max(1, forgottenAtEpochMs - now);
}
