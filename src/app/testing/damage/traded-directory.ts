/**
 * Data directories with everything that a venue leaves behind: several accounts, open orders, positions, trades, funding,
 * withdrawals. One was left by a kill and one by a later stop; each file has an older copy.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { prepareQuickFunding } from '#app/testing/quick-funding.ts';
import { callerWith } from '#app/testing/test-venue.ts';
import { VenueProcess } from '#app/testing/venue-process.ts';
import { DEVNET_MARKETS } from '#devnet/markets.ts';
import { openLedger, PROJECTION_FILE } from '#host/ledger.ts';
import type { CreatedAccount } from '#operator/action.ts';
import { callOperator } from '#operator/client.ts';
import { systemTime } from '#time/system-time.ts';
import { eventually } from '#time/testing/eventually.ts';
import { renderDecimal } from '#units/decimal.ts';
import { parseAccountId } from '#units/ids.ts';
import { quoteAtoms } from '#units/money.ts';
import { FileTree } from './file-tree.ts';

/** How the venue ended that left the directory. */
export type EndOfVenue = 'killed' | 'stopped';

export interface TradedDirectories {
  /** The directory that it was read from. */
  readonly root: string;
  readonly left: Readonly<Record<EndOfVenue, FileTree>>;
  /** The files after a stop before both. */
  readonly older: FileTree;
  /** The venue's `--prices` option. */
  readonly prices: string;
  /** The time of the next start. */
  readonly startsAtEpochMs: number;
  readonly demo: { readonly accountId: string; readonly apiKey: string };
  /** The sequence of an update of the demo account that a start can replay. */
  readonly replayFrom: number;
}

interface Facts extends Pick<TradedDirectories, 'prices' | 'startsAtEpochMs' | 'demo' | 'replayFrom'> {}

/** So fast that a start shows whether the place of the replay was lost. */
export const PRICE_SPEED = 600;
const CANDLE_COUNT = 2_880;
const CANDLES_START_EPOCH_MS = 1_700_000_040_000;
const ORDER_LOTS = 1_000;
const TRADERS = 3;

/** Reads the output of {@link createTradedDirectories}. `stopped` is what a start and a stop make of `killed`. */
export function readTradedDirectories(root: string): Omit<TradedDirectories, 'left'> & { readonly killed: FileTree } {
  const facts = JSON.parse(readFileSync(join(root, 'facts.json'), 'utf8')) as Facts;
  return { root, ...facts, killed: FileTree.read(join(root, 'killed')), older: FileTree.read(join(root, 'older')) };
}

/** Runs a venue as users do, with its market makers; resolves with the directory of its files. */
export async function createTradedDirectories(): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), 'openperp-damage-'));
  const data = join(root, 'data');
  mkdirSync(data);
  await prepareQuickFunding(data);
  const prices = candleFiles(root);
  const options = ['--prices', prices, '--speed', String(PRICE_SPEED), '--metrics-port', 'off'];
  const first = await new VenueProcess(data, ...options).runs();
  const traders = await accountsOf(data, first);
  for (const trader of traders) await trader.trade(first.demo().url);
  expect(await first.end('SIGTERM')).toBe(0);
  cpSync(data, join(root, 'older'), { recursive: true });
  await moveMoney(data, traders);
  const second = await new VenueProcess(data, ...options).runs();
  const replayFrom = (await traders[0]!.trade(second.demo().url)).firstSequence;
  for (const trader of traders) await trader.trade(second.demo().url);
  await projectionHas(data, (await traders[0]!.trade(second.demo().url)).firstSequence);
  expect(await second.end('SIGKILL')).toBe('SIGKILL');
  const startsAtEpochMs = systemTime.clock.now() + 1_000;
  const { accountId, apiKey } = second.demo();
  rmSync(join(data, 'operator.sock'));
  cpSync(data, join(root, 'killed'), { recursive: true });
  rmSync(data, { recursive: true });
  const facts: Facts = { prices, startsAtEpochMs, demo: { accountId, apiKey }, replayFrom };
  writeFileSync(join(root, 'facts.json'), JSON.stringify(facts));
  return root;
}

/** A day or two of minutes at one price, for each market. */
function candleFiles(root: string): string {
  const parts = DEVNET_MARKETS.map(({ basePrice: price, specification: { marketId } }) => {
    const rows = Array.from({ length: CANDLE_COUNT }, (_, minute) =>
      [CANDLES_START_EPOCH_MS + minute * 60_000, price, price, price, price, 1].join(','),
    );
    const path = join(root, `${marketId}.csv`);
    writeFileSync(path, rows.join('\n'));
    return `${marketId}=${path}`;
  });
  return `file:${parts.join(',')}`;
}

