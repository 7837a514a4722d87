/** The venue's books in a comparison: the module that its turns use, with the self-trade rule on and every event emitted. */
import { BareBooks } from '#simulation/bare-books.ts';
import type { Side } from '#venue/command.ts';
import { NO_PRICE } from '#venue/order/book.ts';
import { NO_SLOT } from '#venue/order/order-table.ts';
import { type BookOutcome, Digest } from './book-outcome.ts';
import type { Contender } from './contender.ts';
import { describeFlow, type OrderFlow } from './order-flow.ts';

export class VenueContender implements Contender {
  readonly operations: number;
  readonly work: string;
  readonly version = 'this tree';
  readonly manner = 'orders by number';
  readonly #flow: OrderFlow;
  #books: BareBooks;

  constructor(flow: OrderFlow) {
    this.#flow = flow;
    this.operations = flow.profile.operations;
    this.work = describeFlow(flow);
    this.#books = this.#freshBooks();
  }

  prepare(): void {
    this.#books = this.#freshBooks();
    this.#books.run(this.#flow.commands, 0, this.#flow.untimed);
  }

  run(): number {
    const { commands, untimed } = this.#flow;
    const start = performance.now();
    this.#books.run(commands, untimed, commands.count);
    return performance.now() - start;
  }

  outcome(): BookOutcome {
    const { commands } = this.#flow;
    const trades = new Digest();
    let [count, volume] = [0, 0];
    this.#books = this.#freshBooks();
    for (let place = 0; place < commands.count; place += 1) {
      this.#books.run(commands, place, place + 1);
      for (const { kind, order, maker, price, quantity } of this.#books.events.readNew()) {
        if (kind !== 'traded') continue;
        count += 1;
        volume += quantity;
        trades.add(order, maker, price, quantity);
      }
    }
    return { trades: count, volume, tradesDigest: trades.value, depthDigest: this.#depthDigest() };
  }

  #freshBooks(): BareBooks {
    return new BareBooks(this.#flow.profile.markets, this.#flow.profile.accounts);
  }

  #depthDigest(): number {
    const digest = new Digest();
    for (let market = 1; market <= this.#flow.profile.markets; market += 1) {
      this.#addDepth(market, 'sell', digest);
      this.#addDepth(market, 'buy', digest);
    }
    return digest.value;
  }

  /** The depth that an order of this side would meet. */
  #addDepth(market: number, against: Side, digest: Digest): void {
    const { orders, markets } = this.#books.state;
    const { book } = markets[market]!;
    for (let price = book.bestAgainst(against); price !== NO_PRICE; price = book.nextAgainst(against, price)) {
      let volume = 0;
      for (let slot = book.firstAt(price); slot !== NO_SLOT; slot = orders.behind(slot)) volume += orders.remainingOf(slot);
      digest.add(price, volume);
    }
  }
}
