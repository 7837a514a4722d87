/**
 * Digests of the durable rows behind a response: `sha256:` and the SHA-256, in hex, of the UTF-8 bytes of a JSON array without spaces. The
 * array has the kind, then each row as an object with sorted keys. Live values (mark, unrealized PnL, margin health) are in no row, so the
 * digest does not depend on them.
 */
import { createHash } from 'node:crypto';
import type { MarketOrdinal } from '#units/ids.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { AccountRow } from './account-rows.ts';
import type { EpisodeRow, MarketActivityRow, Moment } from './rows.ts';

/** Covers the account's open episodes, by position. */
export function positionsDigest(episodes: readonly EpisodeRow[]): string {
  return digestOf(['positions', ...episodes]);
}

/** Covers the account's row and its open episodes, by position. */
export function accountDigest(account: AccountRow, episodes: readonly EpisodeRow[]): string {
  return digestOf(['account', account, ...episodes]);
}

/** Covers the inputs of an account's margin: the same rows, and mark and index of its markets. */
export function riskStateDigest(
  account: AccountRow,
  episodes: readonly EpisodeRow[],
  activity: (market: MarketOrdinal) => MarketActivityRow,
): string {
  const marks = episodes.map(({ market }) => {
    const { markPriceAtoms, indexPriceAtoms, indexStatus } = activity(market);
    return { market, markPriceAtoms, indexPriceAtoms, indexStatus };
  });
  return digestOf(['risk', account, ...episodes, ...marks]);
}

/** The digest of the market registry: a chain over all listings, updates and status changes, each with its sequence. */
export function nextRegistryDigest(before: string, event: VenueEvent, at: Moment): string {
  switch (event.type) {
    case 'MarketListed':
    case 'MarketStatusChanged':
    case 'MarketUpdated':
      return digestOf(['registry', before, at.sequence, event]);
    default:
      return before;
  }
}

/** The registry without any market. */
export const EMPTY_REGISTRY_DIGEST = digestOf(['registry']);

function digestOf(content: readonly unknown[]): string {
  return `sha256:${createHash('sha256').update(JSON.stringify(content, withSortedKeys)).digest('hex')}`;
}

/** Sorts the keys, because their order depends on whether the core, a row or the journal created the object. */
function withSortedKeys(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}
