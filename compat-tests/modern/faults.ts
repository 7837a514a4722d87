/**
 * Faults of ccxt's own tests: they require data that no class can return, or call removed functions. A shim works around the fault
 * during that test; other tests are skipped by name. The report lists both if the test exists.
 */
import { type Exchange, Precise } from 'ccxt';

export interface Shim {
  readonly reason: string;
  /** Methods that replace those of the exchange. */
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
      reason: "the test requests the symbol 'symbol', the word itself",
      methods: (exchange, symbol) => ({ fetchLeverageTiers: () => exchange.fetchLeverageTiers([symbol]) }),
    },
  ],
};

/** Why a test does not run at all, given the exchange. */
export function skipReason(method: string, exchange: Exchange): string | undefined {
  if (method === 'fetchCurrencies' && Object.keys(exchange.currencies ?? {}).length <= 5)
    return 'the test needs more than five currencies, and the venue has fewer';
  return undefined;
}

function roundedUp(exchange: Exchange, amount: string, step: number): string {
  const down = exchange.decimalToPrecision(amount, 0, step, exchange.precisionMode);
  return Precise.stringEq(down, amount) ? down : (Precise.stringAdd(down, String(step)) as string);
}