async function accountsOf(data: string, venue: VenueProcess): Promise<readonly Trader[]> {
  const created: Pick<CreatedAccount, 'accountId' | 'apiKey'>[] = [venue.demo()];
  for (let number = 1; number <= TRADERS; number += 1) {
    const request = { action: 'account.create', label: `trader ${number}`, credit: '50000' } as const;
    created.push((await callOperator(data, request)) as CreatedAccount);
  }
  return created.map((account) => new Trader(account));
}

class Trader {
  readonly accountId: string;
  readonly #call;
  #orders = 0;
  #url = '';

  constructor({ accountId, apiKey }: Pick<CreatedAccount, 'accountId' | 'apiKey'>) {
    this.accountId = accountId;
    this.#call = callerWith(apiKey);
  }

  /** Places resting orders, a cancelled order, a position in each market and a closed one. Resolves with the first record. */
  async trade(url: string): Promise<{ readonly firstSequence: number }> {
    this.#url = url;
    const isEven = Number(this.accountId.slice('acct-'.length)) % 2 === 0;
    const [open, close] = isEven ? (['buy', 'sell'] as const) : (['sell', 'buy'] as const);
    const { lastSequence: firstSequence } = await this.#order('BTC-USD-PERP', 'buy', 0.95);
    for (const { marketId } of DEVNET_MARKETS.map(({ specification }) => specification)) {
      await eventually(async () => expect((await this.#order(marketId, open)).status).toBe('filled'), { intervalMs: 20 });
      await this.#order(marketId, 'buy', 0.96);
      await this.#order(marketId, 'sell', 1.04);
    }
    await eventually(async () => expect((await this.#order('ETH-USD-PERP', close)).status).toBe('filled'), { intervalMs: 20 });
    const { orderId } = await this.#order('BTC-USD-PERP', 'buy', 0.97);
    const cancelled = await this.#call({ url }, `/v1/orders/${orderId}/cancel`, { method: 'POST' });
    expect(cancelled.body).toMatchObject({ status: 'cancelled' });
    return { firstSequence };
  }

  async #order(marketId: string, side: 'buy' | 'sell', share?: number) {
    this.#orders += 1;
    const clientOrderId = `${this.accountId}-${this.#orders}-${this.#url.slice(-5)}`;
    const { accountId } = this;
    const { basePrice, specification } = DEVNET_MARKETS.find((market) => market.specification.marketId === marketId)!;
    const price = share === undefined ? {} : { price: (basePrice * share).toFixed(specification.priceScale) };
    const quantity = renderDecimal(ORDER_LOTS, specification.quantityScale);
    const orderType = share === undefined ? 'market' : 'limit';
    const order = { accountId, clientOrderId, marketId, side, orderType, quantity, leverageX: 5, ...price };
    const init = { method: 'POST', headers: { 'idempotency-key': clientOrderId }, body: JSON.stringify(order) };
    const { status, body } = await this.#call({ url: this.#url }, '/v1/orders', init);
    expect(status, JSON.stringify(body)).toBe(202);
    return body;
  }
}

/** Operations without an API: withdrawals, a transfer between accounts. */
async function moveMoney(dataDirectory: string, traders: readonly Trader[]): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const onHalt = (halt: unknown) => expect.fail(JSON.stringify(halt));
  const { submit } = await openLedger({ ...systemTime, dataDirectory, onHalt, log: () => {} }, resources);
  const [from, to] = traders.map(({ accountId }) => parseAccountId(accountId)!);
  const amountAtoms = quoteAtoms(5_000_000);
  await submit({ command: { type: 'ReserveWithdrawal', account: from!, amountAtoms, destination: 'elsewhere' } });
  await submit({ command: { type: 'TransferCash', account: from!, to: to!, amountAtoms, reference: 'moved' } });
}

async function projectionHas(data: string, sequence: number): Promise<void> {
  const database = new DatabaseSync(join(data, PROJECTION_FILE), { readOnly: true, timeout: 5_000 });
  const checkpoint = database.prepare('SELECT sequence FROM checkpoint');
  await eventually(() => expect(Number(checkpoint.get()?.sequence)).toBeGreaterThan(sequence));
  database.close();
}
