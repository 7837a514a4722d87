/**
 * The attacks of `npm run bench -- --only attacks`, one entry each: what a crowd of clients sends, and what a sound crowd of the same size
 * sends at the same rate. Add an entry to add a row.
 */
import type { VenueAccount } from './venue-process.ts';

export interface Attack {
  /** First column of the table. */
  readonly name: string;
  /** Connections, or sockets. */
  readonly clients: number;
  /** What each client sends per second. An HTTP client sends the next request only after the response to the last. */
  readonly perSecond: number;
  /** What each socket sends at once when it opens. */
  readonly burst?: number;
  /** Runs once before the rounds, for history that the requests need. */
  readonly prepare?: (stage: Stage) => Promise<void>;
  readonly hostile: (stage: Stage) => Traffic;
  readonly sound: (stage: Stage) => Traffic;
}

export interface Stage {
  /** The crowd's account: created for each window, no money, scopes read and trade. */
  readonly crowd: VenueAccount;
  /** An account with money, the same in all windows: for attacks on accounts with a history. */
  readonly rich: VenueAccount;
  /** Base URL of the REST service. */
  readonly url: string;
}

/** Clients take turns through the entries of `requests` or `frames`. */
export type Traffic =
  | { readonly requests: readonly HttpRequest[] }
  | { /** Text frames, sent on sockets without a credential. */ readonly frames: readonly string[] };

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Absent: no credential. */
  readonly apiKey?: string;
  readonly body?: string;
}

export const MARKET = 'BTC-USD-PERP';

const FRAME_BYTES = 4_096;
const BODY_BYTES = 64_000;
/** All connections together reach the published limit of previews. */
const CONNECTIONS = 30;
const PREVIEWS_PER_SECOND = 500 / CONNECTIONS;

export const ATTACKS: readonly Attack[] = [
  {
    name: 'frames of 4 KB of 1e1, from 60 sockets without a credential',
    clients: 60,
    perSecond: 19,
    burst: 60,
    hostile: () => ({ frames: [`{"op":"ping","a":[${filled('1e1,', FRAME_BYTES - 24)}1]}`] }),
    sound: () => ({ frames: ['{"op":"ping"}'] }),
  },
  onPreviews('64 KB of 1e1, to previews', (account) => listBody(account, '1e1,')),
  onPreviews('64 KB of {}, to previews', (account) => listBody(account, '{},')),
  onPreviews('64 KB of object keys to previews', (account) => keysBody(account, BODY_BYTES)),
  onPreviews('64 KB of 17-digit numbers to previews', (account) => listBody(account, '12345678901234567,')),
  onPreviews('4 KB of 1e1, to previews', (account) => listBody(account, '1e1,', 4_000)),
  {
    ...onPreviews('empty orders of a batch, at six times the rate limit', () => ''),
    perSecond: 6 * PREVIEWS_PER_SECOND,
    hostile: ({ crowd }) => ({
      requests: [{ method: 'POST', path: '/v1/orders/batch', apiKey: crowd.apiKey, body: listBody(crowd, '{},', 4_000) }],
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
    sound: ({ crowd }) => preview(crowd, soundBody(crowd)),
  };
}

function soundBody({ accountId }: VenueAccount): string {
  const order = { accountId, marketId: MARKET, clientOrderId: 'sound', side: 'buy', orderType: 'market', quantity: '0.001' };
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
