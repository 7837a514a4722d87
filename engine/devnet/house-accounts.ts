/**
 * The accounts and keys of the market makers, saved in one file so that they are reused after a restart. An account that is
 * missing, or whose key the venue refuses, is created again.
 */
import { HOUSE_ROLES, type HouseAccount } from './house.ts';

export interface HouseAccountsOptions {
  /** The content of the file; `undefined` if it cannot be read. */
  readonly kept: string | undefined;
  readonly marketIds: readonly string[];
  /** The account of a key; `undefined` if the venue refuses it. */
  readonly accountOf: (apiKey: string) => string | undefined;
  readonly create: (label: string) => Promise<{ readonly accountId: string; readonly apiKey: string }>;
  /** Called once all accounts exist, if the file must change. */
  readonly save: (text: string) => void;
}

/** Returns one account per role and market, and how many of them are new. */
export async function openHouseAccounts({
  kept,
  marketIds,
  accountOf,
  create,
  save,
}: HouseAccountsOptions): Promise<{ readonly accounts: readonly HouseAccount[]; readonly madeCount: number }> {
  const known = readKept(kept ?? '').flatMap((account) => {
    const accountId = accountOf(account.apiKey);
    return accountId === undefined ? [] : [{ ...account, accountId }];
  });
  const accounts: HouseAccount[] = [];
  let madeCount = 0;
  for (const marketId of marketIds) {
    for (const role of HOUSE_ROLES) {
      const before = known.find((account) => account.role === role && account.marketId === marketId);
      accounts.push(before ?? { role, marketId, ...(await create(`house ${role} ${marketId}`)) });
      if (before === undefined) madeCount += 1;
    }
  }
  const text = `${JSON.stringify(accounts, undefined, 2)}\n`;
  if (text !== kept) save(text);
  return { accounts, madeCount };
}

function readKept(text: string): readonly HouseAccount[] {
  try {
    const kept: unknown = JSON.parse(text);
    return Array.isArray(kept) ? kept.filter(isHouseAccount) : [];
  } catch {
    return [];
  }
}

function isHouseAccount(value: unknown): value is HouseAccount {
  if (typeof value !== 'object' || value === null) return false;
  const account = value as Record<string, unknown>;
  return ['role', 'marketId', 'accountId', 'apiKey'].every((field) => typeof account[field] === 'string');
}
