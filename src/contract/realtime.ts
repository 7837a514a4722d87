/**
 * The frames of the realtime service: JSON text, one object per frame. Frames of the client have `op`, frames of the service have `type`; a
 * response repeats the `id` of its request. The interface names the channels, `auth_ok` and the ticket, but shows no frame, so each is
 * marked as ours.
 */
import * as z from 'zod';
import { accountId, epochMs, idInput, marketId, sequence, textInput } from './fields.ts';
import type { Channel } from './realtime-channel.ts';
import { CHANNELS, type ChannelName, isServed } from './realtime-channels.ts';
import {
  REALTIME_ERROR_CODES,
  RESYNC_CAUSE_NAMES,
  RESYNC_CAUSES,
  type RealtimeErrorCode,
  SOCKET_TICKET_FAILURE_NAMES,
  SOCKET_TICKET_FAILURES,
} from './realtime-errors.ts';
import { realtimeTicket } from './realtime-tickets.ts';

export const REALTIME_VERSION = 'realtime-contract/v1';

/** In code points, as in JSON Schema. */
const MAX_ID_LENGTH = 64;
const id = textInput(MAX_ID_LENGTH, 1).optional().meta({ description: 'Chosen by the client; the response repeats it.' });
const OURS = { 'x-openperp-ours': true } as const;
const echoed = z.string().optional().meta({ description: 'The id of the frame that this responds to.' });

/** The id to repeat in the response, also to a refused frame; `undefined` if it is not a text or too long. */
export function repeatableId(given: unknown): string | undefined {
  return typeof given === 'string' && given.length <= 2 * MAX_ID_LENGTH && [...given].length <= MAX_ID_LENGTH ? given : undefined;
}

export const authFrame = z.strictObject({ op: z.literal('auth'), ticket: realtimeTicket, id }).meta({
  ...OURS,
  id: 'AuthFrame',
  description: 'Authenticates the socket for the account of the ticket. A ticket authenticates one socket.',
});
export const pingFrame = z
  .strictObject({ op: z.literal('ping'), id })
  .meta({ ...OURS, id: 'PingFrame', description: 'The service responds with pong.' });

/** The fields that identify a subscription of a channel: market or account, and options. */
function subjectOf({ subject, options }: Channel) {
  return { ...(subject === 'marketId' ? { marketId: idInput } : { accountId: idInput }), ...options?.shape };
}

const fromSequence = sequence.optional().meta({
  description:
    "The sequence of the client's snapshot or of its last update. Later updates are replayed. Without it the subscription starts with the next update.",
});

export function subscribeFrame(channel: Channel) {
  return z
    .strictObject({ op: z.literal('subscribe'), channel: z.literal(channel.name), ...subjectOf(channel), fromSequence, id })
    .meta({ ...OURS, description: `Subscribes to ${channel.name}.` });
}

export function unsubscribeFrame(channel: Channel) {
  return z
    .strictObject({ op: z.literal('unsubscribe'), channel: z.literal(channel.name), ...subjectOf(channel), id })
    .meta({ ...OURS, description: `Ends a subscription to ${channel.name}. It is no error if there is no subscription.` });
}

export const helloFrame = z.strictObject({ type: z.literal('hello'), version: z.literal(REALTIME_VERSION) }).meta({
  ...OURS,
  id: 'HelloFrame',
  description: 'The first frame of every socket.',
});
export const authOkFrame = z.strictObject({ type: z.literal('auth_ok'), accountId, expiresAt: epochMs, id: echoed }).meta({
  ...OURS,
  id: 'AuthOkFrame',
  description: 'The socket is authenticated. It is closed at expiresAt unless the ticket is rotated before that.',
});
export const pongFrame = z.strictObject({ type: z.literal('pong'), id: echoed }).meta({ ...OURS, id: 'PongFrame' });
export const errorFrame = z
  .strictObject({
    type: z.literal('error'),
    code: z.enum(REALTIME_ERROR_CODES as [RealtimeErrorCode, ...RealtimeErrorCode[]]),
    message: z.string().min(1),
    retryable: z.boolean(),
    channel: z.string().optional(),
    realtimeTicketFailure: z
      .enum(SOCKET_TICKET_FAILURE_NAMES)
      .optional()
      .meta({ description: `With ticket_rejected. ${meanings(SOCKET_TICKET_FAILURES)}` }),
    resyncCause: z
      .enum(RESYNC_CAUSE_NAMES)
      .optional()
      .meta({ description: `With resync_required. ${meanings(RESYNC_CAUSES)}` }),
    snapshotSource: z
      .string()
      .optional()
      .meta({ description: 'With resync_required: the REST read of the snapshot, if the channel has one.' }),
    historySource: z.string().optional().meta({
      description: 'With resync_required: the REST read of missed updates, if the channel has no snapshot.',
    }),
    oldestSequence: sequence.optional().meta({ description: 'With not_kept: the lowest fromSequence that can be replayed now.' }),
    maxReplayBytes: z.int().min(0).optional().meta({ description: 'With too_much: the maximum size of a replay.' }),
    id: echoed,
  })
  .meta({ ...OURS, id: 'ErrorFrame', description: 'A frame was refused; the socket stays open.' });
