/**
 * The realtime service as an AsyncAPI 3.1.0 document, generated only from the declarations of frames and channels. All channels share one
 * socket: they have the same address, and each frame names its channel.
 */
import { AsyncApiSchemas } from './asyncapi-schemas.ts';
import { DEFAULT_ENVIRONMENT, type Environment } from './environments.ts';
import type { Json } from './openapi-schemas.ts';
import {
  authFrame,
  authOkFrame,
  errorFrame,
  helloFrame,
  pingFrame,
  pongFrame,
  REALTIME_VERSION,
  subscribedFrame,
  subscribeFrame,
  unsubscribedFrame,
  unsubscribeFrame,
  updateFrame,
} from './realtime.ts';
import type { Channel } from './realtime-channel.ts';
import { channelsIn } from './realtime-channels.ts';
import { REALTIME_ERRORS } from './realtime-errors.ts';
import { CLOSE_CODES, MAX_TICKET_FAMILIES, PROTOCOL_CLOSE_CODES, REALTIME_LIMITS, TICKET_LIFETIMES } from './realtime-limits.ts';

export interface AsyncApiDocument extends Json {
  readonly asyncapi: '3.1.0';
}

/** A ticket of POST /v1/realtime/ticket. */
const TICKET = {
  type: 'apiKey',
  in: 'password',
  description: 'A realtime ticket in the ticket field of an auth frame, before the subscription. Never put it in the URL.',
} as const;

/** Where clients reach a realtime service, as a URL without a query. */
export type RealtimeUrl = `ws://${string}` | `wss://${string}`;

const USUAL_URL: RealtimeUrl = 'ws://localhost:8081/';
/** Wildcard listen addresses. Clients cannot connect to them. */
const EVERYWHERE: readonly string[] = ['0.0.0.0', '[::]'];

/** Whether clients can connect to the URL as it is. */
export function isReachable(url: RealtimeUrl): boolean {
  return !EVERYWHERE.includes(new URL(url).hostname);
}

/** The channel of frames that belong to the socket as a whole. */
const SESSION = 'session';
const ADDRESS = '/';

/** The parts that do not depend on the address, by environment; built once. */
const declared = new Map<Environment, ReturnType<typeof declaredParts>>();

