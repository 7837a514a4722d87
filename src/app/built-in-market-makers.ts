/** The market makers of a venue: loads their accounts from a file in the data directory, and starts them. */
import { join } from 'node:path';
import { openMarketMakerAccounts } from '#devnet/market-maker-accounts.ts';
import { MARKET_MAKER_CREDIT, startMarketMakers } from '#devnet/market-makers.ts';
import { DEVNET_MARKETS } from '#devnet/markets.ts';
import type { Time } from '#time/time.ts';
import type { VenueConfig } from './config.ts';
import { MARKET_MAKERS_FILE } from './data-directory.ts';
import type { ReportInternalError } from './internal-errors.ts';
import { MISSING, SecretFile } from './secret-file.ts';

const BUILT_IN = DEVNET_MARKETS.map(({ specification }) => specification.marketId);
/** Of all market makers of a market. */
const COMMANDS_PER_SECOND = 40;

/** The parts of the running venue that the market makers need. */
interface MarketMakersVenue {
  readonly url: string;
  readonly recovered: { readonly sequence: number };
  accountOf(apiKey: string): string | undefined;
  createAccount(options: { label: string; credit: string }): Promise<{ readonly accountId: string; readonly apiKey: string }>;
}

interface MarketMakersParts extends Omit<Time, 'clock'> {
  /** Receives log lines for people. */
  readonly log: (line: string) => void;
  readonly reportInternalError: ReportInternalError;
  /** The markets to quote; the built-in ones by default. */
  readonly marketIds?: readonly string[];
}

export async function startBuiltInMarketMakers(
  venue: MarketMakersVenue,
  { dataDirectory, seed }: Pick<VenueConfig, 'dataDirectory' | 'seed'>,
  { steadyClock, timers, log, reportInternalError, marketIds = BUILT_IN }: MarketMakersParts,
  resources: AsyncDisposableStack,
): Promise<void> {
  const marketMakers = startMarketMakers({
    url: venue.url,
    accounts: await marketMakerAccounts(venue, marketIds, new SecretFile(join(dataDirectory, MARKET_MAKERS_FILE)), log),
    seed,
    commandsPerSecond: COMMANDS_PER_SECOND * marketIds.length,
    time: { steadyClock, timers },
    log,
    onInternalError: (error) => reportInternalError(error, 'market_makers'),
  });
  resources.defer(() => marketMakers.stop());
}

async function marketMakerAccounts(
  venue: MarketMakersVenue,
  marketIds: readonly string[],
  file: SecretFile,
  log: (line: string) => void,
) {
  const read = file.read();
  const problem = 'problem' in read ? read.problem : 'does not have all accounts of the market makers';
  let aside = '';
  const { accounts, createdCount } = await openMarketMakerAccounts({
    saved: 'text' in read ? read.text : undefined,
    marketIds,
    accountOf: venue.accountOf,
    create: (label) => venue.createAccount({ label, credit: MARKET_MAKER_CREDIT }),
    save: (text) => {
      if (problem !== MISSING) aside = ` (the old file is now ${file.quarantine()})`;
      file.replace(text);
    },
  });
  if (createdCount > 0 && (problem !== MISSING || venue.recovered.sequence > 0))
    log(
      `${file.name} ${problem}: ${createdCount} accounts are created again${aside}. Open orders of the old accounts stay open: cancel them or restore the file from a backup`,
    );
  return accounts;
}
