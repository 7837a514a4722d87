/** An account with continuous activity: orders, fills, position and balance updates for its watchers. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { VenueAccount } from './venue-account.ts';

const PAUSE_MS = 50;

export interface Activity {
  /** Rejects when an order fails, since watchers would then wait forever. */
  readonly ended: Promise<void>;
  /** Resolves after the last order, and rejects if one failed. */
  stop(): Promise<void>;
}

/** Repeatedly buys and sells the same amount on top of the position, and places and cancels an order far from the market. */
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
  // Avoids an unhandled rejection if no caller waits for it.
  running.catch(() => undefined);
  return {
    ended: running,
    stop: () => {
      isStopped = true;
      return running;
    },
  };
}
