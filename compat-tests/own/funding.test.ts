/** Payments of one market are not confused with those of another, whichever settles during the check. */
import ccxt, { type Exchange, type FundingHistory } from 'ccxt';
import { expect, test } from 'vitest';
import { runOwn } from '#compat/own-check.ts';
import type { Stage } from '#compat/stage.ts';
import { FUNDING_CHECKS } from './funding.ts';

const FUNDED = 'SOL/USD.E:USD.E';
const OTHER = 'BTC/USD.E:USD.E';
const MARKETS = [
  { symbol: FUNDED, id: 'SOL-USD-PERP', positionId: '2', info: { fundingPeriodMs: 1_000 } },
  { symbol: OTHER, id: 'BTC-USD-PERP', positionId: '1', info: { fundingPeriodMs: 1_000 } },
];
const ofSymbol = (symbol: string) => MARKETS.find((it) => it.symbol === symbol)!;

/** The account trades, and holds a position in each market. */
const ACCOUNT = {
  market: () => ({ fundingPeriodMs: 1_000 }),
  bestPrices: async () => ({ bid: 99, ask: 101 }),
  quantity: () => 1,
  place: async () => undefined,
  closePosition: async () => undefined,
  positions: async () => MARKETS.map(({ positionId }) => ({ positionId, side: 'long' })),
  read: async () => ({ positions: [] }),
};

/** An account with a position in each market; at each request both have settled once more. */
class Settling {
  readonly #base = new ccxt.Exchange();
  readonly #paid: FundingHistory[] = [];
  #now = Date.now() - 60_000;
  protected readonly settles: typeof MARKETS = MARKETS;
  readonly markets = Object.fromEntries(MARKETS.map((it) => [it.symbol, it]));

  #settle(): void {
    for (const { symbol, id: marketId, positionId } of this.settles) {
      this.#now += 1;
      const timestamp = this.#now;
      const id = `${positionId}-${this.#paid.length}`;
      const info = { marketId, positionId };
      const datetime = this.iso8601(timestamp);
      this.#paid.push({ info, id, symbol, timestamp, datetime, code: 'USD.E', amount: -1, rate: 0.001 } as FundingHistory);
    }
  }

  iso8601(timestamp: number): string {
    return this.#base.iso8601(timestamp)!;
  }
  market = ofSymbol;

  async fetchFundingHistory(symbol?: string, since = 0, limit = 500): Promise<FundingHistory[]> {
    this.#settle();
    return this.paidIn(symbol)
      .filter(({ timestamp }) => timestamp! >= since)
      .slice(0, limit);
  }

  protected paidIn(symbol: string | undefined): FundingHistory[] {
    return this.#paid.filter((it) => symbol === undefined || it.symbol === symbol);
  }

  protected get all(): readonly FundingHistory[] {
    return this.#paid;
  }
}

/** Mislabels payments of every market as those of the requested one. */
class Mislabelling extends Settling {
  protected override paidIn(symbol: string | undefined): FundingHistory[] {
    return this.all.map((it) => ({ ...it, symbol: symbol ?? it.symbol }));
  }
}

/** The same, if the other market never paid. */
class MislabellingOne extends Mislabelling {
  protected override readonly settles = MARKETS.slice(0, 1);
}

/** Ignores the requested symbol. */
class WithoutFilter extends Settling {
  protected override paidIn(): FundingHistory[] {
    return [...this.all];
  }
}

test.each([
  ['a correct account', Settling, []],
  [
    'one that labels all payments with the requested market',
    Mislabelling,
    [expect.stringContaining('of the market BTC-USD-PERP among those of SOL/USD.E:USD.E')],
  ],
  [
    'one that labels its only payments with another market',
    MislabellingOne,
    [expect.stringContaining('of the market SOL-USD-PERP among those of BTC/USD.E:USD.E')],
  ],
  [
    'one that ignores the requested market',
    WithoutFilter,
    [expect.stringContaining('of the market BTC-USD-PERP among those of SOL/USD.E:USD.E')],
  ],
])('%s', async (_, Account, problems) => {
  const [check] = FUNDING_CHECKS.filter(({ method }) => method === 'fetchFundingHistory');
  const exchange = new Account() as unknown as Exchange;
  const market = ofSymbol(OTHER);
  const stage = {
    exchange,
    account: ACCOUNT,
    symbol: OTHER,
    funded: FUNDED,
    market,
    settle: 'USD.E',
    aheadMs: 0,
  } as unknown as Stage;
  expect(await runOwn(check!, stage)).toEqual(problems);
});
