/** Parses the frames of clients. Does not check that market, account and sequence exist. */
import type * as z from 'zod';
import type { Environment } from './environments.ts';
import { parseExactJson } from './exact-json.ts';
import { JsonRefusal } from './json-refusal.ts';
import type { LiveCandleSeriesName, Timeframe } from './markets.ts';
import { parseFields } from './parse.ts';
import { authFrame, type ErrorFrame, pingFrame, repeatableId, subscribeFrame, unsubscribeFrame } from './realtime.ts';
import {
  CHANNEL_NAMES,
  CHANNELS,
  type ChannelName,
  channelsIn,
  isChannel,
  isServed,
  type ServedChannel,
} from './realtime-channels.ts';
import { REALTIME_ERRORS, type RealtimeErrorCode } from './realtime-errors.ts';

/** A subscription as the client requests it. */
export interface NamedSubscription {
  readonly channel: ServedChannel;
  /** The marketId or accountId. */
  readonly subject: string;
  readonly series?: LiveCandleSeriesName;
  readonly timeframe?: Timeframe;
}

export type ClientRequest = { readonly id?: string | undefined } & (
  | { readonly op: 'auth'; readonly ticket: string }
  | { readonly op: 'subscribe'; readonly named: NamedSubscription; readonly fromSequence?: number | undefined }
  | { readonly op: 'unsubscribe'; readonly named: NamedSubscription }
  | { readonly op: 'ping' }
);

type Operation = ClientRequest['op'];

const OPERATIONS: readonly string[] = ['auth', 'subscribe', 'unsubscribe', 'ping'] satisfies Operation[];

const SUBSCRIBE = schemasOf(subscribeFrame);
const UNSUBSCRIBE = schemasOf(unsubscribeFrame);

/** `bytes`: the text in UTF-8. A channel that the environment lacks is unknown. */
export function parseClientFrame(environment: Environment, text: string, bytes?: Uint8Array): ClientRequest | ErrorFrame {
  const value = objectIn(text, bytes);
  if (typeof value === 'string') return refused('invalid_request', value);
  const { op, channel } = value;
  const id = repeatableId(value.id);
  if (typeof op !== 'string' || !OPERATIONS.includes(op))
    return refused(
      'invalid_request',
      `The field op ${op === undefined ? 'is required: ' : 'must be '}one of ${OPERATIONS.join(', ')}.`,
      { id },
    );
  if (op === 'auth') return parse(authFrame, value, (frame) => frame, id);
  if (op === 'ping') return parse(pingFrame, value, (frame) => frame, id);
  if (typeof channel !== 'string')
    return refused('invalid_request', `The field channel ${channel === undefined ? 'is required' : 'must be of type string'}.`, {
      id,
    });
  if (!isChannel(environment, channel)) {
    const names = channelsIn(environment).map(({ name }) => name);
    return refused('unknown_channel', `The channel does not exist. The channels are ${names.join(', ')}.`, { id });
  }
  const schema = (op === 'subscribe' ? SUBSCRIBE : UNSUBSCRIBE)[channel];
  const request = parse(
    schema,
    value,
    (frame) => requestOf(op as 'subscribe' | 'unsubscribe', frame as unknown as Frame),
    id,
    channel,
  );
  // An invalid frame is reported as such, also if the channel has no source.
  return 'type' in request || isServed(channel) ? request : refused('source_unavailable', undefined, { channel, id });
}

/** `retryable` replaces that of the catalogue. */
type RefusalDetail =
  | 'retryable'
  | 'realtimeTicketFailure'
  | 'resyncCause'
  | 'snapshotSource'
  | 'historySource'
  | 'oldestSequence'
  | 'maxReplayBytes';

/** Without a message the frame has cause and remedy of the catalogue. */
export function refused(
  code: RealtimeErrorCode,
  message?: string,
  {
    channel,
    id,
    ...details
  }: Partial<Pick<ErrorFrame, RefusalDetail>> & {
    readonly channel?: string | undefined;
    readonly id?: string | undefined;
  } = {},
): ErrorFrame {
  const { cause, whatToDo, retryable } = REALTIME_ERRORS[code];
  return {
    type: 'error',
    code,
    message: message ?? `${cause} ${whatToDo}`,
    retryable,
    ...(channel !== undefined && { channel }),
    ...details,
    ...(id !== undefined && { id }),
  };
}

type Frame = {
  readonly channel: ServedChannel;
  readonly marketId?: string;
  readonly accountId?: string;
  readonly series?: LiveCandleSeriesName;
  readonly timeframe?: Timeframe;
  readonly fromSequence?: number;
  readonly id?: string;
};

function requestOf(op: 'subscribe' | 'unsubscribe', frame: Frame): ClientRequest {
  const { channel, marketId, accountId, series, timeframe, fromSequence, id } = frame;
  const subject = (marketId ?? accountId)!;
  const named = { channel, subject, ...(series !== undefined && { series }), ...(timeframe !== undefined && { timeframe }) };
  return op === 'subscribe' ? { op, named, fromSequence, id } : { op, named, id };
}

function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: object,
  request: (frame: z.output<Schema>) => ClientRequest,
  id: string | undefined,
  channel?: string,
): ClientRequest | ErrorFrame {
  const result = parseFields(schema, value, 'frame');
  return 'fault' in result ? refused('invalid_request', result.fault, { channel, id }) : request(result.value);
}

const NO_OBJECT = 'The frame must be one JSON object, such as {"op":"ping"}.';

/** Returns a message for the client if the text is not a JSON object. */
function objectIn(text: string, bytes: Uint8Array | undefined): Readonly<Record<string, unknown>> | string {
  try {
    const value = parseExactJson(text, bytes);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : NO_OBJECT;
  } catch (error) {
    if (error instanceof JsonRefusal) return error.faultOf('frame');
    if (error instanceof SyntaxError) return NO_OBJECT;
    throw error;
  }
}

function schemasOf<Schema>(schema: (channel: (typeof CHANNELS)[ChannelName]) => Schema): Record<ChannelName, Schema> {
  return Object.fromEntries(CHANNEL_NAMES.map((name) => [name, schema(CHANNELS[name])])) as Record<ChannelName, Schema>;
}
