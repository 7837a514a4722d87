import { beforeEach, describe, expect, test, vi } from 'vitest';
import { ManualTime } from '#time/testing/manual-time.ts';
import { HALT_REASONS, type Halt } from '#writer/port/halt.ts';
import { VenueHalted, WriterBusy } from '#writer/port/submit.ts';
import { Readiness, type ReadinessParts } from './readiness.ts';

let time: ManualTime;
let halt: Halt | undefined;
let isBehind: boolean;
let condition: ReadinessParts['projection']['condition'];
let imbalance: ReadinessParts['imbalance'];
let markets: ReadinessParts['markets'];
let unavailable: string[];
let switches: ReturnType<ReadinessParts['switches']>;
let internalErrors: unknown[];
let readiness: Readiness;

beforeEach(() => {
  time = new ManualTime();
  halt = undefined;
  isBehind = false;
  condition = { isRebuilding: false, isUnwritten: false };
  imbalance = async () => '0';
  markets = async () => [market('open', 'current')];
  unavailable = [];
  switches = { environment: 'development', isBound: true, status: 'open', capabilities: { trading: true }, policySequence: 0 };
  internalErrors = [];
  readiness = new Readiness({
    steadyClock: time,
    timers: time,
    writer: { status: () => ({ halt }) as ReturnType<ReadinessParts['writer']['status']> },
    projection: {
      get isBehind() {
        return isBehind;
      },
      get condition() {
        return condition;
      },
    },
    imbalance: () => imbalance(),
    markets: () => markets(),
    switches: () => switches,
    unavailable: () => unavailable,
    onInternalError: (error) => internalErrors.push(error),
  });
});

function market(status: string, indexStatus: string | null = null) {
  return { marketId: 'X-USD-PERP', status, indexStatus, indexPrice: null, markPrice: null, openInterest: '0' };
}

