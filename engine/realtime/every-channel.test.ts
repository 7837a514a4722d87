/** Every channel with a source publishes and replays the changes that concern it. */
import { expect, test } from 'vitest';
import type { Channel } from '#contract/realtime-channel.ts';
import { CHANNEL_NAMES, CHANNELS, isServed, type ServedChannel } from '#contract/realtime-channels.ts';
import { BTC } from '#simulation/scenario.ts';
import { type AccountOrdinal, renderAccountId } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import { running, trade } from '#venue/agent/testing/agents.ts';
import { MARKET_ID, RecordedService } from './testing/recorded-service.ts';
import type { SocketClient } from './testing/socket-client.ts';

const SERVED = CHANNEL_NAMES.filter(isServed);
/** Only an account with an owner has their updates. */
const OF_OWNERS: readonly ServedChannel[] = ['account.agents'];
const LOSSLESS = SERVED.filter((name) => (CHANNELS[name] as Channel).delivery === 'lossless');
/** Options of the channels that need some. */
const OPTIONS: { readonly [Name in ServedChannel]?: object } = { 'market.candles': { series: 'trade', timeframe: '1m' } };

/** Two clients: of the first account, and of an owner. */
type Clients = readonly [first: SocketClient, owner: SocketClient];

function clientOf([first, owner]: Clients, name: ServedChannel): SocketClient {
  return OF_OWNERS.includes(name) ? owner : first;
}

async function subscribeTo(
  clients: Clients,
  accounts: readonly AccountOrdinal[],
  channels: readonly ServedChannel[],
  fromSequence?: number,
): Promise<void> {
  for (const name of channels) {
    const accountId = renderAccountId(accounts[OF_OWNERS.includes(name) ? 1 : 0]!);
    const subject = CHANNELS[name].subject === 'marketId' ? { marketId: MARKET_ID } : { accountId };
    const client = clientOf(clients, name);
    await client.subscribed(name, { ...subject, ...OPTIONS[name] }, fromSequence);
  }
}

/** The channels without an update of this or a later sequence. */
function silentSince(clients: Clients, channels: readonly ServedChannel[], since: number): readonly ServedChannel[] {
  return channels.filter((name) =>
    clientOf(clients, name)
      .updates(name)
      .every(({ sequence }) => sequence < since),
  );
}

test('every channel publishes its state or each record that concerns it, and replays what is lossless', async () => {
  // The history is longer than the replay window of a venue.
  const service = await RecordedService.start(undefined, { replayWindowMs: 10 ** 12 });
  const { history } = service;
  history.run({ type: 'SetCapability', capability: 'affiliate', isOn: true });
  const accounts = [1 as AccountOrdinal, running(history).account] as const;
  const connected = async (): Promise<Clients> => [await service.connectAs(accounts[0]), await service.connectAs(accounts[1])];
  service.publish();
  const from = history.records.length;
  const present = await connected();
  await subscribeTo(present, accounts, SERVED);
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
  trade(history, 'buy', 1);
  service.publish();
  service.service.flush();
  for (const client of present) await client.drained();
  expect(
    silentSince(present, SERVED, from + 1),
    'channels without an update: see changedIn, affectedMarkets, affectedAccounts and changesOf, or add their changes to this history',
  ).toEqual([]);

  const late = await connected();
  await subscribeTo(late, accounts, LOSSLESS, from);
  for (const client of late) await client.drained();
  expect(silentSince(late, LOSSLESS, from + 1), 'channels without a replay: see marketsOf in replay-buffer.ts').toEqual([]);
});
