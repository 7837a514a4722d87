/**
 * The account of the API key, read and traded directly on /v1. Preparation and clean-up of the checks use it, so that a fault of
 * the class is a row of the report and does not end the run. Rows have the form of /v1.
 */

export type Row = Readonly<Record<string, unknown>>;

export interface Placement {
  readonly symbol: string;
  readonly side: 'buy' | 'sell';
  readonly quantity: number;
  /** The limit price; `undefined` for a market order. */
  readonly price?: number;
  readonly reduceOnly?: boolean;
}

const PAGE = 500;

export class VenueAccount {
  readonly url: string;
  readonly accountId: string;
  readonly scopes: readonly string[];
  readonly #apiKey: string;
  readonly #markets: ReadonlyMap<string, Row>;

  private constructor(url: string, apiKey: string, key: Row, markets: readonly Row[]) {
    this.url = url;
    this.#apiKey = apiKey;
    this.accountId = text(key, 'accountId');
    this.scopes = key.scopes as readonly string[];
    this.#markets = new Map(markets.map((market) => [symbolOf(market), market]));
  }

  /** Rejects if there is no venue, or if it does not know the API key. */
  static async open(url: string, apiKey: string): Promise<VenueAccount> {
    const key = await request(url, apiKey, 'GET', '/v1/api-keys/current');
    const { markets } = await request(url, apiKey, 'GET', '/v1/markets');
    return new VenueAccount(url, apiKey, key, markets as readonly Row[]);
  }

  get symbols(): readonly string[] {
    return [...this.#markets.keys()].sort();
  }

  market(symbol: string): Row {
    const market = this.#markets.get(symbol);
    if (market === undefined) throw new Error(`the venue has no market ${symbol}`);
    return market;
  }

  symbolOfId(marketId: unknown): string {
    const symbol = this.symbols.find((it) => this.market(it).marketId === marketId);
    if (symbol === undefined) throw new Error(`the venue has no market with the id ${marketId}`);
    return symbol;
  }

  get(path: string, query: Readonly<Record<string, string | number>> = {}): Promise<Row> {
    const search = new URLSearchParams();
    for (const [key, value] of Object.entries(query)) search.set(key, String(value));
    return request(this.url, this.#apiKey, 'GET', search.size === 0 ? path : `${path}?${search}`);
  }

  /** Reads below the path of the account. */
  read(path: string, query: Readonly<Record<string, string | number>> = {}): Promise<Row> {
    return this.get(`/v1/accounts/${this.accountId}${path}`, query);
  }

  /** Reads below the path of a market. */
  readMarket(symbol: string, path: string, query: Readonly<Record<string, string | number>> = {}): Promise<Row> {
    return this.get(`/v1/markets/${text(this.market(symbol), 'marketId')}${path}`, query);
  }

  async openOrders(symbol: string | undefined = undefined): Promise<readonly Row[]> {
    const rows: Row[] = [];
    const ofMarket = symbol === undefined ? {} : { marketId: text(this.market(symbol), 'marketId') };
    let cursor: string | undefined;
    do {
      const page = await this.read('/orders/open', { ...ofMarket, limit: PAGE, ...(cursor !== undefined && { cursor }) });
      rows.push(...(page.orders as readonly Row[]));
      cursor = (page.nextCursor ?? undefined) as string | undefined;
    } while (cursor !== undefined);
    return rows;
  }

  async positions(): Promise<readonly Row[]> {
    return (await this.read('/positions')).positions as readonly Row[];
  }

  async bestPrices(symbol: string): Promise<{ readonly bid: number; readonly ask: number }> {
    const { bids, asks } = (await this.readMarket(symbol, '/book', { depth: 1 })) as Record<'bids' | 'asks', [string, string][]>;
    const [bid, ask] = [bids[0]?.[0], asks[0]?.[0]];
    if (bid === undefined || ask === undefined) throw new Error(`${symbol} has no book: the checks need quotes on both sides`);
    return { bid: Number(bid), ask: Number(ask) };
  }

  /** Truncated to the lot, which is a power of ten. */
  quantity(symbol: string, amount: number): number {
    const scale = 10 ** Number(this.market(symbol).quantityScale);
    return Math.floor(amount * scale + 1e-6) / scale;
  }

  async place({ symbol, side, quantity, price, reduceOnly }: Placement): Promise<Row> {
    const market = this.market(symbol);
    const kind = price === undefined ? { orderType: 'market' } : { orderType: 'limit', price: fixed(price, market.priceScale) };
    return request(this.url, this.#apiKey, 'POST', '/v1/orders', {
      accountId: this.accountId,
      marketId: market.marketId,
      clientOrderId: crypto.randomUUID(),
      side,
      ...kind,
      quantity: fixed(quantity, market.quantityScale),
      ...(reduceOnly && { reduceOnly }),
    });
  }

  cancel(orderId: unknown): Promise<Row> {
    return request(this.url, this.#apiKey, 'POST', `/v1/orders/${orderId}/cancel`);
  }

  /** The order that closed it; undefined if there was no position. */
  async closePosition(symbol: string): Promise<Row | undefined> {
    const { marketId } = this.market(symbol);
    const position = (await this.positions()).find((position) => position.marketId === marketId);
    if (position === undefined) return undefined;
    const side = position.side === 'long' ? 'sell' : 'buy';
    return this.place({ symbol, side, quantity: Number(position.currentQuantity), reduceOnly: true });
  }
}

export function symbolOf({ baseAsset, quoteAsset, settlementAsset }: Row): string {
  return `${baseAsset}/${quoteAsset}:${settlementAsset}`;
}

function text(row: Row, key: string): string {
  const value = row[key];
  if (typeof value !== 'string') throw new Error(`the response of /v1 has no ${key}: ${JSON.stringify(row).slice(0, 200)}`);
  return value;
}

/** In the format of /v1, without trailing zeros. No scale exceeds 6 decimals, so no exponent occurs. */
function fixed(amount: number, scale: unknown): string {
  return String(Number(amount.toFixed(Number(scale))));
}

async function request(url: string, apiKey: string, method: string, path: string, body?: object): Promise<Row> {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body !== undefined && { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch((error: Error) => {
    throw new Error(`${method} ${url}${path}: ${error.message}: ${Object(error.cause).message ?? ''}`);
  });
  const content = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}${path}: ${response.status} ${content.slice(0, 1_000)}`);
  return JSON.parse(content) as Row;
}
