/**
 * The load of a soak: a maker's lanes quote both sides and cancel their quotes, a taker's lanes buy and sell in turn, and one
 * lane reads. No position, margin or number of open orders grows with time.
 */
import { Agent, request } from 'node:http';
import type { VenueAccount } from './venue-process.ts';

const MARKET = 'BTC-USD-PERP';
const MAKER_LANES = 6;
const TAKER_LANES = 6;
const MAKER_QUANTITY = '0.01';
const TAKER_QUANTITY = '0.001';
/** The distances of quotes from the mark price, as fractions of it. */
const QUOTE_DISTANCES = [0.0002, 0.0004, 0.0006, 0.0008];
const READ_EVERY = 10;
const PRICE_MS = 250;
const CHANNELS = ['market.trades', 'market.book', 'market.ticker', 'market.price'];
/** Expected outcomes in a moving market: an order has filled meanwhile, the quotes were gone. */
const EXPECTED = new Set([200, 202, 409, 422]);

interface HttpResponse {
  readonly status: number;
  readonly body: string;
}

/** The events since the last read. */
export interface LoadInterval {
  /** Milliseconds from sending a command to its response. */
  readonly latencies: readonly number[];
  readonly reads: number;
  readonly frames: number;
}

export class SoakLoad {
  readonly #url: URL;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #socket: WebSocket;
  readonly #running: Promise<void>[] = [];
  /** The interval between the commands of a lane. */
  #laneMs: number;
  #isEnding = false;
  #fault: unknown;
  #mark = 0;
  #named = 0;
  #latencies: number[] = [];
  #reads = 0;
  #frames = 0;
  /** The number of placed orders by account: the number of idempotency keys and client order ids to remember. */
  readonly placed = new Map<string, number>();
  /** The responses to commands by status and code. */
  readonly outcomes = new Map<string, number>();

  private constructor(url: string, socket: WebSocket, perSecond: number) {
    this.#url = new URL(url);
    this.#socket = socket;
    this.#laneMs = laneMsOf(perSecond);
    socket.addEventListener('message', () => {
      this.#frames += 1;
    });
  }

