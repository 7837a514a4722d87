import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { asyncApiDocument } from './asyncapi.ts';
import { CHANNEL_NAMES } from './realtime-channels.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is walked as the JSON that it is
const document: any = JSON.parse(JSON.stringify(asyncApiDocument()));

const STREAM = 'none: subscribe and replay from the stream';
const ACCOUNT = 'GET /v1/accounts/{accountId}';
const MARKET = 'GET /v1/markets/{marketId}';

/** Section 6 of the interface, row by row; what this venue has no source for is unavailable. */
const INTERFACE: readonly (readonly [channel: string, auth: string, source: string, status: string])[] = [
  ['market.trades', 'none', STREAM, 'live'],
  ['market.book', 'none', `${MARKET}/book`, 'projection'],
  ['market.ticker', 'none', `${MARKET}/stats`, 'derived'],
  ['market.price', 'none', STREAM, 'live'],
  ['market.funding', 'none', `${MARKET}/stats`, 'live'],
  ['market.status', 'none', MARKET, 'projection'],
  ['market.candles', 'none', `${MARKET}/candles`, 'live'],
  ['account.orders', 'ticket', `${ACCOUNT}/orders`, 'live'],
  ['account.fills', 'ticket', `${ACCOUNT}/fills`, 'live'],
  ['account.durability', 'ticket', STREAM, 'live'],
  ['account.positions', 'ticket', `${ACCOUNT}/positions`, 'live'],
  ['account.pnl', 'ticket', STREAM, 'live'],
  ['account.margin', 'ticket', ACCOUNT, 'digest'],
  ['account.balance', 'ticket', ACCOUNT, 'live'],
  ['account.withdrawals', 'ticket', STREAM, 'unavailable'],
  ['account.reconciliation', 'ticket', STREAM, 'unavailable'],
  ['account.alerts', 'ticket', STREAM, 'unavailable'],
  ['account.earnings', 'ticket', STREAM, 'unavailable'],
  ['account.agents', 'ticket', STREAM, 'unavailable'],
];

describe('the AsyncAPI document', () => {
  test('has the channels of the interface, each with who may subscribe, its snapshot and its source', () => {
    expect(INTERFACE.map(([name]) => name)).toEqual(CHANNEL_NAMES);
    for (const [name, auth, source, status] of INTERFACE) {
      expect(document.channels[name], name).toMatchObject({
        'x-venue-auth': auth,
        'x-venue-snapshot-source': source,
        'x-venue-source-status': status,
      });
      expect(Object.hasOwn(document.channels[name].messages, 'update'), name).toBe(status !== 'unavailable');
    }
    expect([document.asyncapi, document.info.version]).toEqual(['3.1.0', 'realtime-contract/v1']);
  });

  test('refers to nothing that it does not hold', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1]!);
    expect(references.length).toBeGreaterThan(200);
    for (const reference of references)
      expect(
        reference.split('/').reduce((inner, key) => inner?.[key], document),
        reference,
      ).toBeTypeOf('object');
  });

  test('has schemas that a validator accepts, and that tell frames from what is none', () => {
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
