import { expect, test } from 'vitest';
import type { Coordinator } from '#settlement/coordinator/coordinator.ts';
import type { DepositOrdinal } from '#units/ids.ts';
import { OwnedStores } from './owned-stores.ts';

test('lets time pass for a request that waits for the ledger after another one at once has ended', async () => {
  const stores = new OwnedStores();
  const { time } = stores;
  const depositSettled = () => new Promise<void>((resolve) => void time.setTimeout(resolve, 50));
  const coordinator = stores.awaited({ depositSettled } as unknown as Coordinator);
  const otherEnded = Promise.withResolvers<void>();
  const waits = otherEnded.promise.then(() => coordinator.depositSettled(1 as DepositOrdinal));
  const startedAt = time.now();
  const first = stores.whileWaiting(waits);
  await stores.whileWaiting(Promise.resolve());
  otherEnded.resolve();
  await first;
  expect(time.now() - startedAt).toBe(50);
});
