/** Every channel in every environment: a socket can name it exactly where it is declared. Two are declared for fewer environments here. */
import { expect, test, vi } from 'vitest';
import { ENVIRONMENTS, PARTIAL_FEATURES } from '#contract/environments.ts';
import type { Channel } from '#contract/realtime-channel.ts';
import { CHANNELS } from '#contract/realtime-channels.ts';
import { MARKET_ID, RecordedService } from './testing/recorded-service.ts';

vi.mock('#contract/realtime-market.ts', async (load) => {
  const real = await load<typeof import('#contract/realtime-market.ts')>();
  const trades = { ...real.marketChannels['market.trades'], environments: PARTIAL_FEATURES.faucet.environments };
  return { ...real, marketChannels: { ...real.marketChannels, 'market.trades': trades } };
});

vi.mock('#contract/realtime-account.ts', async (load) => {
  const real = await load<typeof import('#contract/realtime-account.ts')>();
  const alerts = { ...real.accountChannels['account.alerts'], environments: PARTIAL_FEATURES.agentActionLog.environments };
  return { ...real, accountChannels: { ...real.accountChannels, 'account.alerts': alerts } };
});

const channels: readonly Channel[] = Object.values(CHANNELS);

test.each(ENVIRONMENTS)('%s knows exactly its channels', async (environment) => {
  const service = await RecordedService.start(undefined, {}, [], [], undefined, undefined, environment);
  const client = await service.connectAs(1);
  const declared = channels.filter(({ environments }) => environments?.includes(environment) ?? true).map(({ name }) => name);
  const known: string[] = [];
  for (const { name, subject } of channels) {
    const named = subject === 'marketId' ? { marketId: MARKET_ID } : { accountId: 'acct-1' };
    const { code, message } = await client.request({ op: 'unsubscribe', channel: name, ...named });
    if (code === 'unknown_channel') expect(message).toBe(`The channel does not exist. The channels are ${declared.join(', ')}.`);
    else known.push(name);
    const subscribed = await client.request({ op: 'subscribe', channel: name, ...named });
    expect(subscribed.code === 'unknown_channel').toBe(code === 'unknown_channel');
  }
  expect(known).toEqual(declared);
});
