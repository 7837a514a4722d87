/** The short-lived state of owners in Redis, for several processes to share. */
import type { OpenStore } from '#identity/owner-stores.ts';
import { RedisExpiringStore } from './expiring-store.ts';
import type { RedisLink } from './redis-link.ts';

export function openInRedis(redis: RedisLink): OpenStore {
  return (name, capacity) => new RedisExpiringStore(redis, name, capacity);
}