/** The document of a service that clients reach at `url`, in this environment. Documents share their parts. */
export function asyncApiDocument(url: RealtimeUrl = USUAL_URL, environment: Environment = DEFAULT_ENVIRONMENT): AsyncApiDocument {
  const parts = declared.get(environment) ?? declaredParts(channelsIn(environment));
  declared.set(environment, parts);
  const { channels, operations, schemas } = parts;
  return {
    asyncapi: '3.1.0',
    id: `urn:${REALTIME_VERSION.replace('/', ':')}`,
    info: {
      title: 'OpenPerp realtime',
      version: REALTIME_VERSION,
      description:
        'JSON text frames on one WebSocket: frames of the client have op, frames of the service have type. Public channels need no ' +
        'authentication. For a private channel, send a ticket of POST /v1/realtime/ticket in an auth frame, never in the URL, and wait for ' +
        'auth_ok before you subscribe. Each update has its sequence in the journal and a previousSequence; between the two there is no ' +
        'other update of the subscription. If previousSequence is above the last sequence that the client has, updates were lost. To get ' +
        'the state of the venue, read x-venue-snapshot-source and subscribe from its sequence (x-openperp-snapshot-sequence). A channel ' +
        'without a snapshot has its older updates in x-openperp-history-source. Pages of other origins can connect if the operator allows ' +
        'them. x-openperp-environment is the environment of the venue: channels that it does not have are absent. Limits are in x-openperp-limits, errors in x-openperp-errors, and the reasons for closing a socket in ' +
        'x-openperp-close-codes. A payload field without a value is null; only cancelReason is left out. Channels, frames and fields ' +
        'marked x-openperp-ours are not in the interface that the venue implements. The interface shows no frame; the fields that it shows ' +
        'of a resource in a payload, such as an order, are not marked.',
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    defaultContentType: 'application/json',
    servers: { venue: serverObject(url) },
    channels,
    operations,
    components: { securitySchemes: { ticket: TICKET }, schemas },
    'x-openperp-limits': { ...REALTIME_LIMITS, tickets: { ...TICKET_LIFETIMES, maxFamilies: MAX_TICKET_FAMILIES } },
    'x-openperp-errors': REALTIME_ERRORS,
    'x-openperp-environment': environment,
    'x-openperp-close-codes': { ...CLOSE_CODES, ...PROTOCOL_CLOSE_CODES },
  };
}

function declaredParts(channels: readonly Channel[]) {
  const schemas = new AsyncApiSchemas();
  return {
    channels: {
      [SESSION]: sessionChannel(schemas),
      ...Object.fromEntries(channels.map((channel) => [channel.name, channelObject(channel, schemas)])),
    },
    operations: {
      ...sessionOperations(),
      ...Object.fromEntries(channels.flatMap((channel) => channelOperations(channel))),
    },
    schemas: schemas.components,
  };
}

function serverObject(text: RealtimeUrl): Json {
  const { protocol, hostname, host, pathname } = new URL(text);
  const server = { pathname, protocol: protocol.slice(0, -1) };
  if (isReachable(text)) return { host, ...server, description: 'The realtime service of the venue.' };
  const name = {
    default: 'localhost',
    description: 'A name or address of the machine. The service listens on all of its interfaces.',
  };
  const variable = host.replace(hostname, '{host}');
  return { host: variable, ...server, description: 'The realtime service of the venue.', variables: { host: name } };
}

function sessionChannel(schemas: AsyncApiSchemas): Json {
  return {
    address: ADDRESS,
    title: 'The socket itself',
    description: 'Hello, authentication, ping and pong, and errors.',
    'x-openperp-ours': true,
    messages: {
      hello: schemas.message('HelloFrame', helloFrame),
      auth: schemas.message('AuthFrame', authFrame),
      auth_ok: schemas.message('AuthOkFrame', authOkFrame),
      ping: schemas.message('PingFrame', pingFrame),
      pong: schemas.message('PongFrame', pongFrame),
      error: schemas.message('ErrorFrame', errorFrame),
    },
  };
}

function channelObject(channel: Channel, schemas: AsyncApiSchemas): Json {
  const { name, summary, description, isOurs, subject, sourceStatus, delivery } = channel;
  const { snapshotSource, snapshotSequence, historySource } = channel;
  const frame = (kind: string) => `${pascal(name)}${kind}`;
  const update = updateFrame(channel);
  return {
    address: ADDRESS,
    title: name,
    summary,
    description,
    ...(isOurs === true && { 'x-openperp-ours': true }),
    messages: {
      subscribe: schemas.message(frame('Subscribe'), subscribeFrame(channel)),
      unsubscribe: schemas.message(frame('Unsubscribe'), unsubscribeFrame(channel)),
      ...(update !== undefined && {
        subscribed: schemas.message(frame('Subscribed'), subscribedFrame(channel)),
        unsubscribed: schemas.message(frame('Unsubscribed'), unsubscribedFrame(channel)),
        update: schemas.message(frame('Update'), update),
      }),
      error: schemas.message('ErrorFrame', errorFrame),
    },
    'x-venue-auth': subject === 'marketId' ? 'none' : 'ticket',
    'x-venue-snapshot-source': snapshotSource ?? 'none: subscribe and replay from the stream',
    ...(snapshotSequence !== undefined && { 'x-openperp-snapshot-sequence': snapshotSequence }),
    ...(historySource !== undefined && { 'x-openperp-history-source': historySource }),
    'x-venue-source-status': sourceStatus,
    ...(update !== undefined && { 'x-openperp-delivery': delivery }),
  };
}

function sessionOperations(): Json {
  return {
    greet: operation('send', SESSION, 'The first frame of every socket.', ['hello']),
    authenticate: operation('receive', SESSION, 'Authenticates the socket, once.', ['auth'], { responses: ['auth_ok', 'error'] }),
    ping: operation('receive', SESSION, 'Checks that the connection is alive.', ['ping'], { responses: ['pong'] }),
    refuse: operation('send', SESSION, 'Refuses a frame that belongs to no channel.', ['error']),
  };
}

function channelOperations(channel: Channel): [string, Json][] {
  const { name, summary, data, subject } = channel;
  const isPrivate = subject === 'accountId';
  const responses = (frame: string) => (data === undefined ? ['error'] : [frame, 'error']);
  return [
    [
      `subscribe${pascal(name)}`,
      operation('receive', name, `Subscribe: ${summary}`, ['subscribe'], { isPrivate, responses: responses('subscribed') }),
    ],
    [
      `unsubscribe${pascal(name)}`,
      operation('receive', name, `Unsubscribe: ${summary}`, ['unsubscribe'], { isPrivate, responses: responses('unsubscribed') }),
    ],
    ...(data === undefined
      ? []
      : [[`update${pascal(name)}`, operation('send', name, summary, ['update'], { isPrivate })] as [string, Json]]),
  ];
}

/** From the service's point of view: `receive` is for frames that clients send. */
function operation(
  action: 'send' | 'receive',
  channel: string,
  summary: string,
  messages: readonly string[],
  { isPrivate = false, responses }: { readonly isPrivate?: boolean; readonly responses?: readonly string[] } = {},
): Json {
  const place = { $ref: `#/channels/${channel}` };
  const refer = (names: readonly string[]) => names.map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` }));
  return {
    action,
    channel: place,
    summary,
    security: isPrivate ? [{ $ref: '#/components/securitySchemes/ticket' }] : [],
    messages: refer(messages),
    ...(responses !== undefined && { reply: { channel: place, messages: refer(responses) } }),
  };
}

/** `market.trades` as `MarketTrades`. */
function pascal(name: string): string {
  return name.replace(/(?:^|\.)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
