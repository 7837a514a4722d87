/** Prints the banner of a running venue: URLs, recovery, the demo account, and a bot to paste. */
import { relative } from 'node:path';
import type { RunningVenue } from '#app/compose.ts';
import type { VenueConfig } from '#app/config.ts';
import type { DemoAccount } from '#app/demo-account.ts';
import { parseRendered } from '#reads/resource-reads.ts';

const MARKET_ORDER = [
  "console.log(await exchange.createOrder('BTC/USD.E:USD.E', 'market', 'buy', 0.01, undefined, { leverage: 5 }));",
];
/** Without the built-in market makers a market order would find no resting order. */
const RESTING_ORDER = [
  "const { markPrice } = await exchange.fetchTicker('BTC/USD.E:USD.E');",
  "console.log(await exchange.createOrder('BTC/USD.E:USD.E', 'limit', 'buy', 0.01, markPrice * 0.99, { leverage: 5 }));",
];

export async function renderBanner(venue: RunningVenue, config: VenueConfig, demo: DemoAccount): Promise<string> {
  const fromHere = relative(process.cwd(), demo.file);
  const file = fromHere.startsWith('..') ? demo.file : fromHere;
  const key = demo.newApiKey ?? `in ${file}`;
  const markets = parseRendered(await venue.reads.marketCatalogue()).markets.map(({ marketId }) => marketId);
  return `
OpenPerp is running.

  REST          ${venue.url}
  docs          ${venue.url}/docs
  realtime      ${venue.realtimeUrl}
  metrics       ${venue.metricsUrl ?? 'none (--metrics-port off)'}
  markets       ${markets.join(', ')}
  prices        ${venue.prices}
  market makers ${config.withMarketMakers ? 'trading' : 'none (--no-house)'}
  journal       ${recoveryLine(venue)}

  demo account  ${demo.accountId}
  API key       ${key}${demo.newApiKey === undefined ? '' : `\n                (shown once; saved in ${file})`}

A bot to paste, into bot.mjs beside package.json:

  import OpenPerp from './adapter/dist/openperp.js';
  const exchange = new OpenPerp({ apiKey: process.env.OPENPERP_APIKEY, urls: { api: { rest: '${venue.url}' } } });
  await exchange.loadMarkets();
${(config.withMarketMakers ? MARKET_ORDER : RESTING_ORDER).map((line) => `  ${line}`).join('\n')}

  node --env-file=${file} bot.mjs

OPENPERP_… variables that the shell has already set take precedence over that file: unset them there.
Ctrl-C stops it; the next start continues from there.
`;
}

function recoveryLine({ recovered }: RunningVenue): string {
  const { sequence, snapshotSequence, rerunCount, tornTail, damagedSnapshots } = recovered;
  if (sequence === 0) return 'new';
  const parts = [`recovered to record ${sequence}`];
  parts.push(
    snapshotSequence === 0
      ? `${rerunCount} commands replayed`
      : `snapshot at ${snapshotSequence}, ${rerunCount} commands replayed`,
  );
  if (tornTail !== undefined) {
    const { byteLength, segment, offset } = tornTail;
    parts.push(`cut a torn tail of ${byteLength} bytes (${segment} at ${offset}, never acknowledged)`);
  }
  if (damagedSnapshots.length > 0) parts.push(`skipped damaged snapshots: ${damagedSnapshots.join(', ')}`);
  return parts.join('; ');
}
