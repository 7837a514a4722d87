/**
 * Reads the responses of a venue for all accounts and markets: live state, and history. Two venues at the same record must
 * respond the same.
 */

import type { RunningVenue } from '#app/compose.ts';
import { cursorScope } from '#reads/paging.ts';
import { parseRendered, type RenderedReads, type ResourceReads } from '#reads/resource-reads.ts';
import { systemTime } from '#time/system-time.ts';
import { sleep } from '#time/timers.ts';
import { parseAccountId } from '#units/ids.ts';
import { WriterBusy } from '#writer/port/submit.ts';

export interface RecordedReads {
  readonly changing: Readonly<Record<string, string>>;
  readonly history: Readonly<Record<string, string>>;
}

const PAGE = { direction: 'newest_first', limit: 200 } as const;
const SCOPE = cursorScope('listOrders', {});
const ACCOUNTS = { limit: 100 };
const SERIES = ['trade', 'index', 'mark'] as const;
const RETRY_MS = 5;

export async function responsesOf(
  { reads, directory }: Pick<RunningVenue, 'reads' | 'directory'>,
  marketIds: readonly string[],
): Promise<RecordedReads> {
  const [changing, history] = [new ReadRecorder(reads), new ReadRecorder(reads)];
  const { accounts } = JSON.parse(await changing.take('accountList', ACCOUNTS)) as { accounts: { accountId: string }[] };
  for (const { accountId } of accounts) {
    const account = parseAccountId(accountId)!;
    for (const name of ['accountSnapshot', 'positions', 'openOrderNames', 'accountDetails', 'apiKeysOf', 'party'] as const)
      await changing.take(name, account);
    await changing.take('orderList', SCOPE, { account, status: 'open', ...PAGE });
    await history.take('orderList', SCOPE, { account, ...PAGE });
    await history.take('fillList', SCOPE, { account, ...PAGE });
    await history.take('positionHistory', SCOPE, { account, ...PAGE });
    await history.take('fundingPaymentList', SCOPE, { account, ...PAGE });
    await history.take('ledgerEntryList', SCOPE, { account, ...PAGE });
    await history.take('transferHistory', { account, limit: PAGE.limit });
  }
  for (const marketId of marketIds) {
    const market = directory.listedMarket(marketId)!.market;
    await changing.take('market', market);
    await changing.take('marketStats', market);
    await changing.take('book', market, 1_000);
    await history.take('tradeList', SCOPE, marketId, { market, ...PAGE });
    await history.take('fundingRateList', SCOPE, marketId, { market, ...PAGE });
    for (const series of SERIES) await history.take('candles', { market, series, timeframe: '1m', limit: PAGE.limit });
  }
  await changing.take('ledgers');
  await changing.take('conservation');
  return { changing: changing.responses, history: history.responses };
}

/** The differences between the responses, in a few lines. */
export function responseDifferences(
  expected: Readonly<Record<string, string>>,
  found: Readonly<Record<string, string>>,
): readonly string[] {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(found)])];
  return names
    .filter((name) => expected[name] !== found[name])
    .map((name) => `${name}: ${found[name] ?? 'nothing'}, not ${expected[name] ?? 'nothing'}`.slice(0, 600));
}

class ReadRecorder {
  readonly responses: Record<string, string> = {};
  readonly #reads: RenderedReads;

  constructor(reads: RenderedReads) {
    this.#reads = reads;
  }

  async take<Name extends keyof ResourceReads>(name: Name, ...args: Parameters<ResourceReads[Name]>): Promise<string> {
    const read = this.#reads[name] as (...args: readonly unknown[]) => Promise<never>;
    const body = parseRendered<object>(await whenNotBusy(() => read(...args)));
    const response = JSON.stringify({ ...body, freshness: undefined });
    this.responses[`${name} ${JSON.stringify(args)}`] = response;
    return response;
  }
}

/** Waits while reads are refused because the projection is rebuilt, however long that takes on a busy machine. */
async function whenNotBusy<Value>(read: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof WriterBusy)) throw error;
    }
    await sleep(systemTime.timers, RETRY_MS);
  }
}
