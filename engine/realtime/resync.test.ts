/**
 * For any trading: a client with snapshots and replays from them has exactly the venue's state, and a replay equals to the byte
 * what was sent live, whatever happens while it is made. `OPENPERP_RESYNC_RUNS=500 npx vitest run engine/realtime/resync.test.ts`
 * tries that many histories.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LIVE_CANDLE_SERIES, TIMEFRAME_MS, TIMEFRAMES, type Timeframe } from '#contract/markets.ts';
import type { Channel } from '#contract/realtime-channel.ts';
import { CHANNEL_NAMES, CHANNELS, isServed } from '#contract/realtime-channels.ts';
import { repeatable } from '#http/testing/seeds.ts';
import { ACCOUNTS, historyOf, MARKETS, marketUpdate, openAmendment, type Step, step } from '#projection/testing/any-history.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { renderAccountId } from '#units/ids.ts';
import { AccountState } from './testing/account-state.ts';
import { RecordedService } from './testing/recorded-service.ts';
import { applyCandles, type CandlesByName, candlesIn, RestResponses } from './testing/rest-responses.ts';
import type { Frame, SocketClient } from './testing/socket-client.ts';

const RUNS = Number(process.env.OPENPERP_RESYNC_RUNS ?? 12);
const FILE = 'engine/realtime/resync.test.ts';
/** Histories span days of venue time, and pass at once. */
const LIMITS = {
  replayWindowMs: 10 ** 12,
  replayWindowBytes: 2 ** 24,
  maxReplayBytes: 2 ** 26,
  maxQueuedBytes: 2 ** 27,
  frameBurst: 10_000,
  maxSubscriptions: 500,
  coalesceMs: 0,
  // A replay runs one record at a time: live updates go first.
  replaySliceMs: 0,
};
const MARKET_IDS = ['BTC-USD-PERP', 'ETH-USD-PERP'];

/** Every possible subscription of one account. */
function everything(accountId: string): readonly Frame[] {
  return CHANNEL_NAMES.filter(isServed).flatMap((channel): Frame[] => {
    if ((CHANNELS[channel] as Channel).subject === 'accountId') return [{ channel, accountId }];
    if (channel !== 'market.candles') return MARKET_IDS.map((marketId) => ({ channel, marketId }));
    return MARKET_IDS.flatMap((marketId) =>
      LIVE_CANDLE_SERIES.flatMap((series) => TIMEFRAMES.map((timeframe) => ({ channel, marketId, series, timeframe }))),
    );
  });
}

async function subscribeAll(client: SocketClient, accountId: string, fromSequence?: number): Promise<void> {
  for (const named of everything(accountId))
    client.send({ op: 'subscribe', ...named, ...(fromSequence !== undefined && { fromSequence }) });
  await client.next('subscribed', everything(accountId).length);
  expect(client.frames.filter(({ type }) => type === 'error')).toEqual([]);
}

