/**
 * Runs a venue in a process of its own, lets two accounts trade over HTTP, and kills it with `kill -9`, repeatedly. After each
 * start, every acknowledged order exists exactly once, as it was or filled further. A request without a response, repeated with
 * its key, creates one order.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { FillList, OrderList } from '#contract/account-history.ts';
import type { MarketStats } from '#contract/markets.ts';
import type { OrderResource } from '#contract/orders.ts';
import type { CreatedAccount } from '#operator/action.ts';
import { callOperator } from '#operator/client.ts';
import { eventually } from '#time/testing/eventually.ts';
import { VenueProcess } from './testing/venue-process.ts';

/** `OPENPERP_KILLS=500 npx vitest run src/app/kill.test.ts` sets the number of kills. */
const KILLS = Number(process.env.OPENPERP_KILLS ?? 4);
/** Then a new venue starts, so that the reads after every kill stay short. */
const KILLS_OF_ONE_VENUE = 25;
const IN_FLIGHT = 8;
const directories: string[] = [];
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

class Trader {
  readonly accountId: string;
  readonly #apiKey: string;
  readonly #name: string;
  /** The venue's responses, by client order id. */
  readonly acknowledged = new Map<string, OrderResource>();
  /** Bodies without a response, by client order id. */
  readonly unanswered = new Map<string, string>();
  url = '';
  side: 'buy' | 'sell' = 'buy';
  #count = 0;

  constructor({ accountId, apiKey }: { accountId: string; apiKey: string }, name: string) {
    this.accountId = accountId;
    this.#apiKey = apiKey;
    this.#name = name;
  }

  /** Places orders until the venue is gone. Both sides quote across each other, so that most orders trade. */
  async trade(price: number): Promise<void> {
    for (;;) {
      const clientOrderId = `${this.#name}-${++this.#count}`;
      const offset = (this.#count % 7) * 0.001 - 0.003;
      const order = { orderType: 'limit', price: (price * (1 + offset)).toFixed(1), quantity: '0.001', leverageX: 10 };
      const body = JSON.stringify({
        accountId: this.accountId,
        marketId: 'BTC-USD-PERP',
        clientOrderId,
        side: this.side,
        ...order,
      });
      if (!(await this.place(clientOrderId, body))) return;
    }
  }

  /** Returns false if the venue did not respond. */
  async place(clientOrderId: string, body: string): Promise<boolean> {
    this.unanswered.set(clientOrderId, body);
    const headers = { 'content-type': 'application/json', 'idempotency-key': clientOrderId };
    const response = await this.#send('/v1/orders', { method: 'POST', headers, body });
    if (response === undefined) return false;
    expect(response, JSON.stringify(response)).toMatchObject({ version: 'external-order/v1', clientOrderId });
    this.unanswered.delete(clientOrderId);
    this.acknowledged.set(clientOrderId, response as OrderResource);
    return true;
  }

  /** Cancels all open orders: a fast machine would reach the limit of open orders. */
  async cancelOpen(): Promise<void> {
    for (const { orderId, status } of await this.orders())
      if (status === 'open')
        expect(await this.#send(`/v1/orders/${orderId}/cancel`, { method: 'POST' })).toMatchObject({ status: 'cancelled' });
  }

  async orders(): Promise<OrderResource[]> {
    return this.#pages<OrderList, OrderResource>('orders', (page) => page.orders);
  }

  async fills(): Promise<FillList['fills']> {
    return this.#pages<FillList, FillList['fills'][number]>('fills', (page) => page.fills);
  }

  async #pages<Page extends { nextCursor: string | null }, Entry>(
    list: string,
    entriesOf: (page: Page) => Entry[],
  ): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (let cursor = ''; ; ) {
      const page = (await this.#send(`/v1/accounts/${this.accountId}/${list}?limit=500${cursor}`)) as Page;
      entries.push(...entriesOf(page));
      if (page.nextCursor === null) return entries;
      cursor = `&cursor=${page.nextCursor}`;
    }
  }

  async #send(path: string, { headers, ...init }: RequestInit = {}): Promise<object | undefined> {
    try {
      const response = await fetch(this.url + path, {
        ...init,
        headers: { ...headers, authorization: `Bearer ${this.#apiKey}` },
      });
      return (await response.json()) as object;
    } catch {
      return undefined;
    }
  }
}

