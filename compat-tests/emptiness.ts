/** Detects empty results, which prove nothing: every test of a list passes on an empty one. */

/** Why the result of a method is no evidence, or `undefined` if it has content. */
export function emptiness(method: string, result: unknown): string | undefined {
  if (result === undefined || result === null) return `${method} returned nothing`;
  if (Array.isArray(result)) return result.length === 0 ? `${method} returned an empty list` : undefined;
  if (typeof result !== 'object') return undefined;
  const fields = result as Record<string, unknown>;
  if (method.endsWith('OrderBook')) return sideless(fields) ? `${method} returned a book without both sides` : undefined;
  if (method === 'fetchBalance') return penniless(fields) ? `${method} returned no money` : undefined;
  return Object.keys(fields).length === 0 ? `${method} returned an empty dictionary` : undefined;
}

function sideless({ bids, asks }: Record<string, unknown>): boolean {
  return !(Array.isArray(bids) && bids.length > 0 && Array.isArray(asks) && asks.length > 0);
}

function penniless({ total }: Record<string, unknown>): boolean {
  return !Object.values(total ?? {}).some((amount) => Number(amount) > 0);
}
