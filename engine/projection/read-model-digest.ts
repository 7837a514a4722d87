/**
 * Digests that say of which durable rows an answer was made: `sha256:` and the SHA-256, in hex, of the UTF-8 bytes of
 * one JSON array without spaces: what it covers, then each row as an object whose keys are in alphabetical order.
 * Live values (mark, unrealized PnL, margin health) are in no row, so a digest does not move with them.
 */
import { createHash } from 'node:crypto';
import type { MarketOrdinal } from '#units/ids.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { AccountRow, EpisodeRow, MarketActivityRow, Moment } from './rows.ts';

/** Covers the account's open episodes, by position. */
export function positionsDigest(episodes: readonly EpisodeRow[]): string {
  return digestOf(['positions', ...episodes]);
}

/** Covers the account's whole row, with whatever is durable of it, and its open episodes, by position. */
export function accountDigest(account: AccountRow, episodes: readonly EpisodeRow[]): string {
  return digestOf(['account', account, ...episodes]);
}

/** Covers what an account's margin is made of, live values among it: the same rows, and the marks of the markets it is in. */
export function riskStateDigest(
  account: AccountRow,
  episodes: readonly EpisodeRow[],
  activity: (market: MarketOrdinal) => MarketActivityRow,
): string {
  const marks = episodes.map(({ market }) => {
    const { markPriceAtoms, indexStatus } = activity(market);
    return { market, markPriceAtoms, indexStatus };
  });
  return digestOf(['risk', account, ...episodes, ...marks]);
}

/** The checkpoint of the market registry: a chain over each listing and status change, with its place in the journal. */
export function nextRegistryDigest(before: string, event: VenueEvent, at: Moment): string {
  if (event.type !== 'MarketListed' && event.type !== 'MarketStatusChanged') return before;
  return digestOf(['registry', before, at.sequence, event]);
}

/** The registry of a venue that never listed a market. */
export const EMPTY_REGISTRY_DIGEST = digestOf(['registry']);

function digestOf(content: readonly unknown[]): string {
  return `sha256:${createHash('sha256').update(JSON.stringify(content, withSortedKeys)).digest('hex')}`;
}

/** The order of keys depends on who made an object: the core, a row, or a journal that was read again. */
function withSortedKeys(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}
