/**
 * Commands for bare books, eight 32-bit words each. A run of millions is made once, and every book reads it without allocating
 * objects.
 */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms } from '#units/money.ts';
import type { Side } from '#venue/command.ts';

/** The unfilled rest of a limit order rests in the book; that of a sweep is cancelled. */
const KINDS = ['limit', 'sweep', 'cancel'] as const;
export type CommandKind = (typeof KINDS)[number];

export interface BookOrder {
  readonly kind: 'limit' | 'sweep';
  readonly order: OrderOrdinal;
  readonly market: MarketOrdinal;
  readonly account: AccountOrdinal;
  readonly side: Side;
  readonly price: PriceAtoms;
  readonly quantity: BaseAtoms;
  /** The mark price at its arrival. */
  readonly mark: PriceAtoms;
}

/** The places of a command's words. A cancel uses the first three. */
const KIND = 0;
const ORDER = 1;
const MARKET = 2;
const ACCOUNT = 3;
const IS_SELL = 4;
const PRICE = 5;
const QUANTITY = 6;
const MARK = 7;
const COMMAND_BITS = 3;

export class BookCommands {
  #words = new Int32Array(1024 << COMMAND_BITS);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  addOrder({ kind, order, market, account, side, price, quantity, mark }: BookOrder): void {
    this.#add([KINDS.indexOf(kind), order, market, account, side === 'sell' ? 1 : 0, price, quantity, mark]);
  }

  addCancel(order: OrderOrdinal, market: MarketOrdinal): void {
    this.#add([KINDS.indexOf('cancel'), order, market, 0, 0, 0, 0, 0]);
  }

  /** Removes the last command. */
  dropLast(): void {
    this.#count -= 1;
  }

  kindAt(place: number): CommandKind {
    return KINDS[this.#words[(place << COMMAND_BITS) | KIND]!]!;
  }

  orderAt(place: number): OrderOrdinal {
    return this.#words[(place << COMMAND_BITS) | ORDER]! as OrderOrdinal;
  }

  marketAt(place: number): MarketOrdinal {
    return this.#words[(place << COMMAND_BITS) | MARKET]! as MarketOrdinal;
  }

  accountAt(place: number): AccountOrdinal {
    return this.#words[(place << COMMAND_BITS) | ACCOUNT]! as AccountOrdinal;
  }

  sideAt(place: number): Side {
    return this.#words[(place << COMMAND_BITS) | IS_SELL] === 1 ? 'sell' : 'buy';
  }

  priceAt(place: number): PriceAtoms {
    return this.#words[(place << COMMAND_BITS) | PRICE]! as PriceAtoms;
  }

  quantityAt(place: number): BaseAtoms {
    return this.#words[(place << COMMAND_BITS) | QUANTITY]! as BaseAtoms;
  }

  markAt(place: number): PriceAtoms {
    return this.#words[(place << COMMAND_BITS) | MARK]! as PriceAtoms;
  }

  #add(command: readonly number[]): void {
    const at = this.#count << COMMAND_BITS;
    if (at === this.#words.length) {
      const wider = new Int32Array(this.#words.length * 2);
      wider.set(this.#words);
      this.#words = wider;
    }
    this.#words.set(command, at);
    this.#count += 1;
  }
}
