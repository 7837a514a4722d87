import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { asyncApiDocument, type RealtimeUrl } from './asyncapi.ts';
import type { Operation } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import type { Channel } from './realtime-channel.ts';
import { CHANNEL_NAMES, CHANNELS, type ChannelName } from './realtime-channels.ts';
import { INTERFACE_FIELDS } from './testing/interface.ts';

type ShapedSchema = { readonly shape: Readonly<Record<string, ShapedSchema>> } | undefined;

// biome-ignore lint/suspicious/noExplicitAny: the test walks the document as plain JSON
const document: any = JSON.parse(JSON.stringify(asyncApiDocument()));

const ACCOUNT = 'GET /v1/accounts/{accountId}';
const MARKET = 'GET /v1/markets/{marketId}';

/** Section 6 of the interface, verbatim: channel, snapshot source, status. */
const INTERFACE: readonly (readonly [channel: string, source: string, status: string])[] = [
  ['market.trades', 'none; replay from stream', 'live'],
  ['market.book', `${MARKET}/book`, 'projection'],
  ['market.ticker', `${MARKET}/stats`, 'derived'],
  ['market.price', 'none; replay from stream', 'live'],
  ['market.funding', `${MARKET}/stats`, 'live'],
  ['market.status', MARKET, 'projection'],
  ['market.candles', `${MARKET}/candles`, 'live'],
  ['account.orders', `${ACCOUNT}/orders`, 'live'],
  ['account.fills', `${ACCOUNT}/fills`, 'live'],
  ['account.durability', 'none; replay', 'live'],
  ['account.positions', `${ACCOUNT}/positions`, 'live'],
  ['account.pnl', 'none; replay', 'live'],
  ['account.margin', ACCOUNT, 'digest'],
  ['account.balance', ACCOUNT, 'live'],
  ['account.withdrawals', 'none; replay', 'live'],
  ['account.reconciliation', 'none', 'unavailable'],
  ['account.alerts', 'none', 'unavailable'],
  ['account.earnings', 'none shown in the channel entry', 'not given'],
  ['account.agents', 'GET action log (4.6)', 'given only by name'],
];

/** What the interface does not give for a channel. */
const GIVEN_HERE: Readonly<Record<string, readonly [source: string, status: string]>> = {
  'account.earnings': [`${ACCOUNT}/affiliate/earnings`, 'live'],
  'account.agents': [`${ACCOUNT}/agents/{deploymentId}/actions`, 'live'],
};

function publishedSource(source: string): string {
  if (source.startsWith('none; replay')) return 'none: subscribe and replay from the stream';
  if (source.startsWith('none')) return 'none';
  return source === 'GET action log (4.6)' ? `${ACCOUNT}/agents/{deploymentId}/actions` : source;
}

describe('the mark x-openperp-ours', () => {
  const MARK = 'x-openperp-ours';
  type MarkedSchema = Readonly<Record<string, unknown>> & { readonly properties?: Readonly<Record<string, MarkedSchema>> };
  const schemas = Object.entries<MarkedSchema>(document.components.schemas);

  test('is on channels that the interface does not name (isOurs), and on every frame', () => {
    for (const [name, channel] of Object.entries<MarkedSchema>(document.channels)) {
      expect([name, channel[MARK] === true]).toEqual([name, !INTERFACE.some(([known]) => known === name)]);
      for (const message of Object.values(channel.messages as Record<string, MarkedSchema>))
        expect(message).toMatchObject({ [MARK]: true });
    }
  });

  test.each(schemas.filter(([, { properties }]) => properties !== undefined))(
    'is on %s or on each of its fields that the interface does not show',
    (name, schema) => {
      const shown = INTERFACE_FIELDS[name]?.split(' ');
      expect(schema[MARK] === true).toBe(shown === undefined);
      if (shown === undefined) return;
      for (const [field, it] of Object.entries(schema.properties!))
        expect([field, it[MARK] === true]).toEqual([field, !shown.includes(field)]);
    },
  );

  test('is not on a resource of the interface in a payload', () => {
    expect(schemas.filter(([name]) => INTERFACE_FIELDS[name] !== undefined).map(([name]) => name)).toContain('Order');
  });
});

