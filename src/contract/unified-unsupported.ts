/**
 * Features that clients of the unified library may use and /v2 does not support. Raw requests are checked for them before
 * validation, so such a request is refused with NotSupported, even if other parts of it are invalid.
 */
import { TIMEFRAMES } from './markets.ts';

export const ORDER_TYPES = ['limit', 'market'] as const;
export const BATCH_ORDER_TYPES = ['limit'] as const;
export const ENTRY_FIELDS = ['symbol', 'type', 'side', 'amount', 'price', 'params'] as const;
export const KNOWN_PARAMS = ['clientOrderId', 'postOnly', 'reduceOnly', 'leverage'] as const;
export const CANDLE_PRICES = ['index', 'mark'] as const;

const TIME_IN_FORCE = 'timeInForce';

/** The message for an unsupported order; `undefined` if it is supported. */
export function unsupportedInOrder(entry: unknown, types: readonly string[] = ORDER_TYPES): string | undefined {
  if (!isObject(entry)) return undefined;
  const { type, params = {} } = entry;
  const paramNames = isObject(params) ? Object.keys(params) : [];
  if (Object.hasOwn(entry, TIME_IN_FORCE) || paramNames.includes(TIME_IN_FORCE)) {
    return placesNothingMessage(
      `${TIME_IN_FORCE} is not supported: a limit order rests until it is cancelled, a market order fills what it can at once.`,
    );
  }
  const unknown = beyond(ENTRY_FIELDS, Object.keys(entry));
  if (unknown.length > 0)
    return placesNothingMessage(
      `The order has the unsupported fields ${quoted(unknown)}. Supported: ${ENTRY_FIELDS.join(', ')}.`,
    );
  const unknownParams = beyond(KNOWN_PARAMS, paramNames);
  if (unknownParams.length > 0)
    return placesNothingMessage(
      `params has the unsupported keys ${quoted(unknownParams)}. Supported: ${KNOWN_PARAMS.join(', ')}.`,
    );
  if (typeof type !== 'string' || types.includes(type)) return undefined;
  return placesNothingMessage(`The type ${quoted([type])} is not supported. Supported: ${types.join(', ')}.`);
}

/** The same for several orders, of which at most `most` are checked. */
export function unsupportedInOrders(entries: unknown, max: number): string | undefined {
  if (!Array.isArray(entries)) return undefined;
  for (const entry of entries.slice(0, max)) {
    const why = unsupportedInOrder(entry, BATCH_ORDER_TYPES);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** The same for a query of candles. */
export function unsupportedInCandles(query: unknown): string | undefined {
  const { timeframe, price } = isObject(query) ? query : {};
  if (typeof timeframe === 'string' && !(TIMEFRAMES as readonly string[]).includes(timeframe)) {
    return `There are no candles of ${quoted([timeframe])}: timeframe must be one of ${TIMEFRAMES.join(', ')}.`;
  }
  if (typeof price === 'string' && !(CANDLE_PRICES as readonly string[]).includes(price)) {
    return `There are no candles of the price ${quoted([price])}: price must be ${CANDLE_PRICES.join(' or ')}, or absent for trades.`;
  }
  return undefined;
}

function beyond(known: readonly string[], names: readonly string[]): readonly string[] {
  return names.filter((name) => !known.includes(name));
}

function placesNothingMessage(fact: string): string {
  return `${fact} Nothing was placed.`;
}

/** At most five texts, each shortened, because the client chose them. */
function quoted(texts: readonly string[]): string {
  return texts
    .slice(0, 5)
    .map((text) => JSON.stringify(text.slice(0, 64)))
    .join(', ');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
