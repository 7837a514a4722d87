/**
 * A program that watches everything of an account, as ccxt's manual recommends: one loop per method, which retries after an
 * error.
 */
import ccxt from 'ccxt';
import type { OpenPerpPro } from '#adapter/dist/openperp.js';

// biome-ignore lint/suspicious/noExplicitAny: unified structures, compared with those of REST
type Row = Record<string, any>;

export class Watcher {
  readonly exchange: OpenPerpPro;
  readonly orders = new Map<string, Row>();
  readonly trades: Row[] = [];
  readonly positions = new Map<string, Row>();
  balance: Row = {};
  readonly errors: Error[] = [];
  #isClosed = false;
  readonly #loops: Promise<void>[] = [];

  constructor(exchange: OpenPerpPro) {
    this.exchange = exchange;
  }

  /** Starts all loops; {@link close} ends them. */
  begin(): this {
    const { exchange } = this;
    this.loop(async () => {
      for (const order of await exchange.watchOrders()) this.orders.set(order.id as string, { ...order });
    });
    this.loop(async () => {
      this.trades.push(...(await exchange.watchMyTrades()));
    });
    this.loop(async () => {
      for (const position of await exchange.watchPositions()) this.#hold(position as Row);
    });
    this.loop(async () => {
      this.balance = (await exchange.watchBalance()) as unknown as Row;
    });
    return this;
  }

  loop(watch: () => Promise<void>): void {
    this.#loops.push(this.#again(watch));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.exchange.close();
    await Promise.all(this.#loops);
  }

  async #again(watch: () => Promise<void>): Promise<void> {
    while (!this.#isClosed) {
      try {
        await watch();
      } catch (error) {
        if (this.#isClosed) return;
        this.errors.push(error as Error);
        if (!(error instanceof ccxt.NetworkError)) return;
      }
    }
  }

  #hold(position: Row): void {
    const key = `${position.symbol} ${position.side}`;
    if (position.contracts > 0) this.positions.set(key, { ...position });
    else this.positions.delete(key);
  }
}

/** The structure without the fields of its message. */
export function unified(rows: Iterable<Row>): Row[] {
  return [...rows].map(({ info: _, ...row }) => row).sort((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1));
}

function keyOf({ symbol, id, side }: Row): string {
  return `${symbol} ${String(id).padStart(12, '0')} ${side}`;
}