describe('the AsyncAPI document', () => {
  test('has the channels of the interface, each with its authentication, snapshot and source', () => {
    const isOurs = (name: ChannelName) => (CHANNELS[name] as Channel).isOurs === true;
    expect(CHANNEL_NAMES.filter((name) => !isOurs(name))).toEqual(INTERFACE.map(([name]) => name));
    for (const [name, shown, given] of INTERFACE) {
      const [source, status] = GIVEN_HERE[name] ?? [shown, given];
      expect(document.channels[name], name).toMatchObject({
        'x-venue-auth': name.startsWith('market.') ? 'none' : 'ticket',
        'x-venue-snapshot-source': publishedSource(source),
        'x-venue-source-status': status,
      });
      expect(Object.hasOwn(document.channels[name].messages, 'update'), name).toBe(status !== 'unavailable');
    }
    expect([document.asyncapi, document.info.version]).toEqual(['3.1.0', 'realtime-contract/v1']);
  });

  test('names the field of each snapshot with the sequence to subscribe from', () => {
    const read = new Map<string, Operation>(Object.values(OPERATIONS).map((it) => [`${it.method} ${it.path}`, it]));
    const lossless = Object.values(CHANNELS).filter((it: Channel) => it.data !== undefined && it.delivery === 'lossless');
    const places = lossless.flatMap(({ name }) => {
      const { 'x-venue-snapshot-source': source, 'x-openperp-snapshot-sequence': place } = document.channels[name];
      if (source.startsWith('none')) return place === undefined ? [] : [`${name}: ${place} without a snapshot`];
      const response = read.get(source)!.success.schema!;
      const found = place?.split('.').reduce((schema: ShapedSchema, field: string) => schema?.shape[field], response);
      return found instanceof z.ZodType ? [] : [`${name}: ${place}`];
    });
    expect(places).toEqual([]);
  });

  test('gives the URL of the service, with a variable for a wildcard host', () => {
    expect(document.servers.venue).toMatchObject({ host: 'localhost:8081', pathname: '/', protocol: 'ws' });
    const serverAt = (url: RealtimeUrl) => (asyncApiDocument(url) as unknown as typeof document).servers.venue;
    expect(serverAt('wss://venue.example/realtime')).toMatchObject({
      host: 'venue.example',
      pathname: '/realtime',
      protocol: 'wss',
    });
    for (const name of ['0.0.0.0', '[::]'] as const)
      expect(serverAt(`ws://${name}:9100`)).toMatchObject({
        host: '{host}:9100',
        variables: { host: { default: 'localhost' } },
      });
  });

  test('has every close code of a socket', () => {
    const codes = Object.values<{ code: number }>(document['x-openperp-close-codes']).map(({ code }) => code);
    expect(codes).toEqual(expect.arrayContaining([1001, 1002, 1007, 1009, 1013, 4001, 4002, 4003, 4004, 4005, 4006]));
  });

  test('has no dangling reference', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1]!);
    expect(references.length).toBeGreaterThan(200);
    for (const reference of references)
      expect(
        reference.split('/').reduce((inner, key) => inner?.[key], document),
        reference,
      ).toBeTypeOf('object');
  });

  test('has schemas that a validator accepts and that reject invalid frames', () => {
    const ajv = new Ajv({ strict: false });
    ajv.addSchema({ components: document.components }, 'document');
    const isValid = (name: string, frame: object) => ajv.validate({ $ref: `document#/components/schemas/${name}` }, frame);
    for (const name of Object.keys(document.components.schemas)) isValid(name, {});
    const subscribe = { op: 'subscribe', channel: 'market.candles', marketId: 'BTC-USD-PERP', series: 'index', timeframe: '1m' };
    expect(isValid('MarketCandlesSubscribe', subscribe)).toBe(true);
    expect(isValid('MarketCandlesSubscribe', { ...subscribe, series: 'mark' })).toBe(false);
    const update = {
      type: 'update',
      channel: 'market.book',
      marketId: 'BTC-USD-PERP',
      sequence: 2,
      previousSequence: 1,
      epochMs: 3,
    };
    expect(isValid('MarketBookUpdate', { ...update, data: { bids: [['1', '2']], asks: [] } })).toBe(true);
    expect(isValid('MarketBookUpdate', { ...update, data: { bids: [['1']], asks: [] } })).toBe(false);
    expect(isValid('MarketBookUpdate', update)).toBe(false);
  });
});
