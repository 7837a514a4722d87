/** The state of each market, for the operator. */

import type { VenueFigures } from '#operator/action.ts';
import type { Directory } from '#reads/reads.ts';
import { parseRendered, type RenderedReads } from '#reads/resource-reads.ts';

export type MarketsReported = VenueFigures['markets'];

export async function marketsReported(directory: Directory, reads: RenderedReads): Promise<MarketsReported> {
  const { markets } = parseRendered(await reads.marketCatalogue());
  const reports = markets.map(async ({ marketId, status }) => {
    const stats = parseRendered(await reads.marketStats(directory.listedMarket(marketId)!.market));
    const { indexStatus, indexPrice, markPrice, openInterest } = stats;
    return { marketId, status, indexStatus, indexPrice, markPrice, openInterest };
  });
  return Promise.all(reports);
}
