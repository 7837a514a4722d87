/** A call sequence that a trading-bot framework publishes, as steps of the class: what is called in which phase, and what still fails. */
import assert from 'node:assert/strict';
import type { Exchange, Order } from 'ccxt';

export type Phase = 'start' | 'entry' | 'stop' | 'exit' | 'restart';

/** What the steps of a sequence know of each other. */
export interface Bot {
  readonly exchange: Exchange;
  readonly symbol: string;
  /** Prices that trade at once, one that rests, and one far above. */
  readonly prices: {
    readonly crossingBuy: number;
    readonly crossingSell: number;
    readonly restingBuy: number;
    readonly target: number;
  };
  readonly amount: number;
  /** Orders by the name that a step gave them. */
  readonly orders: Map<string, Order>;
}

export interface Step {
  readonly phase: Phase;
  /** As in the framework's source, in ccxt's JavaScript names. */
  readonly call: string;
  readonly run: (bot: Bot) => Promise<unknown>;
  /** Why it fails today, and ccxt's error. */
  readonly fails?: { readonly error: string; readonly reason: string };
}

export interface Sequence {
  readonly framework: string;
  readonly steps: readonly Step[];
}

/** Runs a sequence. Returns the calls that failed, each with its error; throws for an unexpected failure or success. */
export async function replay({ steps }: Sequence, bot: Bot): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const { call, run, fails } of steps) {
    const error: Error | undefined = await run(bot).then(
      () => undefined,
      (reason: Error) => reason,
    );
    if (fails === undefined && error !== undefined) throw new Error(`${call}: ${error.name} ${error.message}`);
    if (fails === undefined) continue;
    assert(error !== undefined, `${call} no longer fails: remove it from the table`);
    assert.equal(error.name, fails.error, `${call}: ${error.message}`);
    failed.push(call);
  }
  return failed;
}

/** A step that keeps its order under a name. */
export function placing(phase: Phase, call: string, name: string, place: (bot: Bot) => Promise<Order>): Step {
  return {
    phase,
    call,
    run: async (bot) => {
      bot.orders.set(name, await place(bot));
    },
  };
}

export function idOf({ orders }: Bot, name: string): string {
  return orders.get(name)!.id as string;
}

/** What nearly every framework reads at its start. */
export async function assertTradableMarket({ exchange, symbol }: Bot): Promise<void> {
  const market = (await exchange.loadMarkets())[symbol]!;
  assert.deepEqual([market.swap, market.linear, market.active, market.type], [true, true, true, 'swap']);
  assert(Number(market.precision.price) > 0 && Number(market.precision.amount) > 0 && Number(market.contractSize) > 0);
}
