/** Where expiring stores can be: one suite runs over each. Starts one Redis for the tests of a file. */
import { afterAll, beforeAll } from 'vitest';
import { type ExpiringEntry, type ExpiringStore, MemoryExpiringStore, type StoreCapacity } from '#identity/expiring-store.ts';
import { RedisExpiringStore } from '#redis/expiring-store.ts';
import { RedisLink } from '#redis/redis-link.ts';
import { systemTime } from '#time/system-time.ts';
import { eventually } from '#time/testing/eventually.ts';
import { NO_REDIS, RedisProcess } from './redis-process.ts';

export interface StorePlace {
  readonly name: string;
  /** Why it cannot run here. */
  readonly missing: string | undefined;
  /** An empty store. */
  make<Entry extends ExpiringEntry>(capacity: StoreCapacity): ExpiringStore<Entry>;
  /** Resolves once a listener of the newest store gets every message. */
  subscribed(): Promise<void>;
}

export interface StorePlaces {
  readonly places: readonly StorePlace[];
  redis(): RedisProcess;
  link(): RedisLink;
}

export function linkTo({ url }: RedisProcess): RedisLink {
  return new RedisLink({
    url,
    prefix: 'test',
    steadyClock: systemTime.steadyClock,
    log: () => {},
    onInternalError: (error) => {
      throw error;
    },
  });
}

/** Call it at the top of a test file. */
export function storePlaces(): StorePlaces {
  let redis: RedisProcess;
  let link: RedisLink;
  let stores = 0;
  beforeAll(async () => {
    if (NO_REDIS !== undefined) return;
    redis = await RedisProcess.start();
    link = linkTo(redis);
    await link.settled();
  });
  afterAll(async () => {
    link?.close();
    await redis?.remove();
  });
  const inProcess: StorePlace = {
    name: 'in this process',
    missing: undefined,
    make: (capacity) => new MemoryExpiringStore(capacity),
    subscribed: async () => {},
  };
  const inRedis: StorePlace = {
    name: 'in Redis',
    missing: NO_REDIS,
    make: (capacity) => {
      stores += 1;
      return new RedisExpiringStore(link, `store-${stores}`, capacity);
    },
    subscribed: () =>
      eventually(async () => {
        const [, count] = (await link.run(NUMSUB, [], [`${link.prefix}store-${stores}:ended`])) as [string, number];
        if (count < 1) throw new Error('not subscribed yet');
      }),
  };
  return { places: [inProcess, inRedis], redis: () => redis, link: () => link };
}

const NUMSUB = { lua: "return redis.call('PUBSUB', 'NUMSUB', ARGV[1])", digest: '0'.repeat(40) };
