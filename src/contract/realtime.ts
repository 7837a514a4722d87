/**
 * The frames of the realtime service: JSON text, one object per frame. A client sends `op`, the service answers `type`.
 * Every update carries the sequence that it is of; updates of one subscription never go back.
 */
import * as z from 'zod';
import { idInput } from './fields.ts';

/** What the service offers to anyone. */
export const PUBLIC_CHANNELS = ['market.trades', 'market.book', 'market.ticker', 'market.price'] as const;
export type PublicChannel = (typeof PUBLIC_CHANNELS)[number];

/** Channels of the interface whose source this venue does not have yet. */
const UNAVAILABLE_CHANNELS: ReadonlySet<string> = new Set([
  'market.funding',
  'market.status',
  'market.candles',
  'account.orders',
  'account.fills',
  'account.durability',
  'account.positions',
  'account.pnl',
  'account.margin',
  'account.balance',
  'account.withdrawals',
  'account.reconciliation',
  'account.alerts',
  'account.earnings',
  'account.agents',
]);

const channel = idInput;
const marketId = idInput.optional();

const clientFrame = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('subscribe'), channel, marketId, accountId: idInput.optional() }),
  z.strictObject({ op: z.literal('unsubscribe'), channel, marketId }),
  z.strictObject({ op: z.literal('ping') }),
]);

/** What a client asks for, once it is known to make sense. */
export type ClientRequest =
  | { readonly op: 'subscribe' | 'unsubscribe'; readonly channel: PublicChannel; readonly marketId: string }
  | { readonly op: 'ping' };

export const REALTIME_ERRORS = [
  'invalid_request',
  'unknown_channel',
  'unknown_market',
  'source_unavailable',
  'too_many_subscriptions',
] as const;
export type RealtimeErrorCode = (typeof REALTIME_ERRORS)[number];

/** A frame that was refused. The connection stays open. */
export interface ErrorFrame {
  readonly type: 'error';
  readonly code: RealtimeErrorCode;
  readonly message: string;
  readonly channel?: string;
}

export type ServerFrame =
  | { readonly type: 'hello'; readonly version: 'realtime-contract/v1' }
  | {
      readonly type: 'subscribed' | 'unsubscribed';
      readonly channel: PublicChannel;
      readonly marketId: string;
      /** Updates that follow are of later sequences, but for the one that tells where things stand. */
      readonly sequence: number;
    }
  | {
      readonly type: 'update';
      readonly channel: PublicChannel;
      readonly marketId: string;
      readonly sequence: number;
      /** When that sequence was committed. */
      readonly epochMs: number;
      readonly data: object;
    }
  | { readonly type: 'pong' }
  | ErrorFrame;

/** Reads a client's frame. Whether the market exists is not looked at here. */
export function parseClientFrame(text: string): ClientRequest | ErrorFrame {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused('invalid_request', 'the frame is not JSON');
  }
  const parsed = clientFrame.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refused('invalid_request', `${issue?.path.join('.') || 'frame'}: ${issue?.message}`);
  }
  const frame = parsed.data;
  if (frame.op === 'ping') return frame;
  if (UNAVAILABLE_CHANNELS.has(frame.channel))
    return refused('source_unavailable', 'this venue does not offer the channel yet', frame.channel);
  if (!isPublicChannel(frame.channel))
    return refused('unknown_channel', `the channels are ${PUBLIC_CHANNELS.join(', ')}`, frame.channel);
  if (frame.marketId === undefined) return refused('invalid_request', 'marketId: the channel needs a market', frame.channel);
  if (frame.op === 'subscribe' && frame.accountId !== undefined) {
    return refused('invalid_request', 'accountId: a public channel takes none', frame.channel);
  }
  return { op: frame.op, channel: frame.channel, marketId: frame.marketId };
}

export function refused(code: RealtimeErrorCode, message: string, channel?: string): ErrorFrame {
  return { type: 'error', code, message, ...(channel === undefined ? {} : { channel }) };
}

function isPublicChannel(name: string): name is PublicChannel {
  return (PUBLIC_CHANNELS as readonly string[]).includes(name);
}