export type ErrorFrame = z.infer<typeof errorFrame>;

function meanings(of: Readonly<Record<string, string>>): string {
  return Object.entries(of)
    .map(([name, meaning]) => `${name}: ${meaning}`)
    .join(' ');
}

function addressOf({ subject, options }: Channel) {
  return { ...(subject === 'marketId' ? { marketId } : { accountId }), ...options?.shape };
}

export function subscribedFrame(channel: Channel) {
  return z
    .strictObject({
      type: z.literal('subscribed'),
      channel: z.literal(channel.name),
      ...addressOf(channel),
      sequence: sequence.meta({
        description:
          channel.delivery === 'newest'
            ? 'The newest sequence. The first update follows at once with the same sequence; further updates have later ones.'
            : 'The start of the subscription: fromSequence, or the newest sequence. Updates have later sequences.',
      }),
      id: echoed,
    })
    .meta({ ...OURS, description: `A subscription to ${channel.name} has started.` });
}

export function unsubscribedFrame(channel: Channel) {
  return z
    .strictObject({
      type: z.literal('unsubscribed'),
      channel: z.literal(channel.name),
      ...addressOf(channel),
      sequence: sequence.meta({ description: 'A new subscription from this sequence misses no update.' }),
      id: echoed,
    })
    .meta({ ...OURS, description: `A subscription to ${channel.name} has ended.` });
}

/** `undefined` for a channel without a source. */
export function updateFrame(channel: Channel) {
  if (channel.data === undefined) return undefined;
  return z
    .strictObject({
      type: z.literal('update'),
      channel: z.literal(channel.name),
      ...addressOf(channel),
      sequence: sequence.meta({
        description:
          channel.delivery === 'newest'
            ? 'The journal sequence of the state: in the first update that of subscribed, later in each further one.'
            : 'The journal sequence of the update. It increases from update to update of a subscription.',
      }),
      previousSequence: sequence.meta({
        description:
          channel.delivery === 'newest'
            ? 'The sequence of the previous update. Updates are conflated for a slow reader, so a gap is no error.'
            : "There is no other update between this and sequence. If it is above the client's last sequence, updates were lost.",
      }),
      epochMs: epochMs.meta({ description: 'When that sequence was committed.' }),
      data: channel.data,
    })
    .meta({ ...OURS, description: channel.description });
}

/** A frame of the service as JSON, one of those declared above. */
export type ServerFrame = { readonly type: 'hello' | 'auth_ok' | 'subscribed' | 'unsubscribed' | 'update' | 'pong' | 'error' };

/** The schema of a frame of the service, by type and channel; `undefined` if there is no such frame. */
export function serverFrameSchema(type: string, channel?: string): z.ZodType | undefined {
  switch (type) {
    case 'hello':
      return helloFrame;
    case 'auth_ok':
      return authOkFrame;
    case 'pong':
      return pongFrame;
    case 'error':
      return errorFrame;
    default:
      return channel === undefined || !Object.hasOwn(CHANNELS, channel)
        ? undefined
        : frameOfChannel(type, channel as ChannelName);
  }
}

function frameOfChannel(type: string, name: ChannelName): z.ZodType | undefined {
  if (!isServed(name)) return undefined;
  if (type === 'subscribed') return subscribedFrame(CHANNELS[name]);
  if (type === 'unsubscribed') return unsubscribedFrame(CHANNELS[name]);
  return type === 'update' ? updateFrame(CHANNELS[name]) : undefined;
}
