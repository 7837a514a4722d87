/**
 * What a client of the unified library may well ask for and /v2 cannot represent. It is looked for in requests as they came, before their
 * form is judged: such a request is told NotSupported whatever else is wrong with it, and nothing of it is done.
 */
import { TIMEFRAMES } from './markets.ts';

export const ORDER_TYPES = ['limit', 'market'] as const;
export const BATCH_ORDER_TYPES = ['limit'] as const;
export const ENTRY_FIELDS = ['symbol', 'type', 'side', 'amount', 'price', 'params'] as const;
export const KNOWN_PARAMS = ['clientOrderId', 'postOnly', 'reduceOnly', 'leverage'] as const;
export const CANDLE_PRICES = ['index'] as const;

const TIME_IN_FORCE = 'timeInForce';

/** Of an order: why not, or `undefined`. */
export function unsupportedInOrder(entry: unknown, types: readonly string[] = ORDER_TYPES): string | undefined {
  if (!isObject(entry)) return undefined;
  const { type, params = {} } = entry;
  const paramNames = isObject(params) ? Object.keys(params) : [];
  if (Object.hasOwn(entry, TIME_IN_FORCE) || paramNames.includes(TIME_IN_FORCE)) {
    return nothingPlaced(
      `${TIME_IN_FORCE} cannot be chosen: a limit order rests until it is cancelled, a market order takes what there is.`,
    );
  }
  const unknown = beyond(ENTRY_FIELDS, Object.keys(entry));
  if (unknown.length > 0)
    return nothingPlaced(`The order has ${quoted(unknown)}: this surface knows ${ENTRY_FIELDS.join(', ')}.`);
  const unknownParams = beyond(KNOWN_PARAMS, paramNames);
  if (unknownParams.length > 0)
    return nothingPlaced(`params has ${quoted(unknownParams)}: this surface knows ${KNOWN_PARAMS.join(', ')}.`);
  if (typeof type !== 'string' || types.includes(type)) return undefined;
  return nothingPlaced(`The type is ${quoted([type])}: here it is ${types.join(' or ')}.`);
}

/** Of any of several orders, of which at most so many are looked at. */
export function unsupportedInOrders(entries: unknown, most: number): string | undefined {
  if (!Array.isArray(entries)) return undefined;
  for (const entry of entries.slice(0, most)) {
    const why = unsupportedInOrder(entry, BATCH_ORDER_TYPES);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** Of a query for candles. */
export function unsupportedInCandles(query: unknown): string | undefined {
  const { timeframe, price } = isObject(query) ? query : {};
  if (typeof timeframe === 'string' && !(TIMEFRAMES as readonly string[]).includes(timeframe)) {
    return `There are no candles of ${quoted([timeframe])}: timeframe is one of ${TIMEFRAMES.join(', ')}.`;
  }
  if (typeof price === 'string' && !(CANDLE_PRICES as readonly string[]).includes(price)) {
    return `There are no candles of the price ${quoted([price])}: it is ${CANDLE_PRICES.join(' or ')}, or left out for trades.`;
  }
  return undefined;
}

function beyond(known: readonly string[], names: readonly string[]): readonly string[] {
  return names.filter((name) => !known.includes(name));
}

function nothingPlaced(fact: string): string {
  return `${fact} Nothing was placed.`;
}

/** At most five, each shortened: they are the client's text. */
function quoted(texts: readonly string[]): string {
  return texts
    .slice(0, 5)
    .map((text) => JSON.stringify(text.slice(0, 64)))
    .join(', ');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
