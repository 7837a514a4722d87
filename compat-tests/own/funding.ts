/** Our checks of funding: estimates, settled rates, and payments of the account. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FundingHistory, FundingRateHistory } from 'ccxt';
import { FUNDING_TIMEOUT_MS, fundingPeriodOf } from '#compat/lacks.ts';
import type { OwnCheck } from '#compat/own-check.ts';
import type { Stage } from '#compat/stage.ts';
import { assertAscending, assertDistinct, assertTime, fieldsOf, numberOf, positive } from '#compat/structures.ts';
import type { Row } from '#compat/venue-account.ts';

/** The maximum of one request. */
const POSITIONS_READ = 500;

const RATE_KEYS = ['estimatedSettlePrice', 'fundingRate', 'nextFundingRate', 'previousFundingRate', 'interval'];

export const FUNDING_CHECKS: readonly OwnCheck[] = [
  {
    method: 'fetchFundingRate',
    description: 'the estimated rate of the current period, and its end',
    run: async (stage) => assertRate(await stage.exchange.fetchFundingRate(stage.symbol), stage, stage.symbol),
  },
  {
    method: 'fetchFundingRates',
    description: 'all symbols, or the requested ones',
    run: (stage) => assertRates('fetchFundingRates', stage),
  },
  {
    method: 'fetchFundingInterval',
    description: 'how often funding is paid',
    run: async (stage) => {
      const { interval } = await stage.exchange.fetchFundingInterval(stage.funded);
      assert.equal(stage.exchange.parseTimeframe(interval as string) * 1_000, periodOf(stage));
    },
  },
  {
    method: 'fetchFundingIntervals',
    description: 'of all symbols, or of the requested ones',
    run: (stage) => assertRates('fetchFundingIntervals', stage),
  },
  {
    method: 'fetchFundingRateHistory',
    description: 'settled rates in order, a period apart; not before since, not more than the limit; not without a symbol',
    run: async (stage) => {
      const { exchange, funded } = stage;
      const rates: readonly FundingRateHistory[] = await exchange.fetchFundingRateHistory(funded);
      assert(rates.length > 0, 'no rate was settled');
      for (const rate of rates) {
        const fields = fieldsOf(rate);
        assert.equal(fields.symbol, funded);
        assertTime(fields, stage);
        assert(Math.abs(numberOf(fields, 'fundingRate')) < 0.01, `a rate of ${String(fields.fundingRate)}: not a share`);
      }
      assertAscending(rates);
      assertDistinct(rates, 'timestamp');
      const last = rates.at(-1)?.timestamp as number;
      const since: readonly FundingRateHistory[] = await exchange.fetchFundingRateHistory(funded, last);
      assert(since.length > 0 && since.every(({ timestamp }) => (timestamp as number) >= last), 'a rate before since');
      assert.equal((await exchange.fetchFundingRateHistory(funded, undefined, 1)).length, 1);
      await assert.rejects(exchange.fetchFundingRateHistory(), { name: 'ArgumentsRequired' });
    },
  },
  {
    method: 'fetchFundingHistory',
    description: 'a long position paid a positive rate and received a negative one, a short one the other way round',
    run: async (stage) => {
      const { account, exchange, funded } = stage;
      if (periodOf(stage) > FUNDING_TIMEOUT_MS) return await assertPayments(await exchange.fetchFundingHistory(), stage);
      const { ask } = await account.bestPrices(funded);
      await account.place({ symbol: funded, side: 'buy', quantity: account.quantity(funded, 200 / ask) });
      const payments = await untilPaid(stage).finally(() => account.closePosition(funded));
      await assertPayments(payments, stage);
      // The account may have older payments there, and any market may settle meanwhile.
      assertOfMarket(payments, funded, stage);
      assertOfMarket(await exchange.fetchFundingHistory(stage.symbol), stage.symbol, stage);
      const last = payments.at(-1)?.timestamp as number;
      assert((await exchange.fetchFundingHistory(funded, last, 1)).every(({ timestamp }) => timestamp === last));
    },
  },
];

/** The market with the most frequent settlement. */
function periodOf({ account, funded }: Stage): number {
  return fundingPeriodOf(account, funded);
}

async function untilPaid({ exchange, funded }: Stage) {
  const deadline = performance.now() + 2 * FUNDING_TIMEOUT_MS;
  for (;;) {
    const payments = await exchange.fetchFundingHistory(funded);
    if (payments.length > 0) return payments;
    assert(performance.now() < deadline, 'nothing was paid');
    await sleep(200);
  }
}

async function assertRates(method: 'fetchFundingRates' | 'fetchFundingIntervals', stage: Stage): Promise<void> {
  const { exchange, symbol } = stage;
  const all = await exchange[method]();
  assert.deepEqual(Object.keys(all).sort(), [...exchange.symbols].sort());
  for (const [key, rate] of Object.entries(all)) assertRate(rate, stage, key);
  assert.deepEqual(Object.keys(await exchange[method]([symbol])), [symbol]);
}

function assertRate(rate: unknown, stage: Stage, symbol: string): void {
  const fields = fieldsOf(rate, ...RATE_KEYS);
  assert.equal(fields.symbol, symbol);
  assertTime(fields, stage);
  positive(fields, 'markPrice', 'indexPrice', 'fundingTimestamp');
  assert(numberOf(fields, 'fundingTimestamp') >= numberOf(fields, 'timestamp') - 2_000, 'the current period is over');
  assert.equal(fields.fundingDatetime, stage.exchange.iso8601(numberOf(fields, 'fundingTimestamp')));
  assert(Math.abs(numberOf(fields, 'fundingRate')) < 0.01, `a rate of ${String(fields.fundingRate)}: not a share`);
  assert.match(String(fields.interval), /^[1-9][0-9]*[hms]$/);
}

async function assertPayments(payments: readonly FundingHistory[], stage: Stage): Promise<void> {
  assert(payments.length > 0, 'nothing was paid');
  const sides = await sidesOf(stage);
  assertAscending(payments);
  assertDistinct(payments);
  for (const payment of payments) {
    const fields = fieldsOf(payment);
    assertTime(fields, stage);
    assert.equal(fields.code, stage.settle);
    const [amount, rate] = [numberOf(fields, 'amount'), numberOf(fields, 'rate')];
    const { positionId } = fields.info as { readonly positionId: string };
    const side = sides.get(positionId);
    // A position closed long ago is not among the newest ones.
    if (side === undefined && sides.size >= POSITIONS_READ) continue;
    assert(side !== undefined, `position ${positionId} has payments, but does not exist`);
    const paid = side === 'long' ? -Math.sign(rate) : Math.sign(rate);
    assert(rate === 0 || amount === 0 || Math.sign(amount) === paid, `a ${side} position got ${amount} at a rate of ${rate}`);
  }
}

/** By the venue's raw response for each. */
function assertOfMarket(payments: readonly FundingHistory[], symbol: string, { exchange }: Stage): void {
  const { id } = exchange.market(symbol);
  for (const payment of payments) {
    const { marketId } = payment.info as { readonly marketId: string };
    assert(payment.symbol === symbol && marketId === id, `a payment of the market ${marketId} among those of ${symbol}`);
  }
}

/** The sides of open and recently closed positions, by the venue's id. */
async function sidesOf({ account }: Stage): Promise<ReadonlyMap<string, unknown>> {
  const history = await account.read('/positions/history', { limit: POSITIONS_READ });
  const positions = [...(await account.positions()), ...(history.positions as readonly Row[])];
  return new Map(positions.map(({ positionId, side }) => [positionId as string, side]));
}
