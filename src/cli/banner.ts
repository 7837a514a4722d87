/**
 * The banner of a running venue: URLs, recovery, and what to do next. Where there are test funds that is a bot to paste, with the demo
 * account; elsewhere it is the operator's commands.
 */
import { relative } from 'node:path';
import type { RunningVenue } from '#app/compose.ts';
import { DEFAULT_DATA_DIRECTORY, type VenueConfig } from '#app/config.ts';
import type { DemoAccount } from '#app/demo-account.ts';
import { hasTestFunds } from '#app/environment.ts';
import { parseRendered } from '#reads/resource-reads.ts';

const MARKET_ORDER = [
  "console.log(await exchange.createOrder('BTC/USD.E:USD.E', 'market', 'buy', 0.01, undefined, { leverage: 5 }));",
];
/** Without the built-in market makers a market order would find no resting order. */
const RESTING_ORDER = [
  "const { markPrice } = await exchange.fetchTicker('BTC/USD.E:USD.E');",
  "console.log(await exchange.createOrder('BTC/USD.E:USD.E', 'limit', 'buy', 0.01, markPrice * 0.99, { leverage: 5 }));",
];

/** Without a demo account it says how to open the venue and to create accounts. */
export async function renderBanner(venue: RunningVenue, config: VenueConfig, demo: DemoAccount | undefined): Promise<string> {
  const markets = parseRendered(await venue.reads.marketCatalogue()).markets.map(({ marketId }) => marketId);
  return `
OpenPerp is running.

  environment   ${config.environment}
  REST          ${venue.url}
  docs          ${venue.url}/docs
  owners        ${venue.url}/app
  realtime      ${venue.realtimeUrl}
  metrics       ${venue.metricsUrl ?? 'none (--metrics-port off)'}
  markets       ${markets.join(', ')}
  prices        ${venue.prices}
  market makers ${marketMakersLine(config)}
  journal       ${recoveryLine(venue)}

${demo === undefined ? operatorText(venue, config) : demoText(venue, config, demo)}
Ctrl-C stops it; the next start continues from there.
`;
}

function marketMakersLine({ withMarketMakers, environment }: VenueConfig): string {
  if (withMarketMakers) return 'trading';
  return hasTestFunds(environment) ? 'none (--no-house)' : `none in ${environment}`;
}

function demoText({ url }: RunningVenue, { withMarketMakers }: VenueConfig, demo: DemoAccount): string {
  const fromHere = relative(process.cwd(), demo.file);
  const file = fromHere.startsWith('..') ? demo.file : fromHere;
  const key = demo.newApiKey ?? `in ${file}`;
  return `  demo account  ${demo.accountId}
  API key       ${key}${demo.newApiKey === undefined ? '' : `\n                (shown once; saved in ${file})`}

A bot to paste, into bot.mjs beside package.json:

  import OpenPerp from './adapter/dist/openperp.js';
  const exchange = new OpenPerp({ apiKey: process.env.OPENPERP_APIKEY, urls: { api: { rest: '${url}' } } });
  await exchange.loadMarkets();
${(withMarketMakers ? MARKET_ORDER : RESTING_ORDER).map((line) => `  ${line}`).join('\n')}

  node --env-file=${file} bot.mjs

OPENPERP_… variables that the shell has already set take precedence over that file: unset them there.`;
}

function operatorText({ directory }: RunningVenue, { environment, dataDirectory }: VenueConfig): string {
  const place = dataDirectory === DEFAULT_DATA_DIRECTORY ? '' : ` --data-dir ${dataDirectory}`;
  const command = (line: string) => `  npm run openperp -- ${line}${place}`;
  const { capabilities } = directory.switches();
  const off = Object.keys(capabilities).filter((name) => !capabilities[name as keyof typeof capabilities]);
  return `No account, no money and no key is created in ${environment}. Off until you switch it on: ${off.join(', ') || 'nothing'}.

${command('venue capability <name> on')}
${command('account create --label <name>')}
${command('insurance credit <amount>')}
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
