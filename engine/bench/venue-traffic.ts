/**
 * Endless traffic of a large venue: ten thousand accounts, a hundred thousand resting orders, and then orders that rest, cross
 * and are cancelled, in a stream that is not stored. Books keep their depth.
 */
import { SCENARIO_MARKET } from '#simulation/scenario.ts';
import { type Random, seededRandom } from '#simulation/seeded-random.ts';
import type { Clock } from '#time/clock.ts';
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { CancelOrder, Command, PlaceOrder } from '#venue/command.ts';
import { Venue } from '#venue/venue.ts';
import type { StateMachine, StateMachineRules } from '#writer/port/state-machine.ts';
import { venueRules } from '#writer/recovery/venue-rules.ts';
import { MIDDLE } from './order-flow.ts';

export interface VenueSize {
  readonly markets: number;
  readonly accounts: number;
  /** In all markets together. */
  readonly restingOrders: number;
}

export const LARGE_VENUE: VenueSize = { markets: 10, accounts: 10_000, restingOrders: 100_000 };
export const SMALL_VENUE: VenueSize = { markets: 2, accounts: 100, restingOrders: 4_000 };

const CROSSING_SHARE = 0.2;
const CANCEL_SHARE = 0.35;
/** How strongly cancels balance books with too many or too few orders. */
const LEAN = 0.3;
const INDEX_EVERY = 2_000;
/** The distance of resting orders from the middle, on average and at most: within the band around the mark price. */
const DISTANCE_TICKS = 2_000;
const FARTHEST_TICKS = 40_000;
const DEPOSIT = 400_000_000_000 as QuoteAtoms;

export class VenueTraffic {
  /** The venue's rules. The caller must run the traffic with them, because they report to the traffic which orders exist. */
  readonly rules: StateMachineRules;
  readonly #size: VenueSize;
  readonly #clock: Clock;
  readonly #random: Random;
  /** Accepted orders and their accounts; closed ones are dropped when drawn. */
  readonly #orders: OrderOrdinal[] = [];
  readonly #owners: AccountOrdinal[] = [];
  #openOrders = 0;
  #placed = 0;

  constructor(size: VenueSize, seed: number, clock: Clock) {
    this.#size = size;
    this.#clock = clock;
    this.#random = seededRandom(seed);
    const watched = (venue: Venue) => this.#watched(venue);
    this.rules = {
      ...venueRules,
      fresh: () => watched(new Venue()),
      restore: (snapshot) => watched(Venue.restore(snapshot)),
    };
  }

  /** The number of resting orders. Throws if the books do not have the intended depth. */
  get openOrders(): number {
    const meant = this.#size.restingOrders;
    if (Math.abs(this.#openOrders - meant) * 5 > meant) throw new Error(`${this.#openOrders} orders rest, and not ${meant}`);
    return this.#openOrders;
  }

  /** Lists the markets, opens the accounts and builds the books up. */
  *opening(): Generator<Command> {
    const { markets, accounts, restingOrders } = this.#size;
    for (let market = 1; market <= markets; market += 1) {
      const marketId = `M${market}-USD-PERP`;
      yield { type: 'ListMarket', specification: { ...SCENARIO_MARKET, marketId }, status: 'open' };
    }
    yield* this.#prices();
    for (let account = 1; account <= accounts; account += 1) {
      yield { type: 'OpenAccount', label: `trader ${account}`, partyId: `party-${account}`, digestSeed: account };
      yield { type: 'CreditCash', account: account as AccountOrdinal, amountAtoms: DEPOSIT, reference: 'bench' };
    }
    for (let made = 0; made < restingOrders; made += 1) yield this.#resting();
  }

  *operations(count: number): Generator<Command> {
    for (let made = 0; made < count; made += 1) {
      if (made % INDEX_EVERY === 0) yield* this.#prices();
      const { restingOrders } = this.#size;
      const surplus = (this.#openOrders - restingOrders) / restingOrders;
      const draw = this.#random();
      if (draw < CROSSING_SHARE) yield this.#crossing();
      else if (draw < CROSSING_SHARE + CANCEL_SHARE + Math.max(-LEAN, Math.min(LEAN, 2 * surplus))) yield this.#cancel();
      else yield this.#resting();
    }
  }

  *#prices(): Generator<Command> {
    for (let market = 1; market <= this.#size.markets; market += 1) {
      const priceAtoms = (MIDDLE + this.#below(3) - 1) as PriceAtoms;
      yield { type: 'PublishIndexPrice', market: market as MarketOrdinal, priceAtoms, observedAtEpochMs: this.#clock.now() };
    }
  }

  #resting(): PlaceOrder {
    const order = this.#order(1 + this.#below(100));
    const distance = Math.min(FARTHEST_TICKS, 1 + Math.floor(-Math.log(1 - this.#random()) * DISTANCE_TICKS));
    const priceAtoms = (order.side === 'sell' ? MIDDLE + distance : MIDDLE - distance) as PriceAtoms;
    return { ...order, terms: { kind: 'limit', priceAtoms, quantityAtoms: order.terms.quantityAtoms, postOnly: false } };
  }

  #crossing(): PlaceOrder {
    return this.#order(1 + this.#below(80));
  }

  #order(quantity: number) {
    this.#placed += 1;
    const name = this.#placed;
    return {
      type: 'PlaceOrder',
      account: this.#ordinalBelow(this.#size.accounts) as AccountOrdinal,
      market: this.#ordinalBelow(this.#size.markets) as MarketOrdinal,
      clientOrderId: `client-order-${name}`,
      side: this.#random() < 0.5 ? 'buy' : 'sell',
      terms: { kind: 'market', quantityAtoms: quantity as BaseAtoms },
      reduceOnly: false,
      leverageHundredths: 0,
      idempotencyKey: `idempotency-key-${name}`,
    } as const;
  }

  /** The order may have filled meanwhile: then the cancel is too late. */
  #cancel(): CancelOrder | PlaceOrder {
    if (this.#orders.length === 0) return this.#resting();
    const drawn = this.#below(this.#orders.length);
    const cancel = { type: 'CancelOrder', account: this.#owners[drawn]!, order: this.#orders[drawn]! } as const;
    this.#orders[drawn] = this.#orders.at(-1)!;
    this.#owners[drawn] = this.#owners.at(-1)!;
    this.#orders.pop();
    this.#owners.pop();
    return cancel;
  }

  #watched(venue: Venue): StateMachine {
    return {
      turn: (sequenced, events) => {
        const before = venue.state.orders.count;
        venue.turn(sequenced, events);
        const { count } = venue.state.orders;
        this.#openOrders = count;
        if (sequenced.command.type !== 'PlaceOrder' || count <= before) return;
        this.#orders.push(venue.state.lastOrder);
        this.#owners.push(sequenced.command.account);
      },
      snapshot: () => venue.snapshot(),
    };
  }

  #ordinalBelow(bound: number): number {
    return 1 + this.#below(bound);
  }

  #below(bound: number): number {
    return Math.floor(this.#random() * bound);
  }
}