describe('the venue', () => {
  test('becomes ready when its markets are priced', async () => {
    const starting = { isReady: false, reasons: ['venue_starting: markets are being listed and priced'], degraded: [] };
    expect([await readiness.status(), await readiness.report()]).toEqual([starting, starting]);
    readiness.started();
    expect(await readiness.status()).toEqual({ isReady: true, reasons: [], degraded: [] });
  });

  test('reports a halt: the reason to clients, and the cause to the operator', async () => {
    readiness.started();
    halt = { reason: HALT_REASONS.journal_unwritable, detail: "ENOSPC: '/home/someone/journal'", cause: new Error('x') };
    expect((await readiness.status()).reasons).toEqual(['venue_halted: the journal cannot be written']);
    expect((await readiness.report()).reasons).toEqual([
      "venue_halted: the journal cannot be written: ENOSPC: '/home/someone/journal'",
    ]);
  });

  test('is not ready while reads are too far behind', async () => {
    readiness.started();
    isBehind = true;
    expect(await readiness.status()).toMatchObject({ isReady: false, reasons: [expect.stringMatching(/^projection_behind: /)] });
  });

  test.each([
    [[], [market('open', 'stale'), market('open', 'current')]],
    [[], [market('cancel_only', 'stale')]],
    [[], []],
    [['index_not_current'], [market('open', 'stale'), market('open', 'unconfirmed'), market('draft', 'current')]],
    [['index_not_current'], [market('open')]],
  ])('stays ready without current prices, and reports %j', async (degraded, all) => {
    readiness.started();
    markets = async () => all;
    const status = await readiness.status();
    // Taking it out of service would keep clients from cancelling and closing.
    expect(status).toMatchObject({ isReady: true, reasons: [] });
    expect(status.degraded?.map((line) => line.split(':')[0])).toEqual(degraded);
  });

  test('stays ready while the projection is rebuilt or cannot be written, and reports it', async () => {
    readiness.started();
    condition = { isRebuilding: true, isUnwritten: true };
    markets = () => Promise.reject(new WriterBusy('made again'));
    imbalance = markets as unknown as typeof imbalance;
    const status = await readiness.status();
    expect(status).toMatchObject({ isReady: true, reasons: [] });
    expect(status.degraded?.map((line) => line.split(':')[0])).toEqual(['projection_unwritten', 'projection_rebuilding']);
    expect(internalErrors).toEqual([]);
  });

  test('reports an imbalance of money until it is gone: the fact to clients, and the amount to the operator', async () => {
    readiness.started();
    imbalance = async () => '-0.000001';
    expect(await readiness.status()).toEqual({
      isReady: true,
      reasons: [],
      degraded: ['conservation_imbalance: the balances do not equal net deposits'],
    });
    expect((await readiness.report()).degraded).toEqual([
      'conservation_imbalance: the balances do not equal net deposits: the difference is -0.000001 USD.E',
    ]);
    imbalance = () => Promise.reject(new WriterBusy('made again'));
    expect((await readiness.status()).degraded).toHaveLength(1);
    imbalance = async () => '0';
    expect((await readiness.status()).degraded).toEqual([]);
  });

  test('stays ready without parts that orders do not need, and names the unavailable part', async () => {
    readiness.started();
    unavailable = ['redis_unavailable: x'];
    expect(await readiness.status()).toEqual({ isReady: true, reasons: [], degraded: ['redis_unavailable: x'] });
  });

  test('reads its markets at a bounded rate however often it is probed', async () => {
    readiness.started();
    const looking = vi.fn(markets);
    markets = looking;
    await Promise.all(Array.from({ length: 100 }, () => readiness.status()));
    expect(looking).toHaveBeenCalledTimes(1);
  });

  describe('without reads', () => {
    beforeEach(() => readiness.started());

    const behind = async (afterMs: number) => {
      await time.advance(1_001);
      const status = readiness.status();
      await time.advance(afterMs);
      expect((await status).reasons).toEqual([expect.stringMatching(/^projection_behind: /)]);
    };

    test('reports no internal error when reads time out', async () => {
      markets = () => new Promise(() => {});
      await behind(2_000);
      expect(internalErrors).toEqual([]);
    });

    test('reports one internal error until failing reads succeed again', async () => {
      markets = () => Promise.reject('no stats');
      await behind(0);
      await behind(0);
      expect(internalErrors).toEqual(['no stats']);
      markets = async () => [market('open', 'current')];
      await time.advance(1_001);
      expect((await readiness.status()).isReady).toBe(true);
      markets = () => Promise.reject('again');
      await behind(0);
      expect(internalErrors).toEqual(['no stats', 'again']);
    });

    test('reports an internal error that arrives after the timeout', async () => {
      const late = Promise.withResolvers<never>();
      markets = () => late.promise;
      await behind(2_000);
      late.reject('late');
      await time.advance(0);
      expect(internalErrors).toEqual(['late']);
    });
  });
});

test('reports no internal error when a halt refuses reads', async () => {
  readiness.started();
  markets = () => Promise.reject(new VenueHalted('x'));
  expect((await readiness.status()).reasons).toEqual([expect.stringMatching(/^projection_behind: /)]);
  expect(internalErrors).toEqual([]);
});

test('is not ready while the operator has halted the venue, and degraded while the intake is paused or trading is off', async () => {
  readiness.started();
  const shown = async () => {
    const { isReady, reasons, degraded } = await readiness.status();
    return [isReady, ...[...reasons, ...(degraded ?? [])].map((line) => line.split(':')[0])];
  };
  switches = { ...switches, status: 'halted' };
  expect(await shown()).toEqual([false, 'venue_halted']);
  switches = { ...switches, status: 'intake_paused' };
  expect(await shown()).toEqual([true, 'intake_paused']);
  switches = { ...switches, status: 'open', capabilities: { trading: false } };
  expect(await shown()).toEqual([true, 'capability_unavailable']);
});
