/** The state of each market, for the operator. */

import type { VenueFigures } from '#operator/action.ts';
import { type Ask, readBack } from '#reads/answers.ts';
import type { Directory } from '#reads/reads.ts';

export type MarketsReported = VenueFigures['markets'];

export async function marketsReported(directory: Directory, ask: Ask): Promise<MarketsReported> {
  const { markets } = readBack(await ask.marketCatalogue());
  const reported = markets.map(async ({ marketId, status }) => {
    const stats = readBack(await ask.marketStats(directory.listedMarket(marketId)!.market));
    const { indexStatus, indexPrice, markPrice, openInterest } = stats;
    return { marketId, status, indexStatus, indexPrice, markPrice, openInterest };
  });
  return Promise.all(reported);
}
