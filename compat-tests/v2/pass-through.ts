/**
 * `/v2` as a ccxt exchange: each unified method is one call, whose response is returned unchanged, so that ccxt's tests see the
 * gateway's own structures. JSON null becomes undefined; other additions of the suite are listed in SUPPLIED.
 */
import { randomUUID } from 'node:crypto';
import ccxt, { Exchange, Precise } from 'ccxt';
import type { Fault } from '#compat/report.ts';

/** The operations of `/v2`, and the methods of ccxt's base that make one call of one of them. */
const CLAIMED = [
  'publicAPI',
  'privateAPI',
  'swap',
  'fetchMarkets',
  'fetchTicker',
  'fetchFundingRate',
  'fetchOHLCV',
  'fetchIndexOHLCV',
  'fetchOrderBook',
  'fetchL2OrderBook',
  'fetchBalance',
  'fetchPositions',
  'fetchOrder',
  'fetchOrders',
  'fetchOpenOrders',
  'fetchMyTrades',
  'createOrder',
  'createOrders',
  'createLimitOrder',
  'createLimitBuyOrder',
  'createLimitSellOrder',
  'createMarketOrder',
  'createMarketBuyOrder',
  'createMarketSellOrder',
  'createPostOnlyOrder',
  'createReduceOnlyOrder',
  'cancelOrder',
  'cancelOrders',
];

const CUT = "amounts and prices are cut to the market's steps by the suite, as every class of ccxt does: /v2 refuses finer ones";

/** Parts that `/v2` leaves to its caller, and that the suite supplies. */
export const SUPPLIED: readonly Omit<Fault, 'handling'>[] = [
  {
    suite: 'v2Upstream',
    method: 'fetchBalance',
    reason: 'used is omitted by the interface, and supplied by the suite as total less free',
  },
  { suite: 'v2Own', method: 'createOrder', reason: CUT },
  { suite: 'v2Own', method: 'createOrders', reason: CUT },
];

/** The operations that `/v2` refuses as not implemented, with method and path. */
export const NOT_IMPLEMENTED: Readonly<Record<string, readonly [verb: string, path: string]>> = {
  fetchTrades: ['GET', 'fetch-trades'],
  cancelAllOrders: ['POST', 'cancel-all-orders'],
  editOrder: ['PUT', 'edit-order'],
  fetchFundingRateHistory: ['GET', 'fetch-funding-rate-history'],
  fetchFundingHistory: ['GET', 'fetch-funding-history'],
  setLeverage: ['PUT', 'set-leverage'],
  setMarginMode: ['PUT', 'set-margin-mode'],
};

type Fields = Record<string, unknown>;

export class PassThrough extends Exchange {
  override describe(): Fields {
    const base = super.describe();
    const has = Object.fromEntries(Object.keys(base.has).map((key) => [key, CLAIMED.includes(key)]));
    return this.deepExtend(base, {
      id: 'openperp',
      name: 'OpenPerp, by /v2',
      rateLimit: 2,
      has,
      timeframes: { '1m': '1m', '5m': '5m', '15m': '15m', '1h': '1h', '4h': '4h', '1d': '1d' },
      urls: { api: { rest: 'http://localhost:8080' } },
      requiredCredentials: { apiKey: true, secret: false, accountId: true },
      precisionMode: ccxt.TICK_SIZE,
    });
  }

  override async fetchMarkets(): Promise<never[]> {
    return (await this.call('GET', 'markets')) as never[];
  }

  override async fetchTicker(symbol: string): Promise<never> {
    return (await this.call('GET', `${this.pathOf(symbol)}/stats`)) as never;
  }

  override async fetchFundingRate(symbol: string): Promise<never> {
    return (await this.call('GET', `${this.pathOf(symbol)}/stats`)) as never;
  }

  override async fetchOHLCV(symbol: string, timeframe = '1m', since?: number, limit?: number, params = {}): Promise<never[]> {
    return (await this.call('GET', `${this.pathOf(symbol)}/candles`, { timeframe, since, limit, ...params })) as never[];
  }

  override async fetchOrderBook(symbol: string, limit?: number): Promise<never> {
    return (await this.call('GET', `${this.pathOf(symbol)}/book`, { limit })) as never;
  }

  override async fetchBalance(): Promise<never> {
    const { free, total, ...rest } = (await this.call('GET', this.accountPath())) as Record<string, Record<string, number>>;
    const balance: Fields = { ...rest, free, total, used: {} };
    for (const [code, amount] of Object.entries(total ?? {})) {
      const used = this.parseNumber(Precise.stringSub(String(amount), String(free?.[code])));
      balance.used = { ...(balance.used as Fields), [code]: used };
      balance[code] = { free: free?.[code], used, total: amount };
    }
    return balance as never;
  }

  override async fetchPositions(symbols?: string[]): Promise<never[]> {
    const [symbol, ...others] = symbols ?? [];
    if (others.length > 0) throw new ccxt.NotSupported('/v2 lists the positions of one market, or of all');
    return (await this.call('GET', `${this.accountPath()}/positions`, { symbol })) as never[];
  }

