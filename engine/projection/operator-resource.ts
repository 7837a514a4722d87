/** Accounts and their API keys for the operator. Reads of an unknown account return `undefined`. */
import type { AccountDetails, AccountSummary, ApiKeySummary, Reads } from '#reads/reads.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { renderAccountId } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Scope } from '#venue/command.ts';
import { storedView } from './account-resource.ts';
import type { AccountRow, ApiKeyRow } from './account-rows.ts';
import { accountValuesOf } from './account-values.ts';
import type { ListedMarkets } from './listed-markets.ts';
import { renderMoney } from './market-scales.ts';
import { positionResource } from './position-resource.ts';
import type { ProjectionStore } from './store.ts';

export const ACCOUNTS_AFTER = 'SELECT * FROM accounts WHERE account > ? ORDER BY account LIMIT ?';
export const COUNT_OPEN_EPISODES = "SELECT count(*) AS count FROM episodes WHERE account = ? AND status = 'open'";
export const COUNT_OPEN_ORDERS =
  "SELECT count(*) AS count FROM orders INDEXED BY ordersByStatus WHERE account = ? AND status = 'open'";
export const KEYS_OF_ACCOUNT = 'SELECT * FROM apiKeys WHERE account = ? AND isRevoked = 0 ORDER BY issuedAtEpochMs';

type OperatorReads = Pick<Reads, 'accountList' | 'accountDetails' | 'apiKeysOf'>;

export function operatorReads(store: ProjectionStore, markets: ListedMarkets, now: () => EpochMs): OperatorReads {
  const count = (sql: string, account: AccountOrdinal) => Number(store.statement(sql).get(account)!.count);
  return {
    accountList({ after = 0, limit }) {
      // The extra row shows that the list continues.
      const rows = store.statement(ACCOUNTS_AFTER).all(after, limit + 1) as unknown as AccountRow[];
      const accounts = rows
        .slice(0, limit)
        .map((row) => ({ ...summaryOf(row), positions: count(COUNT_OPEN_EPISODES, row.account) }));
      return { accounts, nextAfter: rows.length > limit ? accounts.at(-1)!.accountId : null };
    },
    accountDetails: (account) =>
      store.accounts.find(account) === undefined
        ? undefined
        : detailsOf(store, markets, account, count(COUNT_OPEN_ORDERS, account), now()),
    apiKeysOf(account) {
      if (store.accounts.find(account) === undefined) return undefined;
      const keys = store.statement(KEYS_OF_ACCOUNT).all(account) as unknown as ApiKeyRow[];
      return keys.map((key) => keySummary(key, now()));
    },
  };
}

function detailsOf(
  store: ProjectionStore,
  markets: ListedMarkets,
  account: AccountOrdinal,
  openOrders: number,
  nowEpochMs: EpochMs,
): AccountDetails {
  const view = storedView(store, markets, account, nowEpochMs);
  const { equityAtoms, availableAtoms, marginAtoms } = accountValuesOf(view);
  return {
    ...summaryOf(view.row),
    partyId: view.row.partyId === '' ? null : view.row.partyId,
    available: renderMoney(availableAtoms),
    positionMargin: renderMoney(marginAtoms),
    equity: renderMoney(equityAtoms),
    openOrders,
    positions: view.episodes.map((episode) => {
      const position = positionResource(view, episode);
      return {
        marketId: position.marketId,
        side: position.side,
        quantity: position.currentQuantity,
        entryPrice: position.avgEntryPrice,
        markPrice: position.markPrice ?? null,
        unrealizedPnl: position.unrealizedPnl ?? null,
        margin: renderMoney(episode.marginAtoms),
        liquidationPrice: position.liquidationPrice ?? null,
      };
    }),
  };
}

function summaryOf({
  account,
  label,
  partyId,
  isRetired,
  isLegacy,
  cashAtoms,
  reservedAtoms,
}: AccountRow): Omit<AccountSummary, 'positions'> {
  const bound = partyId === '' ? 'no_party' : 'active';
  return {
    accountId: renderAccountId(account),
    label,
    status: isRetired === 1 ? (isLegacy === 1 ? 'legacy' : 'retired') : bound,
    cash: renderMoney(cashAtoms),
    reserved: renderMoney(reservedAtoms),
  };
}

function keySummary({ keyId, label, scopes, issuedAtEpochMs, expiresAtEpochMs }: ApiKeyRow, nowEpochMs: EpochMs): ApiKeySummary {
  const expires = expiresAtEpochMs === 0 ? null : expiresAtEpochMs;
  return {
    keyId,
    label,
    scopes: scopes.split(' ') as Scope[],
    status: expires !== null && expires <= nowEpochMs ? 'expired' : 'active',
    createdAtEpochMs: issuedAtEpochMs,
    expiresAtEpochMs: expires,
  };
}