  /** Starts to load a venue with this many commands per second, or as many as it answers. */
  static async begin(
    { url, realtimeUrl }: { readonly url: string; readonly realtimeUrl: string },
    [maker, taker]: readonly [VenueAccount, VenueAccount],
    perSecond: number,
  ): Promise<SoakLoad> {
    const socket = new WebSocket(realtimeUrl);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', reject);
    });
    for (const channel of CHANNELS) socket.send(JSON.stringify({ op: 'subscribe', channel, marketId: MARKET }));
    const load = new SoakLoad(url, socket, perSecond);
    await load.#followMark();
    load.#run(load.#read());
    for (let lane = 0; lane < MAKER_LANES; lane += 1) load.#run(load.#make(maker, lane));
    for (let lane = 0; lane < TAKER_LANES; lane += 1) load.#run(load.#take(taker, lane));
    return load;
  }

  /** Continues with this many commands per second. */
  pace(perSecond: number): void {
    this.#laneMs = laneMsOf(perSecond);
  }

  /** Throws if a lane had an error. */
  demandValid(): void {
    if (this.#fault !== undefined) throw this.#fault;
    if (this.#socket.readyState !== WebSocket.OPEN) throw new Error('the realtime service has closed the socket');
  }

  interval(): LoadInterval {
    const interval = { latencies: this.#latencies, reads: this.#reads, frames: this.#frames };
    this.#latencies = [];
    this.#reads = 0;
    this.#frames = 0;
    return interval;
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.all(this.#running);
    this.demandValid();
    this.#socket.close();
    this.#agent.destroy();
  }

  #run(lane: Promise<void>): void {
    this.#running.push(
      lane.catch((fault: unknown) => {
        this.#fault ??= fault;
      }),
    );
  }

  /** Places two quotes, and then cancels the previous ones. */
  async #make(account: VenueAccount, lane: number): Promise<void> {
    let quoted: string[] = [];
    for (let round = lane; !this.#isEnding; round += 1) {
      const distance = QUOTE_DISTANCES[round % QUOTE_DISTANCES.length]!;
      const quotes: string[] = [];
      for (const side of ['buy', 'sell']) {
        const price = (this.#mark * (side === 'buy' ? 1 - distance : 1 + distance)).toFixed(1);
        const orderId = await this.#place(account, { side, orderType: 'limit', price, quantity: MAKER_QUANTITY });
        if (orderId !== undefined) quotes.push(orderId);
      }
      for (const orderId of quoted) await this.#command(account, `/v1/orders/${orderId}/cancel`);
      quoted = quotes;
      if (round % READ_EVERY === 0) await this.#readOwn(account, quotes[0]);
    }
    for (const orderId of quoted) await this.#command(account, `/v1/orders/${orderId}/cancel`);
  }

  /** Buys, and sells the same quantity again. */
  async #take(account: VenueAccount, lane: number): Promise<void> {
    for (let round = lane; !this.#isEnding; round += 1) {
      for (const side of ['buy', 'sell']) await this.#place(account, { side, orderType: 'market', quantity: TAKER_QUANTITY });
      if (round % READ_EVERY === 0) await this.#readOwn(account, undefined);
    }
  }

  /** Reads the market without a credential, and the price to quote around. */
  async #read(): Promise<void> {
    while (!this.#isEnding) {
      await this.#followMark();
      for (const list of ['book', 'trades', 'candles']) await this.#get(`/v1/markets/${MARKET}/${list}`);
      await new Promise((resolve) => setTimeout(resolve, PRICE_MS));
    }
  }

  async #followMark(): Promise<void> {
    const { markPrice } = JSON.parse(await this.#get(`/v1/markets/${MARKET}/stats`)) as { markPrice: string | null };
    if (markPrice === null) throw new Error(`${MARKET} has no price`);
    this.#mark = Number(markPrice);
  }

  async #readOwn({ accountId, apiKey }: VenueAccount, orderId: string | undefined): Promise<void> {
    for (const list of ['', '/positions', '/orders/open', '/orders?limit=50', '/fills?limit=50'])
      await this.#get(`/v1/accounts/${accountId}${list}`, apiKey);
    if (orderId !== undefined) await this.#get(`/v1/orders/${orderId}`, apiKey);
  }

  async #get(path: string, apiKey?: string): Promise<string> {
    const { status, body } = await this.#send('GET', path, apiKey);
    if (status !== 200) throw new Error(`GET ${path} was answered with ${status}: ${body}`);
    this.#reads += 1;
    return body;
  }

  /** Returns the id of the order, if there is one. */
  async #place(account: VenueAccount, order: object): Promise<string | undefined> {
    const { accountId } = account;
    this.#named += 1;
    const name = `soak-${this.#named}`;
    const body = JSON.stringify({ accountId, marketId: MARKET, clientOrderId: name, ...order });
    const answer = await this.#command(account, '/v1/orders', body, name);
    this.placed.set(accountId, (this.placed.get(accountId) ?? 0) + 1);
    return (JSON.parse(answer.body) as { orderId?: string }).orderId;
  }

  /** Sends a command when due, and measures the wait for its response. */
  async #command({ apiKey }: VenueAccount, path: string, body = '', key?: string): Promise<HttpResponse> {
    const sentAt = performance.now();
    const answer = await this.#send('POST', path, apiKey, body, key);
    const elapsed = performance.now() - sentAt;
    this.#latencies.push(elapsed);
    const { code } = JSON.parse(answer.body) as { code?: string };
    const outcome = code === undefined ? String(answer.status) : `${answer.status} ${code}`;
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    if (!EXPECTED.has(answer.status)) throw new Error(`POST ${path} was answered with ${answer.status}: ${answer.body}`);
    if (elapsed < this.#laneMs) await new Promise((resolve) => setTimeout(resolve, this.#laneMs - elapsed));
    return answer;
  }

  #send(method: string, path: string, apiKey?: string, body = '', key?: string): Promise<HttpResponse> {
    const headers = {
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(body !== '' && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    };
    return new Promise((resolve, reject) => {
      const { hostname, port } = this.#url;
      const sent = request({ agent: this.#agent, hostname, port, method, path, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (piece: string) => {
          text += piece;
        });
        response.on('end', () => resolve({ status: response.statusCode!, body: text }));
        response.on('error', reject);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

function laneMsOf(perSecond: number): number {
  return (1_000 * (MAKER_LANES + TAKER_LANES)) / perSecond;
}