/** Publishes a few records at a time, while something else runs. */
async function publishMeanwhile(service: RecordedService, steps: readonly Step[], onPublished: () => void): Promise<void> {
  for (const take of steps) {
    take(service.history);
    service.publish(onPublished);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Updates of lossless channels other than candles, without the field that depends on the subscriber. */
function lossless(client: SocketClient, after: number): readonly Frame[] {
  const own = client.frames.filter(({ type, channel, sequence }) => {
    const isOne = type === 'update' && channel !== 'market.candles' && sequence > after;
    return isOne && (CHANNELS[channel as keyof typeof CHANNELS] as Channel).delivery === 'lossless';
  });
  const sorted = own.toSorted((a, b) => a.sequence - b.sequence || nameOf(a).localeCompare(nameOf(b)));
  return sorted.map(({ previousSequence: _, ...frame }) => frame);
}

const nameOf = ({ channel, marketId, accountId }: Frame) => `${channel} ${marketId ?? accountId}`;

function stateOf({ projection, history }: RecordedService, account: AccountOrdinal): AccountState {
  const { reads } = projection;
  const page = { direction: 'oldest_first', limit: 10_000 } as const;
  const plain = (value: unknown) => JSON.parse(JSON.stringify(value));
  return new AccountState({
    orders: plain(reads.orders({ account, ...page }).entries),
    ordersSequence: history.records.length,
    fills: plain(reads.fills({ account, ...page }).entries),
    fillsSequence: history.records.length,
    positions: plain(reads.positions(account)),
    account: plain(reads.accountSnapshot(account)),
  });
}

/** The cash of a balance update equals that of the account at its sequence. */
function expectSnapshotCash(client: SocketClient): void {
  for (const { sequence, data } of client.updates('account.balance')) {
    const margin = client.updates('account.margin').find((frame) => frame.sequence === sequence);
    if (margin?.data.kind === 'values') expect(data.cashAtoms).toBe(margin.data.cashBalanceAtoms);
  }
}

/** Candles that can have changed within five minutes. Older ones may have been evicted. */
function newest(candles: CandlesByName, nowEpochMs: number): CandlesByName {
  const named = [...candles].map(([name, byTime]) => {
    const spanMs = TIMEFRAME_MS[name.split(' ')[2] as Timeframe];
    return [name, new Map([...byTime].filter(([openTimeEpochMs]) => openTimeEpochMs + spanMs > nowEpochMs - 300_000))] as const;
  });
  return new Map(named);
}

const anyStep = fc.oneof(
  { weight: 30, arbitrary: step },
  { weight: 1, arbitrary: marketUpdate },
  { weight: 2, arbitrary: openAmendment },
);
const someSteps = fc.array(anyStep, { minLength: 20, maxLength: 120, size: 'max' });

test(
  'a snapshot and its replay equal the state, and a replay equals what was sent live',
  async () => {
    const property = fc.asyncProperty(someSteps, someSteps, fc.integer({ min: 1, max: ACCOUNTS }), async (before, after, who) => {
      const account = who as AccountOrdinal;
      const accountId = renderAccountId(account);
      const history = historyOf([]);
      const service = await RecordedService.start(history, LIMITS);
      try {
        const present = await service.connectAs(account);
        await subscribeAll(present, accountId);
        const presentCandles = candlesIn(service, MARKETS);
        const rest = new RestResponses();
        const note = () => rest.note(service, account);
        for (const take of before) take(history);
        service.publish(note);
        const state = stateOf(service, account);
        const snapshotSequence = history.records.length;
        const lateCandles = candlesIn(service, MARKETS);
        // Staleness by time alone is published with the next price.
        const pricing = MARKETS.map(
          (market): Step =>
            (it) =>
              void it.price(10_000, market),
        );
        const [gone, meanwhile] = [after.slice(0, after.length / 2), after.slice(after.length / 2)];
        for (const take of gone) take(history);
        service.publish(note);

        const late = await service.connectAs(account);
        await Promise.all([
          subscribeAll(late, accountId, snapshotSequence),
          publishMeanwhile(service, [...meanwhile, ...pricing], note),
        ]);
        service.service.flush();
        await Promise.all([late.drained(), present.drained()]);
        expect(lossless(late, 0)).toEqual(lossless(present, snapshotSequence));

        rest.expectOf(present);
        const candles = candlesIn(service, MARKETS);
        applyCandles(presentCandles, present);
        expect(presentCandles).toEqual(candles);
        applyCandles(lateCandles, late);
        expect(newest(lateCandles, history.now)).toEqual(newest(candles, history.now));

        const own = late.frames.filter(({ type, accountId }) => type === 'update' && accountId !== undefined);
        const bySequence = Map.groupBy(own, ({ sequence }) => sequence as number);
        for (const { sequence, events } of history.records.slice(snapshotSequence)) {
          for (const frame of bySequence.get(sequence) ?? []) state.apply(frame);
          for (const event of events)
            if (event.type === 'MarketPriced')
              rest.expectStatuses(sequence, MARKET_IDS[event.market - 1]!, (position) => state.marginStatusOf(position));
        }
        const known = state.known() as Frame;
        const { margin, digest, ...durable } = stateOf(service, account).known() as Frame;
        expect(known).toEqual({ ...durable, ...(state.isMarginKnown && { margin, digest }) });
        expectSnapshotCash(present);
        // Live updates continue without a gap.
        history.run({ type: 'CreditCash', account, amountAtoms: 5 as never, reference: 'last' });
        for (const market of MARKETS) history.price(10_001, market);
        service.publish();
        await Promise.all([late.drained(), present.drained()]);
        for (const client of [late, present]) client.demandValid();
      } finally {
        for (const client of service.clients) client.socket.terminate();
      }
    });
    await fc.assert(property, { ...repeatable(FILE, RUNS), endOnFailure: true });
  },
  600_000 + 3_000 * RUNS,
);
