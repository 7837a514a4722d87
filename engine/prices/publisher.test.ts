import { beforeEach, describe, expect, test } from 'vitest';
import { ManualTime } from '#time/testing/manual-time.ts';
import { sleep } from '#time/timers.ts';
import type { MarketOrdinal, OrderOrdinal, Sequence } from '#units/ids.ts';
import { epochMs } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { type CommitResponse, type Submit, VenueHalted, WriterBusy } from '#writer/port/submit.ts';
import { MarketFeed } from './market-feed.ts';
import { startPublisher } from './publisher.ts';

const markets = new Map([['BTC-USD-PERP', { market: 1 as MarketOrdinal, priceScale: 1 }]]);
let time: ManualTime;
beforeEach(() => {
  time = new ManualTime();
});

function committed(command: Command, events: VenueEvent[] = []): CommitResponse {
  return { sequence: 1 as Sequence, epochMs: epochMs(1_000), command, events, replayed: false };
}

function run(submit: Submit, price: () => number = () => 65_000.04) {
  const lines: string[] = [];
  const internalErrors: unknown[] = [];
  const publisher = startPublisher({
    source: { description: 'test', observe: (now) => [{ marketId: 'BTC-USD-PERP', price: price(), observedAtEpochMs: now }] },
    markets,
    submit,
    clock: time,
    timers: time,
    intervalMs: 2,
    log: (line) => lines.push(line),
    onInternalError: (error) => internalErrors.push(error),
  });
  return { publisher, lines, internalErrors };
}

describe('the publisher', () => {
  test('submits prices on the tick until it is stopped', async () => {
    const commands: Command[] = [];
    const startedAt = time.now();
    const { publisher, internalErrors } = run(async ({ command }) => {
      commands.push(command);
      return committed(command);
    });
    await time.advance(6);
    expect(commands).toHaveLength(4);
    await publisher.stop();
    const count = commands.length;
    expect(commands.map((command) => 'observedAtEpochMs' in command && command.observedAtEpochMs - startedAt)).toEqual([
      0, 2, 4, 6,
    ]);
    expect(commands[0]).toMatchObject({ type: 'PublishIndexPrice', market: 1, priceAtoms: 650_000 });
    await time.advance(20);
    expect(commands.length).toBe(count);
    expect(internalErrors).toEqual([]);
  });

  test('continues after a refusal and a busy writer, and logs a refusal once', async () => {
    let calls = 0;
    const { publisher, lines, internalErrors } = run(async ({ command }) => {
      calls += 1;
      if (calls % 2 === 0) throw new WriterBusy();
      return committed(command, [{ type: 'CommandRefused', code: 'price_out_of_bounds', order: 0 as OrderOrdinal, bound: 9 }]);
    });
    await time.advance(12);
    expect(calls).toBe(7);
    await publisher.stop();
    expect(lines).toEqual(['prices: the venue refused 65000.04 for BTC-USD-PERP: price_out_of_bounds (logged once)']);
    expect(internalErrors).toEqual([]);
  });

  test('ends silently with a halted venue, and reports an internal error', async () => {
    let calls = 0;
    const halted = run(async () => {
      calls += 1;
      throw new VenueHalted();
    });
    await time.advance(20);
    expect(calls).toBe(1);
    expect(halted.internalErrors).toEqual([]);

    const broken = run(
      async ({ command }) => committed(command),
      () => Number.NaN,
    );
    await time.settle();
    expect(broken.internalErrors).toHaveLength(1);
  });
});

describe('a market with pending work', () => {
  const BOTH = new Map([
    ['A', { market: 1 as MarketOrdinal, priceScale: 0 }],
    ['B', { market: 2 as MarketOrdinal, priceScale: 0 }],
  ]);
  const PENDING: VenueEvent = { type: 'MarketWorkPending', market: 1 as MarketOrdinal };

  /** Market 1 always has pending work; every command takes a moment. */
  function runBoth() {
    const commands: string[] = [];
    const internalErrors: unknown[] = [];
    const running = new Map<string, number>();
    let max = 0;
    const publisher = startPublisher({
      source: {
        description: 'test',
        observe: (now) => [...BOTH.keys()].map((marketId) => ({ marketId, price: 10, observedAtEpochMs: now })),
      },
      markets: BOTH,
      submit: async ({ command }) => {
        const { market } = command as { market: number };
        const name = `${command.type} ${market}`;
        commands.push(name);
        running.set(name, (running.get(name) ?? 0) + 1);
        max = Math.max(max, ...running.values());
        await sleep(time, 5);
        running.set(name, running.get(name)! - 1);
        return committed(command, market === 1 ? [PENDING] : []);
      },
      clock: time,
      timers: time,
      intervalMs: 1,
      log: () => {},
      onInternalError: (error) => internalErrors.push(error),
    });
    return { publisher, commands, internalErrors, max: () => max };
  }

  test('advances it beside the prices of all markets, with one command of each kind in progress', async () => {
    const { publisher, commands, internalErrors, max } = runBoth();
    const count = (name: string) => commands.filter((command) => command === name).length;
    await time.advance(60);
    expect(count('AdvanceMarket 1')).toBeGreaterThan(10);
    expect(count('PublishIndexPrice 1')).toBeGreaterThan(3);
    expect(count('PublishIndexPrice 2')).toBeGreaterThan(3);
    const stopped = publisher.stop();
    await time.advance(10);
    await stopped;
    expect(count('AdvanceMarket 2')).toBe(0);
    // However fast the source is, one command of each kind is in progress at a time.
    expect(max()).toBe(1);
    const last = commands.length;
    await time.advance(20);
    expect(commands.length).toBe(last);
    expect(internalErrors).toEqual([]);
  });

  test('a price that reports pending work during the last turn starts it again', async () => {
    const responses: (() => void)[] = [];
    const commands: string[] = [];
    const submit: Submit = ({ command }) => {
      commands.push(command.type);
      return new Promise((resolve) => {
        responses.push(() => resolve(committed(command, command.type === 'PublishIndexPrice' ? [PENDING] : [])));
      });
    };
    const feed = new MarketFeed([...BOTH.values()][0]!, submit, {
      onRefused: () => {},
      onInternalError: () => {},
      onHalted: () => {},
    });
    // The responses of a group arrive together, in the order of its commands.
    const respondToAll = async () => {
      for (const response of responses.splice(0)) response();
      await new Promise((resolve) => setImmediate(resolve));
    };
    feed.publish({ marketId: 'BTC-USD-PERP', price: 10, observedAtEpochMs: epochMs(1) });
    await respondToAll();
    feed.publish({ marketId: 'BTC-USD-PERP', price: 11, observedAtEpochMs: epochMs(2) });
    await respondToAll();
    await respondToAll();
    expect(commands).toEqual(['PublishIndexPrice', 'AdvanceMarket', 'PublishIndexPrice', 'AdvanceMarket']);
    await feed.end();
  });

  test('the first prices resolve when they are settled, not when the pending work is', async () => {
    const { publisher, commands } = runBoth();
    await time.advance(5);
    await publisher.published;
    expect(commands).toContain('PublishIndexPrice 2');
    const stopped = publisher.stop();
    await time.advance(10);
    await stopped;
  });
});
