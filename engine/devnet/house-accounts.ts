/**
 * The accounts of the house and their keys, kept in one file (mode 0600) so that a venue that starts again trades on with
 * the same ones. An account that is missing, or whose key the venue no longer accepts, is made anew.
 */
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { HOUSE_ROLES, type HouseAccount } from './house.ts';

export interface HouseAccountsOptions {
  readonly path: string;
  readonly marketIds: readonly string[];
  readonly isAccepted: (apiKey: string) => boolean;
  readonly create: (label: string) => Promise<{ readonly accountId: string; readonly apiKey: string }>;
}

/** One account per role and market. */
export async function openHouseAccounts({ path, marketIds, isAccepted, create }: HouseAccountsOptions): Promise<HouseAccount[]> {
  const kept = readKept(path);
  const accounts: HouseAccount[] = [];
  for (const marketId of marketIds) {
    for (const role of HOUSE_ROLES) {
      const known = kept.find((account) => account.role === role && account.marketId === marketId);
      accounts.push(
        known !== undefined && isAccepted(known.apiKey)
          ? known
          : { role, marketId, ...(await create(`house ${role} ${marketId}`)) },
      );
    }
  }
  if (accounts.some((account) => !kept.includes(account))) writeKept(path, accounts);
  return accounts;
}

function readKept(path: string): readonly HouseAccount[] {
  try {
    const kept: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return Array.isArray(kept) ? kept.filter(isHouseAccount) : [];
  } catch {
    // No file yet, or one that was cut short: the accounts are made anew.
    return [];
  }
}

function isHouseAccount(value: unknown): value is HouseAccount {
  if (typeof value !== 'object' || value === null) return false;
  const account = value as Record<string, unknown>;
  return ['role', 'marketId', 'accountId', 'apiKey'].every((field) => typeof account[field] === 'string');
}

function writeKept(path: string, accounts: readonly HouseAccount[]): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(accounts, undefined, 2)}\n`, { mode: 0o600 });
  // The mode above holds for a new file only; one left by a crash keeps its own.
  chmodSync(`${path}.new`, 0o600);
  renameSync(`${path}.new`, path);
}
