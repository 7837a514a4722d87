/** Every channel with a source publishes and replays the changes that concern it. */
import { expect, test } from 'vitest';
import type { Channel } from '#contract/realtime-channel.ts';
import { CHANNEL_NAMES, CHANNELS, isServed, type ServedChannel } from '#contract/realtime-channels.ts';
import { BTC } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import { MARKET_ID, RecordedService } from './testing/recorded-service.ts';
import type { SocketClient } from './testing/socket-client.ts';

const SERVED = CHANNEL_NAMES.filter(isServed);
const LOSSLESS = SERVED.filter((name) => (CHANNELS[name] as Channel).delivery === 'lossless');
/** Options of the channels that need some. */
const OPTIONS: { readonly [Name in ServedChannel]?: object } = { 'market.candles': { series: 'trade', timeframe: '1m' } };

async function subscribeTo(client: SocketClient, channels: readonly ServedChannel[], fromSequence?: number): Promise<void> {
  for (const name of channels) {
    const subject = CHANNELS[name].subject === 'marketId' ? { marketId: MARKET_ID } : { accountId: 'acct-1' };
    await client.subscribed(name, { ...subject, ...OPTIONS[name] }, fromSequence);
  }
}

/** The channels without an update of this or a later sequence. */
function silentSince(client: SocketClient, channels: readonly ServedChannel[], since: number): readonly ServedChannel[] {
  return channels.filter((name) => client.updates(name).every(({ sequence }) => sequence < since));
}

test('every channel publishes its state or each record that concerns it, and replays what is lossless', async () => {
  // The history is longer than the replay window of a venue.
  const service = await RecordedService.start(undefined, { replayWindowMs: 10 ** 12 });
  const { history } = service;
  history.run({ type: 'SetCapability', capability: 'affiliate', isOn: true });
  service.publish();
  const from = history.records.length;
  const present = await service.connectAs(1);
  await subscribeTo(present, SERVED);
  const newest = SERVED.filter((name) => !LOSSLESS.includes(name));
  expect(silentSince(present, newest, from), 'channels that do not start with their state: see STATE_SOURCES').toEqual([]);

  // Half of it rests, so that the book stays changed.
  history.limit(2, 'sell', 10_000, 200);
  history.market(1, 'buy', 100);
  // The estimate of funding needs samples of half a period.
  for (let seconds = 0; seconds < 3_700; seconds += 10) {
    history.wait(10_000);
    history.price(10_010);
  }
  history.run({ type: 'SetMarketStatus', market: BTC, status: 'cancel_only' });
  history.run({ type: 'CreditCash', account: 1 as AccountOrdinal, amountAtoms: 7 as QuoteAtoms, reference: 'more' });
  history.run({ type: 'RegisterAffiliate', account: 1 as AccountOrdinal, referralCode: 'first-code' });
  history.run({ type: 'ReserveWithdrawal', account: 1 as AccountOrdinal, amountAtoms: 7 as QuoteAtoms, destination: 'party' });
  service.publish();
  service.service.flush();
  await present.drained();
  expect(
    silentSince(present, SERVED, from + 1),
    'channels without an update: see changedIn, affectedMarkets, affectedAccounts and changesOf, or add their changes to this history',
  ).toEqual([]);

  const late = await service.connectAs(1);
  await subscribeTo(late, LOSSLESS, from);
  await late.drained();
  expect(silentSince(late, LOSSLESS, from + 1), 'channels without a replay: see marketsOf in replay-buffer.ts').toEqual([]);
});
