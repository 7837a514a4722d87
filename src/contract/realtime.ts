/**
 * The frames of the realtime service: JSON text, one object per frame. A client sends `op`, the service answers `type`; an
 * `id` that comes with a frame is in its answer. The interface names the channels, `auth_ok` and the ticket, and shows no frame: each is
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

/** In code points, as schemas count. */
const LONGEST_ID = 64;
const id = textInput(LONGEST_ID, 1).optional().meta({ description: 'Chosen by the client; the answer repeats it.' });
const OURS = { 'x-openperp-ours': true } as const;
const echoed = z.string().optional().meta({ description: 'The id of the frame that this answers.' });

/** The id of a frame, also of one that is refused: what is no text, or longer than one may be, is not repeated. */
export function repeatableId(given: unknown): string | undefined {
  return typeof given === 'string' && given.length <= 2 * LONGEST_ID && [...given].length <= LONGEST_ID ? given : undefined;
}

export const authFrame = z.strictObject({ op: z.literal('auth'), ticket: realtimeTicket, id }).meta({
  ...OURS,
  id: 'AuthFrame',
  description: 'Authenticates the socket for the account that the ticket is bound to. A ticket authenticates one socket.',
});
export const pingFrame = z
  .strictObject({ op: z.literal('ping'), id })
  .meta({ ...OURS, id: 'PingFrame', description: 'Answered by pong.' });

/** What names a subscription of a channel: the market or account, and what is chosen. */
function subjectOf({ subject, options }: Channel) {
  return { ...(subject === 'marketId' ? { marketId: idInput } : { accountId: idInput }), ...options?.shape };
}

const fromSequence = sequence.optional().meta({
  description:
    'The sequence of the snapshot that the client holds, or of the last update that it has: what came after it is replayed. Without it updates begin now.',
});

export function subscribeFrame(channel: Channel) {
  return z
    .strictObject({ op: z.literal('subscribe'), channel: z.literal(channel.name), ...subjectOf(channel), fromSequence, id })
    .meta({ ...OURS, description: `Subscribes to ${channel.name}.` });
}

export function unsubscribeFrame(channel: Channel) {
  return z
    .strictObject({ op: z.literal('unsubscribe'), channel: z.literal(channel.name), ...subjectOf(channel), id })
    .meta({ ...OURS, description: `Ends a subscription to ${channel.name}; there need be none.` });
}

export const helloFrame = z.strictObject({ type: z.literal('hello'), version: z.literal(REALTIME_VERSION) }).meta({
  ...OURS,
  id: 'HelloFrame',
  description: 'The first frame of every socket.',
});
export const authOkFrame = z.strictObject({ type: z.literal('auth_ok'), accountId, expiresAt: epochMs, id: echoed }).meta({
  ...OURS,
  id: 'AuthOkFrame',
  description: 'The socket is authenticated. It is closed at expiresAt unless the ticket is rotated before.',
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
      .meta({ description: 'With resync_required: the REST read to begin with, where there is one.' }),
    historySource: z.string().optional().meta({
      description: 'With resync_required: the REST read that tells of what was missed, where there is none to begin with.',
    }),
    oldestSequence: sequence
      .optional()
      .meta({ description: 'With not_kept: the lowest fromSequence that everything after is kept of now.' }),
    maxReplayBytes: z.int().min(0).optional().meta({ description: 'With too_much: what the frames of a replay may come to.' }),
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
            ? 'The newest sequence. The first update follows at once and has it too; those after it are later.'
            : 'Where the subscription begins: fromSequence, or the newest sequence. Updates that follow are later.',
      }),
      id: echoed,
    })
    .meta({ ...OURS, description: `A subscription to ${channel.name} has begun.` });
}

export function unsubscribedFrame(channel: Channel) {
  return z
    .strictObject({
      type: z.literal('unsubscribed'),
      channel: z.literal(channel.name),
      ...addressOf(channel),
      sequence: sequence.meta({ description: 'Subscribed from here again, nothing is missed.' }),
      id: echoed,
    })
    .meta({ ...OURS, description: `A subscription to ${channel.name} has ended.` });
}

/** `undefined` of a channel without a source. */
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
            ? 'The place in the journal that the state is as of: in the first update that of subscribed, in each that follows a later one.'
            : 'The place in the journal that the update is of. It grows from update to update of a subscription.',
      }),
      previousSequence: sequence.meta({
        description:
          channel.delivery === 'newest'
            ? 'That of the update before, which a slow reader may have been spared: nothing is to be concluded from it.'
            : 'Between this place and sequence there is no other update. Above the sequence that the client holds, something is missing.',
      }),
      epochMs: epochMs.meta({ description: 'When that place was committed.' }),
      data: channel.data,
    })
    .meta({ ...OURS, description: channel.description });
}

/** A frame of the service as JSON; what it may be is declared above. */
export type ServerFrame = { readonly type: 'hello' | 'auth_ok' | 'subscribed' | 'unsubscribed' | 'update' | 'pong' | 'error' };

/** The schema of whatever the service sends, by its type and channel; `undefined` where there is no such frame. */
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
