/** All channels, by name; and those of one environment. */
import type * as z from 'zod';
import { byEnvironment, type Environment, existsIn } from './environments.ts';
import { accountChannels } from './realtime-account.ts';
import type { Channel } from './realtime-channel.ts';
import { marketChannels } from './realtime-market.ts';

export const CHANNELS = { ...marketChannels, ...accountChannels } as const satisfies Record<string, Channel>;

export type ChannelName = keyof typeof CHANNELS;
export const CHANNEL_NAMES = Object.keys(CHANNELS) as ChannelName[];

/** The channels with a source. */
export type ServedChannel = {
  [Name in ChannelName]: (typeof CHANNELS)[Name] extends { readonly data: z.ZodType } ? Name : never;
}[ChannelName];
export type MarketChannel = Extract<ServedChannel, `market.${string}`>;
export type AccountChannel = Extract<ServedChannel, `account.${string}`>;
/** The channels whose updates replace each other. */
export type NewestChannel = {
  [Name in ServedChannel]: (typeof CHANNELS)[Name] extends { readonly delivery: 'newest' } ? Name : never;
}[ServedChannel];

/** The payload of a channel's updates. */
export type ChannelData<Name extends ServedChannel> = z.infer<(typeof CHANNELS)[Name]['data']>;

const CHANNELS_IN = byEnvironment<Channel>(Object.values(CHANNELS));

/** The channels of a venue in this environment. */
export function channelsIn(environment: Environment): readonly Channel[] {
  return CHANNELS_IN[environment];
}

/** Whether the environment has the channel. */
export function isChannel(environment: Environment, name: string): name is ChannelName {
  return Object.hasOwn(CHANNELS, name) && existsIn(environment, CHANNELS[name as ChannelName] as Channel);
}

export function isServed(name: ChannelName): name is ServedChannel {
  return (CHANNELS[name] as Channel).data !== undefined;
}

/** Whether the channel belongs to an account. */
export function isPrivate(name: ChannelName): boolean {
  return CHANNELS[name].subject === 'accountId';
}
