/**
 * The accounts and keys of the market makers, saved in one file so that they are reused after a restart. An account that is
 * missing, or whose key the venue refuses, is created again.
 */
import { MARKET_MAKER_ROLES, type MarketMakerAccount } from './market-makers.ts';

export interface MarketMakerAccountsOptions {
  /** The content of the file; `undefined` if it cannot be read. */
  readonly saved: string | undefined;
  readonly marketIds: readonly string[];
  /** The account of a key; `undefined` if the venue refuses it. */
  readonly accountOf: (apiKey: string) => string | undefined;
  readonly create: (label: string) => Promise<{ readonly accountId: string; readonly apiKey: string }>;
  /** Called once all accounts exist, if the file must change. */
  readonly save: (text: string) => void;
}

/** Returns one account per role and market, and how many of them are new. */
export async function openMarketMakerAccounts({
  saved,
  marketIds,
  accountOf,
  create,
  save,
}: MarketMakerAccountsOptions): Promise<{ readonly accounts: readonly MarketMakerAccount[]; readonly createdCount: number }> {
  const known = parseAccounts(saved ?? '').flatMap((account) => {
    const accountId = accountOf(account.apiKey);
    return accountId === undefined ? [] : [{ ...account, accountId }];
  });
  const accounts: MarketMakerAccount[] = [];
  let createdCount = 0;
  for (const marketId of marketIds) {
    for (const role of MARKET_MAKER_ROLES) {
      const before = known.find((account) => account.role === role && account.marketId === marketId);
      accounts.push(before ?? { role, marketId, ...(await create(`house ${role} ${marketId}`)) });
      if (before === undefined) createdCount += 1;
    }
  }
  const text = `${JSON.stringify(accounts, undefined, 2)}\n`;
  if (text !== saved) save(text);
  return { accounts, createdCount };
}

function parseAccounts(text: string): readonly MarketMakerAccount[] {
  try {
    const saved: unknown = JSON.parse(text);
    return Array.isArray(saved) ? saved.filter(isMarketMakerAccount) : [];
  } catch {
    return [];
  }
}

function isMarketMakerAccount(value: unknown): value is MarketMakerAccount {
  if (typeof value !== 'object' || value === null) return false;
  const account = value as Record<string, unknown>;
  return ['role', 'marketId', 'accountId', 'apiKey'].every((field) => typeof account[field] === 'string');
}
