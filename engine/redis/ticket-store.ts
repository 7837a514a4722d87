/**
 * Families of realtime tickets that several processes share, in Redis: one key a family, and one a account that lists its
 * own. What becomes of a family is decided here and swapped there, if it is still the one that was looked at.
 */
import { TICKET_LIFETIMES } from '#contract/realtime-limits.ts';
import { StoreAway } from '#identity/store-away.ts';
import type { TicketFamily } from '#identity/ticket-family.ts';
import { REMEMBERED_MS, type TicketStore } from '#identity/ticket-store.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { type RedisLink, script } from './redis-link.ts';

/** By then no ticket of a family is good any more, however late it was rotated. */
const KEPT_MS = TICKET_LIFETIMES.familyMs + REMEMBERED_MS;
/** Somebody else was faster as often: that is no client who rotates tickets. */
const MOST_TRIES = 32;
const REVOCATIONS = 'revoked-ticket-families';

/**
 * KEYS: the family, the list of its account. ARGV: family, its id, when it expires, now, the most families that may last,
 * how long all is kept, how the key of a family begins. The list holds when each expires: 0 for what was revoked. What has
 * ended is remembered as long as there is room for as many, and goes first.
 */
const ADD = script(`
local most = tonumber(ARGV[5])
if redis.call('ZCOUNT', KEYS[2], '(' .. ARGV[4], '+inf') >= most then return 0 end
local excess = redis.call('ZCARD', KEYS[2]) - 2 * most + 1
if excess > 0 then
  for _, id in ipairs(redis.call('ZRANGE', KEYS[2], 0, excess - 1)) do
    redis.call('DEL', ARGV[7] .. id)
    redis.call('ZREM', KEYS[2], id)
  end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[6])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[6])
return 1`);

/** KEYS: likewise. ARGV: the family before and after, its id, when it expires, how long all is kept, whom to tell that it is revoked. */
const SWAP = script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[5])
redis.call('ZADD', KEYS[2], 'XX', ARGV[4], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[5])
if ARGV[6] ~= '' then redis.call('PUBLISH', ARGV[6], ARGV[3]) end
return 1`);

/** KEYS: the list of an account. ARGV: now, how the key of a family begins. */
const LASTING = script(`
local families = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. ARGV[1], '+inf')) do
  families[#families + 1] = redis.call('GET', ARGV[2] .. id) or nil
end
return families`);

const GET = script(`return redis.call('GET', KEYS[1])`);

export class RedisTicketStore implements TicketStore {
  readonly #redis: RedisLink;

  constructor(redis: RedisLink) {
    this.#redis = redis;
  }

  async add(family: TicketFamily, most: number, now: EpochMs): Promise<boolean> {
    const { familyId, current } = family;
    const args = [JSON.stringify(family), familyId, current.expiresAtEpochMs, now, most, KEPT_MS, this.#beginning];
    return (await this.#redis.run(ADD, keysOf(family), args)) === 1;
  }

  async change<Result extends { readonly family: TicketFamily }>(
    familyId: string,
    change: (family: TicketFamily) => Result,
  ): Promise<Result | undefined> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const before = await this.#read(familyId);
      if (before === undefined) return undefined;
      const family = JSON.parse(before) as TicketFamily;
      const result = change(family);
      if (result.family === family || (await this.#swap(before, family, result.family))) return result;
    }
    throw new StoreAway(`a family of tickets was changed ${MOST_TRIES} times meanwhile`);
  }

  async lasting(account: AccountOrdinal, now: EpochMs): Promise<readonly TicketFamily[]> {
    const found = (await this.#redis.run(LASTING, [listOf(account)], [now, this.#beginning])) as readonly string[];
    return found.map((text) => JSON.parse(text) as TicketFamily);
  }

  async find(familyId: string): Promise<TicketFamily | undefined> {
    const found = await this.#read(familyId);
    return found === undefined ? undefined : (JSON.parse(found) as TicketFamily);
  }

  onRevoked(listener: (familyId: string) => void): void {
    this.#redis.subscribe(REVOCATIONS, listener);
  }

  /** How the key of a family begins. */
  get #beginning(): string {
    return this.#redis.prefix + keyOf('');
  }

  async #read(familyId: string): Promise<string | undefined> {
    return ((await this.#redis.run(GET, [keyOf(familyId)], [])) as string | null) ?? undefined;
  }

  /** False where it is no longer what it was before. */
  async #swap(before: string, from: TicketFamily, to: TicketFamily): Promise<boolean> {
    const expires = to.isRevoked ? 0 : to.current.expiresAtEpochMs;
    const told = to.isRevoked && !from.isRevoked ? this.#redis.prefix + REVOCATIONS : '';
    const args = [before, JSON.stringify(to), to.familyId, expires, KEPT_MS, told];
    return (await this.#redis.run(SWAP, keysOf(to), args)) === 1;
  }
}

function keysOf({ familyId, account }: TicketFamily): readonly string[] {
  return [keyOf(familyId), listOf(account)];
}

function listOf(account: AccountOrdinal): string {
  return `tickets-of:${account}`;
}

function keyOf(familyId: string): string {
  return `ticket-family:${familyId}`;
}
