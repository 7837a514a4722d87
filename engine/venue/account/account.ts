/**
 * An account: cash, reservations of open orders, API keys, and positions by market. `cashAtoms` includes reservations;
 * `availableAtoms` is what a new order may use. Neither is below zero after a turn.
 */
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { EpochMs, QuoteAtoms } from '#units/money.ts';
import { minus, ZERO_QUOTE } from '#units/money.ts';
import type { Scope } from '#venue/account/scope.ts';
import type { Holding } from '#venue/position/position.ts';
import { FLAT, Position } from '#venue/position/position.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import type { ListLayout } from '#venue/record/long-list.ts';
import { scopeLayout } from '#venue/record/parts.ts';
import type { Refusal } from '#venue/refusal.ts';

/** An API key. The venue has its digest, never the key itself. */
export interface ApiKey {
  readonly keyId: string;
  readonly digest: string;
  readonly scopes: readonly Scope[];
  readonly label: string;
}

export class Account {
  readonly ordinal: AccountOrdinal;
  readonly label: string;
  /** The ledger party that the account is bound to; empty without an active party binding. */
  partyId: string;
  isRetired = false;
  /** Retired as legacy: its refusals have another code. Only a retired account is legacy. */
  isLegacy = false;
  /** When its owner skipped KYC; 0 before. */
  kycSkippedAtEpochMs = 0 as EpochMs;
  cashAtoms: QuoteAtoms = ZERO_QUOTE;
  reservedAtoms: QuoteAtoms = ZERO_QUOTE;
  openOrders = 0;
  /** The seed for digests of client order ids. */
  readonly digestSeed: number;
  readonly apiKeys = new Map<string, ApiKey>();
  readonly positions: (Position | undefined)[] = [];
  /** The leverage that the account has chosen in a market. Missing where it uses the default; `undefined` if it does so everywhere. */
  leverages: Map<MarketOrdinal, number> | undefined;

  constructor(ordinal: AccountOrdinal, label: string, partyId: string, digestSeed: number) {
    this.ordinal = ordinal;
    this.label = label;
    this.partyId = partyId;
    this.digestSeed = digestSeed;
  }

  get availableAtoms(): QuoteAtoms {
    return minus(this.cashAtoms, this.reservedAtoms);
  }

  /** The account's holding in a market, read-only. */
  holdingIn(market: MarketOrdinal): Readonly<Holding> {
    return this.positions[market] ?? FLAT;
  }

  /** The account's position in a market, for changes. It is always the same object, which is flat without an open position. */
  positionIn(market: MarketOrdinal): Position {
    const existing = this.positions[market];
    if (existing !== undefined) return existing;
    const created = new Position(this.ordinal, market);
    this.positions[market] = created;
    return created;
  }
}

/** The refusal of what a retired account may not do. */
export function retirementOf({ isLegacy }: Account): Refusal {
  return { code: isLegacy ? 'account_legacy_excluded' : 'account_retired' };
}

/**
 * The layout in a snapshot, without `isLegacy` and `kycSkippedAtEpochMs`; `list` is that of positions. Reading the orders restores reservations and counts of open
 * orders.
 */
export function accountLayout(io: Cursor, it: Account, list: ListLayout): Account {
  const account = new Account(it.ordinal, io.text(it.label), io.text(it.partyId), io.u32(it.digestSeed));
  account.isRetired = io.flag(it.isRetired);
  account.cashAtoms = io.int(it.cashAtoms);
  for (const key of io.list([...it.apiKeys.values()], apiKeyLayout)) account.apiKeys.set(key.keyId, key);
  const openPositions = it.positions.filter((position) => position !== undefined && position.signedBaseAtoms !== 0) as Position[];
  list(io, openPositions, (cursor, position) => positionLayout(cursor, position, account));
  return account;
}

function apiKeyLayout(io: Cursor, key: ApiKey): ApiKey {
  return {
    keyId: io.text(key.keyId),
    digest: io.text(key.digest),
    scopes: io.list(key.scopes, scopeLayout),
    label: io.text(key.label),
  };
}

function positionLayout(io: Cursor, it: Position, account: Account): Position {
  const position = account.positionIn(io.int(it.market));
  position.ordinal = io.int(it.ordinal);
  position.signedBaseAtoms = io.int(it.signedBaseAtoms);
  position.entryNotionalAtoms = io.int(it.entryNotionalAtoms);
  position.marginAtoms = io.int(it.marginAtoms);
  position.fundingPeriod = io.u32(it.fundingPeriod);
  position.liquidatedNotionalAtoms = io.int(it.liquidatedNotionalAtoms);
  return position;
}
