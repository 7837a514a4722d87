/** An account that is never idle: whoever watches it is told of an order, a fill, its position and its balance again and again. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { VenueAccount } from './venue-account.ts';

const PAUSE_MS = 50;

export interface Activity {
  /** Rejects when an order fails: whoever waits for an update then waits for ever. */
  readonly ended: Promise<void>;
  /** Resolves once the last order is through, and rejects if one failed. */
  stop(): Promise<void>;
}

/** Buys and sells the same again and again on top of what is held, and places an order far from the market that is cancelled. */
export function keepBusy(account: VenueAccount, symbol: string, amount: number, restingPrice: number): Activity {
  let isStopped = false;
  const running = (async () => {
    while (!isStopped) {
      await account.place({ symbol, side: 'buy', quantity: amount });
      const { orderId } = await account.place({ symbol, side: 'buy', quantity: amount, price: restingPrice });
      await account.place({ symbol, side: 'sell', quantity: amount, reduceOnly: true });
      await account.cancel(orderId);
      await sleep(PAUSE_MS);
    }
  })();
  // Whether or not somebody waits for it.
  running.catch(() => undefined);
  return {
    ended: running,
    stop: () => {
      isStopped = true;
      return running;
    },
  };
}
