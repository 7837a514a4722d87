/**
 * The attacks of `npm run bench -- --only attacks`, one entry each: the requests of a hostile crowd, and those of a normal crowd
 * of the same size and rate. Add an entry to add a row.
 */
import { randomUUID } from 'node:crypto';
import { DEFAULT_RATES } from '#contract/limits.ts';
import { systemTime } from '#time/system-time.ts';
import type { VenueAccount } from './venue-process.ts';

export interface Attack {
  /** First column of the table. */
  readonly name: string;
  /** HTTP connections, or sockets. */
  readonly clients: number;
  /** The rate of each client. An HTTP client sends the next request only after the response to the last one. */
  readonly perSecond: number;
  /** The frames that each socket sends at once when it opens. */
  readonly burst?: number;
  /** Runs once before the rounds, for history that the requests need. */
  readonly prepare?: (stage: Stage) => Promise<void>;
  readonly hostile: (stage: Stage) => Traffic;
  readonly baseline: (stage: Stage) => Traffic;
}

export interface Stage {
  /** The crowd's account: created for each window, no money, scopes read and trade. */
  readonly crowd: VenueAccount;
  /** An account with money, the same in all windows: for attacks on accounts with a history. */
  readonly rich: VenueAccount;
  /** Another one, to trade with. */
  readonly counterparty: VenueAccount;
  /** Base URL of the REST service. */
  readonly url: string;
}

/** Clients take turns through the entries of `requests` or `frames`. */
export type Traffic =
  | { readonly requests: readonly HttpRequest[] }
  | { /** Text frames, sent on sockets without a credential. */ readonly frames: readonly string[] }
  | { /** Requests that are sent at once, without waiting for responses. */ readonly pipelined: string };

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Absent: no credential. */
  readonly apiKey?: string;
  readonly body?: string;
  /** In chunks of one byte, without a length. */
  readonly isChunked?: boolean;
}

export const MARKET = 'BTC-USD-PERP';

const FRAME_BYTES = 4_096;
const BODY_BYTES = 64_000;
/** All connections together reach the published limit of previews. */
const CONNECTIONS = 30;
const PREVIEWS_PER_SECOND = 500 / CONNECTIONS;
/** All connections together reach the published limit of reads, as if a page cost as much as any other read. */
const READS = { clients: CONNECTIONS, perSecond: DEFAULT_RATES.reads.perSecond / CONNECTIONS };
const MAX_ROWS = 500;
const ORDERS_A_BATCH = 32;

/** Days before now, ordered so that no page shares candles with the one before; more than a market caches. */
const PAST = Array.from({ length: 350 }, (_, index) => 5 + ((index * 37) % 350));

export const ATTACKS: readonly Attack[] = [
  {
    name: 'frames of 4 KB of 1e1, from 60 sockets without a credential',
    clients: 60,
    perSecond: 19,
    burst: 60,
    hostile: () => ({ frames: [`{"op":"ping","a":[${filled('1e1,', FRAME_BYTES - 24)}1]}`] }),
    baseline: () => ({ frames: ['{"op":"ping"}'] }),
  },
  {
    name: 'frames of 1 KB of 1e1, from 60 sockets without a credential',
    clients: 60,
    perSecond: 5,
    burst: 30,
    hostile: () => ({ frames: [`{"op":"ping","a":[${filled('1e1,', 1_024 - 24)}1]}`] }),
    baseline: () => ({ frames: ['{"op":"ping"}'] }),
  },
  onPreviews('64 KB of 1e1, to previews', (account) => listBody(account, '1e1,')),
  onPreviews('64 KB of {}, to previews', (account) => listBody(account, '{},')),
  onPreviews('64 KB of object keys to previews', (account) => keysBody(account, BODY_BYTES)),
  onPreviews('64 KB of 17-digit numbers to previews', (account) => listBody(account, '12345678901234567,')),
  onPreviews('4 KB of 1e1, to previews', (account) => listBody(account, '1e1,', 4_000)),
  {
    ...onPreviews('4 KB in chunks of one byte, to previews', () => ''),
    hostile: ({ crowd }) => ({
      requests: [{ method: 'POST', path: '/v1/orders/preview', apiKey: crowd.apiKey, body: filled(' ', 4_000), isChunked: true }],
    }),
  },
  {
    ...onPreviews('empty orders of a batch, at six times the rate limit', () => ''),
    perSecond: 6 * PREVIEWS_PER_SECOND,
    hostile: ({ crowd }) => ({
      requests: [{ method: 'POST', path: '/v1/orders/batch', apiKey: crowd.apiKey, body: listBody(crowd, '{},', 4_000) }],
    }),
  },
  {
    name: '2,000 pipelined requests at once, without a credential',
    clients: CONNECTIONS,
    perSecond: 1,
    burst: 1,
    hostile: () => ({ pipelined: 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2_000) }),
    baseline: () => ({ requests: [{ method: 'GET', path: '/v1/markets' }] }),
  },
  onReads('pages of 500 orders to a read key', 'orders?limit=500', 'orders?limit=20'),
  onPublicReads('pages of 500 trades without a credential', 'trades?limit=500', 'trades?limit=20'),
  onPublicReads('pages of 500 candles without a credential', 'candles?timeframe=1m&limit=500', 'candles?timeframe=1m&limit=20'),
  {
    ...READS,
    name: 'pages of 500 candles of the synthetic history that are not cached',
    hostile: () => ({ requests: PAST.map(pathOfPast) }),
    baseline: () => ({
      requests: PAST.map(() => ({ method: 'GET', path: `/v1/markets/${MARKET}/candles?timeframe=1m&limit=20` })),
    }),
  },
];