test(
  `keeps every acknowledged order after kill -9, ${KILLS} times`,
  async () => {
    for (let done = 0; done < KILLS; done += KILLS_OF_ONE_VENUE) {
      await killVenue(Math.min(KILLS_OF_ONE_VENUE, KILLS - done));
      if (KILLS > KILLS_OF_ONE_VENUE)
        console.log(`${Math.min(done + KILLS_OF_ONE_VENUE, KILLS)} of ${KILLS} kills, nothing lost`);
    }
  },
  600_000 + KILLS * 4_000,
);

/** Kills and restarts a venue this often. */
async function killVenue(rounds: number): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'openperp-kill-'));
  directories.push(directory);
  let venue = await new VenueProcess(directory, '--no-house').runs();
  const demo = venue.demo();
  const other = (await callOperator(directory, { action: 'account.create', credit: '100000' })) as CreatedAccount;
  const traders = [new Trader(demo, 'demo'), new Trader(other, 'other')];
  for (let round = 1; round <= rounds; round++) {
    const { url } = venue.demo();
    for (const trader of traders) trader.url = url;
    // The accounts change sides, so that no position grows with the speed of the machine.
    for (const [index, trader] of traders.entries()) {
      trader.side = (round + index) % 2 === 0 ? 'buy' : 'sell';
      await trader.cancelOpen();
    }
    const price = await markPrice(url);
    const acknowledged = traders.map((trader) => trader.acknowledged.size);
    const trading = traders.flatMap((trader) => Array.from({ length: IN_FLIGHT }, () => trader.trade(price)));
    await eventually(() =>
      traders.forEach((trader, index) => {
        expect(trader.acknowledged.size).toBeGreaterThan(acknowledged[index]! + IN_FLIGHT);
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 13 * round));
    expect(await venue.end('SIGKILL')).toBe('SIGKILL');
    await Promise.all(trading);
    venue = await new VenueProcess(directory, '--no-house').runs();
    for (const trader of traders) {
      trader.url = venue.demo().url;
      await checkOrders(trader, `round ${round}`);
    }
  }
  expect(traders.every(({ acknowledged }) => acknowledged.size > rounds * IN_FLIGHT)).toBe(true);
  expect(await venue.end('SIGINT')).toBe(0);
}

async function markPrice(url: string): Promise<number> {
  for (;;) {
    const stats = (await (await fetch(`${url}/v1/markets/BTC-USD-PERP/stats`)).json()) as MarketStats;
    if (stats.markPrice !== null) return Number(stats.markPrice);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function checkOrders(trader: Trader, round: string): Promise<void> {
  for (const [clientOrderId, body] of [...trader.unanswered]) await trader.place(clientOrderId, body);
  expect([...trader.unanswered.keys()], round).toEqual([]);
  const listed = Map.groupBy(await trader.orders(), ({ clientOrderId }) => clientOrderId);
  const filled = new Map<string, number>();
  for (const { orderId, quantity } of await trader.fills()) filled.set(orderId, (filled.get(orderId) ?? 0) + Number(quantity));
  expect([...listed.keys()].sort(), round).toEqual([...trader.acknowledged.keys()].sort());
  for (const [clientOrderId, acknowledged] of trader.acknowledged) {
    const found = listed.get(clientOrderId) ?? [];
    expect(
      found.map(({ orderId }) => orderId),
      `${round}: ${clientOrderId}`,
    ).toEqual([acknowledged.orderId]);
    const [order] = found;
    expect(Number(order?.filledQuantity), `${round}: ${clientOrderId}`).toBeGreaterThanOrEqual(
      Number(acknowledged.filledQuantity),
    );
    expect(filled.get(acknowledged.orderId) ?? 0, `${round}: fills of ${clientOrderId}`).toBeCloseTo(
      Number(order?.filledQuantity),
      9,
    );
  }
}
