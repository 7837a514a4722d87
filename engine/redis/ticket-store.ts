/**
 * Families of realtime tickets that several processes share, in Redis: one key per family, and one per account that lists its
 * families. A change is computed here and swapped there if the family is still the one that was read.
 */
import { TICKET_LIFETIMES } from '#contract/realtime-limits.ts';
import { StoreUnavailable } from '#identity/store-unavailable.ts';
import type { TicketFamily } from '#identity/ticket-family.ts';
import { REVOCATION_RETENTION_MS, type TicketStore } from '#identity/ticket-store.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { type RedisLink, script } from './redis-link.ts';

/** After this time no ticket of a family is valid, however late it was rotated. */
const RETENTION_MS = TICKET_LIFETIMES.familyMs + REVOCATION_RETENTION_MS;
/** This many concurrent changes in a row do not come from a client that rotates tickets. */
const MAX_ATTEMPTS = 32;
const REVOCATIONS = 'revoked-ticket-families';

/**
 * KEYS: the family, the list of its account. ARGV: family, its id, its expiry, now, the maximum of active families, how long all
 * is stored, the key prefix of families. The list stores the expiry of each: 0 for a revoked one. Ended families are remembered
 * while there is room for as many, and are removed first.
 */
const ADD = script(`
local max = tonumber(ARGV[5])
if redis.call('ZCOUNT', KEYS[2], '(' .. ARGV[4], '+inf') >= max then return 0 end
local excess = redis.call('ZCARD', KEYS[2]) - 2 * max + 1
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

/**
 * KEYS: likewise. ARGV: the family before and after, its id, its expiry, how long all is stored, the channel to notify of a
 * revocation.
 */
const SWAP = script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[5])
redis.call('ZADD', KEYS[2], 'XX', ARGV[4], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[5])
if ARGV[6] ~= '' then redis.call('PUBLISH', ARGV[6], ARGV[3]) end
return 1`);

/** KEYS: the list of an account. ARGV: now, the key prefix of families. */
const LIST_VALID_FAMILIES = script(`
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

  async add(family: TicketFamily, maxFamilies: number, now: EpochMs): Promise<boolean> {
    const { familyId, current } = family;
    const args = [
      JSON.stringify(family),
      familyId,
      current.expiresAtEpochMs,
      now,
      maxFamilies,
      RETENTION_MS,
      this.#retentionStart,
    ];
    return (await this.#redis.run(ADD, keysOf(family), args)) === 1;
  }

  async change<Result extends { readonly family: TicketFamily }>(
    familyId: string,
    change: (family: TicketFamily) => Result,
  ): Promise<Result | undefined> {
    for (let tries = 0; tries < MAX_ATTEMPTS; tries += 1) {
      const before = await this.#read(familyId);
      if (before === undefined) return undefined;
      const family = JSON.parse(before) as TicketFamily;
      const result = change(family);
      if (result.family === family || (await this.#swap(before, family, result.family))) return result;
    }
    throw new StoreUnavailable(`a ticket family was changed concurrently ${MAX_ATTEMPTS} times`);
  }

  async validFamilies(account: AccountOrdinal, now: EpochMs): Promise<readonly TicketFamily[]> {
    const found = (await this.#redis.run(
      LIST_VALID_FAMILIES,
      [listOf(account)],
      [now, this.#retentionStart],
    )) as readonly string[];
    return found.map((text) => JSON.parse(text) as TicketFamily);
  }

  async find(familyId: string): Promise<TicketFamily | undefined> {
    const found = await this.#read(familyId);
    return found === undefined ? undefined : (JSON.parse(found) as TicketFamily);
  }

  onRevoked(listener: (familyId: string) => void): void {
    this.#redis.subscribe(REVOCATIONS, listener);
  }

  /** The key prefix of families. */
  get #retentionStart(): string {
    return this.#redis.prefix + keyOf('');
  }

  async #read(familyId: string): Promise<string | undefined> {
    return ((await this.#redis.run(GET, [keyOf(familyId)], [])) as string | null) ?? undefined;
  }

  /** Returns false if the family has changed since it was read. */
  async #swap(before: string, from: TicketFamily, to: TicketFamily): Promise<boolean> {
    const expires = to.isRevoked ? 0 : to.current.expiresAtEpochMs;
    const channel = to.isRevoked && !from.isRevoked ? this.#redis.prefix + REVOCATIONS : '';
    const args = [before, JSON.stringify(to), to.familyId, expires, RETENTION_MS, channel];
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
