/** Records the calls of one method, to judge tests that swallow errors or accept empty results. */
import type { Exchange } from 'ccxt';
import { emptiness } from './emptiness.ts';

type Call = { readonly result: unknown } | { readonly error: unknown };
type AnyMethod = (...args: never[]) => unknown;

export interface WatchedExchange {
  readonly exchange: Exchange;
  /** How many calls have returned or thrown. */
  responded(): number;
  /** The problems of the recorded results; fewer than `least` results prove too little. */
  problems(least?: number): readonly string[];
}

/** `shims` replace methods of the exchange for the holder of the watched one. */
export function watched(target: Exchange, method: string, shims: Readonly<Record<string, AnyMethod>> = {}): WatchedExchange {
  const calls: Call[] = [];
  const exchange = new Proxy(target, {
    get(it, key, receiver) {
      const value = typeof key === 'string' && Object.hasOwn(shims, key) ? shims[key] : Reflect.get(it, key, receiver);
      if (key !== method || typeof value !== 'function') return value;
      return async (...args: readonly unknown[]) => {
        try {
          const result = await Reflect.apply(value, it, args);
          calls.push({ result });
          return result;
        } catch (error) {
          calls.push({ error });
          throw error;
        }
      };
    },
  });
  return { exchange, responded: () => calls.length, problems: (least = 1) => problemsOf(method, calls, least) };
}

function problemsOf(method: string, calls: readonly Call[], least: number): readonly string[] {
  if (calls.length === 0) return [`the test never called ${method}`];
  if (calls.length < least) return [`the test had ${calls.length} results of ${method}, but needs at least ${least}`];
  return calls.flatMap((call) => ('error' in call ? [describe(call.error)] : (emptiness(method, call.result) ?? [])));
}

export function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message.replace(/\s+/g, ' ').slice(0, 400)}` : String(error);
}

/** An error in one line; for a refusal, its message. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, code, safeMessage] = /"code":"(\w+)","safeMessage":("(?:[^"\\]|\\.)*")/.exec(message) ?? [];
  if (safeMessage === undefined) return message.replace(/\s+/g, ' ').slice(0, 1_000);
  return `the venue says ${code}: ${JSON.parse(safeMessage)}`;
}
