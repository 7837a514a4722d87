/**
 * Order books from npm in a comparison, used as documented: `limit` and `market` with an object of options, `cancel` with the
 * order's id. Options and ids are created before the clock starts.
 *
 * They do less than the venue's book: no option switches their self-trade rule on (one book has no such rule), and their results are
 * not read.
 */
import { createRequire } from 'node:module';
import { type BookOutcome, Digest } from './book-outcome.ts';
import type { Contender } from './contender.ts';
import { describeFlow, type OrderFlow } from './order-flow.ts';

export const PEERS = ['nodejs-order-book', 'hft-limit-order-book'] as const;
export type PeerName = (typeof PEERS)[number];

/** Ids are strings of the caller's choice. Which form is faster depends on the book: the better one is measured. */
export const ID_FORMS = ['digits', 'letter and digits'] as const;
export type IdForm = (typeof ID_FORMS)[number];

interface PeerOrder {
  readonly id: string;
  readonly price: number;
  readonly size: number;
}

interface PeerResponse {
  /** Filled resting orders, and last the incoming one if it filled. */
  readonly done: readonly PeerOrder[];
  /** A partially filled resting order; or the incoming one if it rests after a partial fill. */
  readonly partial: PeerOrder | null;
  readonly partialQuantityProcessed: number;
  readonly err: Error | null;
}

interface PeerBook {
  limit(options: { side: string; id: string; size: number; price: number }): PeerResponse;
  market(options: { side: string; size: number }): PeerResponse;
  cancel(id: string): unknown;
  /** The sides asks and bids, each from the best price, as price and volume. */
  depth(): [asks: [number, number][], bids: [number, number][]];
}

type PeerCommand =
  | { readonly kind: 'limit'; readonly market: number; readonly options: Parameters<PeerBook['limit']>[0] }
  | { readonly kind: 'sweep'; readonly market: number; readonly options: Parameters<PeerBook['market']>[0] }
  | { readonly kind: 'cancel'; readonly market: number; readonly id: string };

const require = createRequire(import.meta.url);

export class PeerContender implements Contender {
  readonly operations: number;
  readonly work: string;
  readonly version: string;
  readonly manner: string;
  readonly #flow: OrderFlow;
  readonly #makeBook: () => PeerBook;
  readonly #commands: readonly PeerCommand[];
  #books: PeerBook[] = [];

  constructor(name: PeerName, idForm: IdForm, flow: OrderFlow) {
    const { OrderBook } = require(name) as { OrderBook: new () => PeerBook };
    this.operations = flow.profile.operations;
    this.work = describeFlow(flow);
    this.version = (require(`${name}/package.json`) as { version: string }).version;
    this.manner = `ids of ${idForm}`;
    this.#flow = flow;
    this.#makeBook = () => new OrderBook();
    this.#commands = peerCommands(flow, idForm);
  }

  prepare(): void {
    this.#books = this.#freshBooks();
    this.#run(0, this.#flow.untimed);
  }

  run(): number {
    const start = performance.now();
    this.#run(this.#flow.untimed, this.#commands.length);
    return performance.now() - start;
  }

  outcome(): BookOutcome {
    const count = new TradeCount();
    this.#books = this.#freshBooks();
    for (const [place, command] of this.#commands.entries()) {
      if (command.kind === 'cancel') this.#books[command.market]!.cancel(command.id);
      else count.add(this.#flow.commands.orderAt(place), this.#request(command));
    }
    return { ...count.counted, depthDigest: this.#depthDigest() };
  }

  #run(from: number, to: number): void {
    for (let place = from; place < to; place += 1) {
      const command = this.#commands[place]!;
      if (command.kind === 'cancel') this.#books[command.market]!.cancel(command.id);
      else this.#request(command);
    }
  }

  #request(command: Exclude<PeerCommand, { kind: 'cancel' }>): PeerResponse {
    const book = this.#books[command.market]!;
    return command.kind === 'limit' ? book.limit(command.options) : book.market(command.options);
  }

  #freshBooks(): PeerBook[] {
    return Array.from({ length: this.#flow.profile.markets + 1 }, this.#makeBook);
  }

  #depthDigest(): number {
    const digest = new Digest();
    for (const book of this.#books.slice(1)) {
      const [asks, bids] = book.depth();
      for (const [price, volume] of [...bids, ...asks]) digest.add(price, volume);
    }
    return digest.value;
  }
}

/** Counts trades from the results of a book. */
class TradeCount {
  readonly #digest = new Digest();
  #trades = 0;
  #volume = 0;

  get counted(): Omit<BookOutcome, 'depthDigest'> {
    return { trades: this.#trades, volume: this.#volume, tradesDigest: this.#digest.value };
  }

  add(taker: number, { done, partial, partialQuantityProcessed, err }: PeerResponse): void {
    if (err !== null) throw new Error(`order ${taker} was refused: ${err.message}`);
    for (const { id, price, size } of done) if (numberOf(id) !== taker) this.#trade(taker, numberOf(id), price, size);
    if (partial !== null && numberOf(partial.id) !== taker) {
      this.#trade(taker, numberOf(partial.id), partial.price, partialQuantityProcessed);
    }
  }

  #trade(taker: number, maker: number, price: number, quantity: number): void {
    this.#trades += 1;
    this.#volume += quantity;
    this.#digest.add(taker, maker, price, quantity);
  }
}

function peerCommands({ commands }: OrderFlow, idForm: IdForm): PeerCommand[] {
  const idOf = (order: number) => (idForm === 'digits' ? `${order}` : `o${order}`);
  return Array.from({ length: commands.count }, (_, place): PeerCommand => {
    const kind = commands.kindAt(place);
    const market = commands.marketAt(place);
    const id = idOf(commands.orderAt(place));
    const [side, size] = [commands.sideAt(place), commands.quantityAt(place)];
    if (kind === 'cancel') return { kind, market, id };
    if (kind === 'sweep') return { kind, market, options: { side, size } };
    return { kind, market, options: { side, id, size, price: commands.priceAt(place) } };
  });
}

function numberOf(id: string): number {
  return Number(id.replace('o', ''));
}