function onPreviews(name: string, body: (account: VenueAccount) => string): Attack {
  const preview = (account: VenueAccount, text: string): Traffic => ({
    requests: [{ method: 'POST', path: '/v1/orders/preview', apiKey: account.apiKey, body: text }],
  });
  return {
    name,
    clients: CONNECTIONS,
    perSecond: PREVIEWS_PER_SECOND,
    hostile: ({ crowd }) => preview(crowd, body(crowd)),
    baseline: ({ crowd }) => preview(crowd, validBody(crowd)),
  };
}

/** The account has as many orders as a page. */
function onReads(name: string, hostile: string, baseline: string): Attack {
  const read =
    (list: string) =>
    ({ rich: { accountId, apiKey } }: Stage): Traffic => ({
      requests: [{ method: 'GET', path: `/v1/accounts/${accountId}/${list}`, apiKey }],
    });
  return { ...READS, name, prepare: tradeMuch, hostile: read(hostile), baseline: read(baseline) };
}

function onPublicReads(name: string, hostile: string, baseline: string): Attack {
  const read = (list: string) => (): Traffic => ({ requests: [{ method: 'GET', path: `/v1/markets/${MARKET}/${list}` }] });
  return { ...READS, name, prepare: tradeMuch, hostile: read(hostile), baseline: read(baseline) };
}

function pathOfPast(daysAgo: number): HttpRequest {
  const since = systemTime.clock.now() - daysAgo * 86_400_000;
  return { method: 'GET', path: `/v1/markets/${MARKET}/candles?timeframe=15m&limit=500&since=${since}` };
}

/** Gives the account a page of orders, and the market a page of trades. */
async function tradeMuch({ rich, counterparty, url }: Stage): Promise<void> {
  for (let batch = 0; batch < MAX_ROWS / ORDERS_A_BATCH; batch += 1) {
    const price = Number(((await (await fetch(`${url}/v1/markets/${MARKET}/stats`)).json()) as { markPrice: string }).markPrice);
    const [buyer, seller] = batch % 2 === 0 ? [rich, counterparty] : [counterparty, rich];
    await placeBatch(url, buyer, 'buy', price.toFixed(1), batch);
    await placeBatch(url, seller, 'sell', price.toFixed(1), batch);
  }
}

async function placeBatch(
  url: string,
  { accountId, apiKey }: VenueAccount,
  side: string,
  price: string,
  batch: number,
): Promise<void> {
  const orders = Array.from({ length: ORDERS_A_BATCH }, (_, index) => {
    const clientOrderId = `${side}-${batch}-${index}`;
    return { accountId, marketId: MARKET, clientOrderId, side, orderType: 'limit', price, quantity: '0.001' };
  });
  const response = await fetch(`${url}/v1/orders/batch`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify({ orders }),
  });
  if (!response.ok) throw new Error(`a batch of orders was refused: ${await response.text()}`);
}

function validBody({ accountId }: VenueAccount): string {
  const order = { accountId, marketId: MARKET, clientOrderId: 'valid', side: 'buy', orderType: 'market', quantity: '0.001' };
  return JSON.stringify(order);
}

function listBody({ accountId }: VenueAccount, entry: string, bytes = BODY_BYTES): string {
  return `{"accountId":"${accountId}","orders":[${filled(entry, bytes)}1]}`;
}

function keysBody({ accountId }: VenueAccount, bytes: number): string {
  let keys = '';
  for (let key = 0; keys.length < bytes; key += 1) keys += `,"${key.toString(36)}":1`;
  return `{"accountId":"${accountId}"${keys}}`;
}

function filled(entry: string, bytes: number): string {
  return entry.repeat(Math.floor(bytes / entry.length));
}
