/**
 * Many trigger orders due at one price: how long the turns are that make them due and trigger them, and those of orders that are placed
 * meanwhile. The orders wait for one another's turns in the writer, so the longest turn is what an order waits at most.
 */
import { SCENARIO_MARKET } from '#simulation/scenario.ts';
import type { AccountOrdinal, MarketOrdinal, Sequence } from '#units/ids.ts';
import type { BaseAtoms, Bps, EpochMs, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { Command, PlaceOrder } from '#venue/command.ts';
import { ByteWriter } from '#venue/record/cursor.ts';
import { EventWriter } from '#venue/record/event-writer.ts';
import { MAX_WAITING_TRIGGERS } from '#venue/trigger/triggers.ts';
import { Venue } from '#venue/venue.ts';
import type { BenchOptions } from './contender.ts';
import type { Part, Report } from './part.ts';

const COUNT = 10_000;
const QUICK_COUNT = 400;
/** Runs before the measured one, until everything is compiled. */
const WARM_UP = 3;
const MARKET = 1 as MarketOrdinal;
const PRICE = 10_000;
const TRIGGER_PRICE = 9_900;

export const triggers: Part = { name: 'triggers', run };

async function run({ isQuick }: BenchOptions): Promise<Report> {
  const count = isQuick ? QUICK_COUNT : COUNT;
  for (let warmUp = 0; warmUp < (isQuick ? 0 : WARM_UP); warmUp += 1) measure(count);
  const { price, work, placements } = measure(count);
  const turns = [...work, ...placements].sort((one, other) => one - other);
  const rows = [
    ['the price that makes them due, and triggers the first', 1, [price]],
    ['turns that trigger the others', work.length, work],
    ['orders that are placed in between', placements.length, placements],
  ] as const;
  return {
    tables: [
      {
        title: `${count} trigger orders due at one price`,
        notes: ['The time of each turn in the core, with the bytes of its events and without the disk.'],
        columns: ['', 'turns', 'p50 ms', 'p99 ms', 'max ms'],
        rows: rows.map(([name, many, times]) => [name, String(many), ...[0.5, 0.99, 1].map((share) => quantile(times, share))]),
      },
    ],
    figures: { triggers: { count, turns: work.length + 1, priceMs: price, p99Ms: Number(quantile(turns, 0.99)) } },
  };
}

interface Times {
  readonly price: number;
  readonly work: readonly number[];
  readonly placements: readonly number[];
}

function measure(count: number): Times {
  const crowd = new Crowd();
  crowd.populate(count);
  const price = crowd.time({
    type: 'PublishIndexPrice',
    market: MARKET,
    priceAtoms: at(TRIGGER_PRICE),
    observedAtEpochMs: crowd.now,
  });
  const work: number[] = [];
  const placements: number[] = [];
  while (crowd.venue.state.market(MARKET)!.triggers.hasDue) {
    work.push(crowd.time({ type: 'AdvanceMarket', market: MARKET }));
    placements.push(crowd.time(crowd.order(1, 'buy', 9_800)));
  }
  return { price, work, placements };
}

class Crowd {
  readonly venue = new Venue();
  now = 1_700_000_000_000 as EpochMs;
  #sequence = 0 as Sequence;
  readonly #bytes = new ByteWriter();
  readonly #events = new EventWriter(this.#bytes);

  /** Accounts with as many waiting orders as they may have, which then rest in the book. */
  populate(count: number): void {
    this.time({ type: 'ListMarket', specification: { ...SCENARIO_MARKET, markBandBps: 1 as Bps }, status: 'open' });
    this.time({ type: 'PublishIndexPrice', market: MARKET, priceAtoms: at(PRICE), observedAtEpochMs: this.now });
    for (let account = 1; account <= 1 + count / MAX_WAITING_TRIGGERS; account += 1) {
      this.time({ type: 'OpenAccount', label: 'bench', partyId: `party-${account}`, digestSeed: 7 });
      const amountAtoms = 1_000_000_000_000 as QuoteAtoms;
      this.time({ type: 'CreditCash', account: account as AccountOrdinal, amountAtoms, reference: 'bench' });
      // The table of orders grows before the measured turns.
      for (let order = 0; order < 3; order += 1) this.time(this.order(account, 'buy', 9_700));
      for (let order = 0; order < (account === 1 ? 0 : MAX_WAITING_TRIGGERS); order += 1)
        this.time({ ...this.order(account, 'sell', 10_400), trigger: TRIGGER });
    }
  }

  order(account: number, side: 'buy' | 'sell', price: number): PlaceOrder {
    const name = `order-${this.#sequence}`;
    return {
      type: 'PlaceOrder',
      account: account as AccountOrdinal,
      market: MARKET,
      clientOrderId: name,
      side,
      terms: { kind: 'limit', priceAtoms: at(price), quantityAtoms: 1 as BaseAtoms, postOnly: false },
      reduceOnly: false,
      leverageX: 0,
      idempotencyKey: name,
    };
  }

  /** Runs a command and returns its time in milliseconds. */
  time(command: Command): number {
    this.#sequence = (this.#sequence + 1) as Sequence;
    this.now = (this.now + 1) as EpochMs;
    this.#bytes.reset();
    this.#events.restart();
    const startedAt = performance.now();
    this.venue.turn({ sequence: this.#sequence, epochMs: this.now, command }, this.#events);
    return performance.now() - startedAt;
  }
}

const TRIGGER = {
  kind: 'trigger',
  source: 'mark',
  direction: 'below',
  priceAtoms: TRIGGER_PRICE as PriceAtoms,
  trailingAtoms: 0 as PriceAtoms,
  trailingBps: 0 as Bps,
  closePosition: false,
  linkedClientOrderId: '',
} as const;

function at(price: number): PriceAtoms {
  return price as PriceAtoms;
}

function quantile(times: readonly number[], share: number): string {
  const sorted = [...times].sort((one, other) => one - other);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(3);
}
