/** A client for one account's orders over HTTP. */
import type { OrderCancelOutcomes } from '#contract/order-cancels.ts';
import type { Bot, DrivenVenue, VenueResponse } from './driven-venue.ts';

export type Fields = Readonly<Record<string, unknown>>;

export class OrderClient {
  readonly bot: Bot;
  readonly #venue: DrivenVenue;
  #attempt = 0;

  private constructor(venue: DrivenVenue, bot: Bot) {
    this.#venue = venue;
    this.bot = bot;
  }

  /** Opens an account of its own. */
  static async of(venue: DrivenVenue): Promise<OrderClient> {
    return new OrderClient(venue, await venue.bot());
  }

  /** Returns the order, or the refusal. */
  async place(fields: Fields = {}): Promise<VenueResponse['body']> {
    this.#attempt += 1;
    const terms = { side: 'buy', orderType: 'limit', price: '60000', quantity: '0.01' };
    const names = { accountId: this.bot.accountId, marketId: 'BTC-USD-PERP', clientOrderId: `order-${this.#attempt}` };
    const body = { ...names, ...terms, ...fields };
    return (await this.#venue.call('placeOrder', { bot: this.bot, idempotencyKey: `key-${this.#attempt}`, body })).body;
  }

  async placeMany(count: number, fields: Fields = {}): Promise<VenueResponse['body'][]> {
    return Promise.all(Array.from({ length: count }, () => this.place({ quantity: '0.001', ...fields })));
  }

  async statusOf(orderId: string): Promise<string> {
    return (await this.#venue.call('getOrder', { bot: this.bot, params: { orderId } })).body.status;
  }

  async open(): Promise<VenueResponse['body'][]> {
    const { accountId } = this.bot;
    return (await this.#venue.call('listOpenOrders', { bot: this.bot, params: { accountId }, query: { limit: '500' } })).body
      .orders;
  }

  byClientOrderId(clientOrderId: string): Promise<VenueResponse> {
    return this.#venue.call('getOrderByClientOrderId', { bot: this.bot, params: { clientOrderId } });
  }

  cancelOne(orderId: string, marketId?: string): Promise<VenueResponse> {
    return this.#venue.call('cancelOrder', { bot: this.bot, params: { orderId }, ...within(marketId) });
  }

  cancelByClientOrderId(clientOrderId: string, marketId?: string): Promise<VenueResponse> {
    return this.#venue.call('cancelOrderByClientOrderId', { bot: this.bot, params: { clientOrderId }, ...within(marketId) });
  }

  cancel(body: Fields): Promise<VenueResponse> {
    return this.#venue.call('cancelOrders', { bot: this.bot, body });
  }

  cancelAll(body: Fields = {}): Promise<VenueResponse> {
    return this.#venue.call('cancelAllOrders', { bot: this.bot, body });
  }
}

/** The outcomes of a batch of cancels: order id and status of each accepted one, and the code of each other. */
export function cancelOutcomes({ body }: VenueResponse): unknown[] {
  return body.outcomes.map((it: OrderCancelOutcomes['outcomes'][number]) => (it.accepted ? [it.orderId, it.status] : it.code));
}

function within(marketId: string | undefined): { readonly body?: Fields } {
  return marketId === undefined ? {} : { body: { marketId } };
}