  override async fetchOrder(id: string): Promise<never> {
    return (await this.call('GET', `orders/${encodeURIComponent(id)}`)) as never;
  }

  override async fetchOrders(symbol?: string, since?: number, limit?: number): Promise<never[]> {
    return (await this.call('GET', `${this.accountPath()}/orders`, { symbol, since, limit })) as never[];
  }

  override async fetchOpenOrders(symbol?: string, since?: number, limit?: number): Promise<never[]> {
    return (await this.call('GET', `${this.accountPath()}/orders/open`, { symbol, since, limit })) as never[];
  }

  override async fetchMyTrades(symbol?: string, since?: number, limit?: number): Promise<never[]> {
    return (await this.call('GET', `${this.accountPath()}/fills`, { symbol, since, limit })) as never[];
  }

  override async createOrder(...order: Parameters<Exchange['createOrder']>): Promise<never> {
    const [symbol, type, side, amount, price, params = {}] = order;
    const { idempotencyKey, ...rest } = params as Fields;
    const entry = this.entryOf({ symbol, type, side, amount, price, params: rest });
    return (await this.call('POST', 'order', entry, idempotencyKey)) as never;
  }

  override async createOrders(orders: Parameters<Exchange['createOrders']>[0], params: Fields = {}): Promise<never[]> {
    const entries = orders.map((order) => this.entryOf(order as unknown as Fields));
    return (await this.call('POST', 'orders', entries, params.idempotencyKey)) as never[];
  }

  override async cancelOrder(id: string, symbol?: string, params: Fields = {}): Promise<never> {
    const body = symbol === undefined ? {} : { symbol };
    return (await this.call('POST', `orders/${encodeURIComponent(id)}/cancel`, body, params.idempotencyKey)) as never;
  }

  override async cancelOrders(ids: string[], symbol?: string, params: Fields = {}): Promise<never[]> {
    return (await this.call('POST', 'orders/cancel', { ids, symbol }, params.idempotencyKey)) as never[];
  }

  /** Calls an operation that is not implemented, with any arguments. */
  async callNotImplemented(method: string): Promise<unknown> {
    const [verb, path] = NOT_IMPLEMENTED[method] ?? [];
    if (verb === undefined) throw new Error(`/v2 has no operation for ${method}`);
    return this.call(verb, `not-implemented/${path}`, verb === 'GET' ? {} : { symbol: 'BTC/USD.E:USD.E' });
  }

  private entryOf({ symbol, amount, price, ...rest }: Fields): Fields {
    // /v2 decides whether the market exists.
    const isKnown = Object.hasOwn(this.markets ?? {}, String(symbol));
    const cut = (value: unknown, step: 'amountToPrecision' | 'priceToPrecision') =>
      isKnown ? Number(this[step](symbol as string, value)) : value;
    return {
      ...rest,
      symbol,
      amount: cut(amount, 'amountToPrecision'),
      ...(price !== undefined && { price: cut(price, 'priceToPrecision') }),
    };
  }

  private pathOf(symbol: string): string {
    return `markets/${encodeURIComponent(symbol)}`;
  }

  private accountPath(): string {
    this.checkRequiredCredentials();
    return `accounts/${encodeURIComponent(this.accountId)}`;
  }

  private async call(verb: string, path: string, content: unknown = {}, idempotencyKey?: unknown): Promise<unknown> {
    return withoutNull(await this.request(path, 'v2', verb, { content, idempotencyKey }));
  }

  override sign(path: string, _api: unknown, method = 'GET', { content, idempotencyKey }: Fields = {}): Fields {
    const headers: Record<string, string> = {};
    if (this.apiKey !== undefined && this.apiKey !== '') headers.Authorization = `Bearer ${this.apiKey}`;
    const url = `${(this.urls.api as Record<string, string>).rest}/v2/${path}`;
    if (method === 'GET') {
      const parameters = Object.entries(content as Fields).filter(([, value]) => value !== undefined);
      const query = parameters.map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`).join('&');
      return { url: query === '' ? url : `${url}?${query}`, method, headers };
    }
    headers['Content-Type'] = 'application/json';
    headers['Idempotency-Key'] = String(idempotencyKey ?? randomUUID());
    return { url, method, headers, body: JSON.stringify(content) };
  }

  /** An error names its class of ccxt. */
  override handleErrors(...[, , , , , , response]: Parameters<Exchange['handleErrors']>): undefined {
    const { name, message, info } = Object(response);
    if (typeof name !== 'string' || info?.version !== 'external-rest-error/v1') return;
    const ErrorClass = Reflect.get(ccxt, name);
    if (typeof ErrorClass !== 'function')
      throw new Error(`/v2 returned an error that is not a class of ccxt: ${name}: ${message}`);
    throw new ErrorClass(`${this.id} ${message}`);
  }
}

/** JSON has no undefined: `/v2` uses null for unknown values. `info` stays unchanged. */
function withoutNull(value: unknown): unknown {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.map(withoutNull);
  if (typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, key === 'info' ? inner : withoutNull(inner)]));
}
