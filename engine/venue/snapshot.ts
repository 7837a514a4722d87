/**
 * Writes the whole state as bytes and reads it back. Orders are written as they entered the book, so that adding them one by one restores
 * every queue and list. Derived values (counts, reservations) are not written; reading rebuilds them.
 */
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { ZERO_BASE } from '#units/money.ts';
import { Account, accountLayout } from './account/account.ts';
import { affiliatesLayout } from './affiliate/affiliates.ts';
import { agentAccountsLayout } from './agent-account/agent-accounts.ts';
import { agentFundingsLayout } from './agent-account/agent-fundings.ts';
import { VENUE_LEDGERS } from './event.ts';
import { type Market, marketLayout } from './market/market.ts';
import type { OrderLife, RestingOrder, Slot } from './order/order-table.ts';
import { hasExcess } from './order/reduce-only.ts';
import { restOrder } from './order/resting.ts';
import { ownersLayout } from './owner/owners.ts';
import type { Cursor } from './record/cursor.ts';
import { BLANK, ByteReader, ByteWriter, MAX_LIST, MalformedRecord } from './record/cursor.ts';
import { type ListLayout, longList } from './record/long-list.ts';
import { SIDES } from './record/parts.ts';
import { fundLayout, hasFundUse } from './risk/fund-layout.ts';
import { HALF_LOST_STEP } from './risk/liquidation-steps.ts';
import { VenueState } from './state.ts';
import { switchesLayout } from './switches/switches.ts';
import { hasTrading, tradingLayout } from './trading-layout.ts';
import type { PendingWithdrawal } from './transfer/pending-withdrawal.ts';
import { settlementLayout } from './transfer/settlement-layout.ts';

/**
 * The layouts of a snapshot; others are refused. The second one appends the expiry times of keys, the third one also the switches
 * and the legacy accounts, the fourth one the owners, the fifth one deposits and withdrawals on the external ledger. The sixth one counts
 * every list that grows with use in 32 bits, the seventh one says that the ledger is guarded, the eighth one appends whether it
 * is, agent accounts and their fundings. The ninth one appends drafts and deployments, the tenth one affiliates, referrals and skipped
 * KYC, the eleventh one what the insurance fund has paid, the twelfth one what `trading-layout.ts` lists. A state uses the first one that
 * has all of it, so that it has the same bytes as before.
 */
const SNAPSHOT_VERSION = 4;
const WITH_KEY_EXPIRIES = 5;
const WITH_SWITCHES = 6;
const WITH_OWNERS = 7;
const WITH_SETTLEMENT = 8;
const WITH_LONG_LISTS = 9;
const WITH_GUARD = 10;
const WITH_AGENT_ACCOUNTS = 11;
const WITH_AGENTS = 12;
const WITH_AFFILIATES = 13;
const WITH_FUND_USE = 14;
const WITH_TRADING = 15;
const VERSIONS: readonly number[] = [
  SNAPSHOT_VERSION,
  WITH_KEY_EXPIRIES,
  WITH_SWITCHES,
  WITH_OWNERS,
  WITH_SETTLEMENT,
  WITH_LONG_LISTS,
  WITH_GUARD,
  WITH_AGENT_ACCOUNTS,
  WITH_AGENTS,
  WITH_AFFILIATES,
  WITH_FUND_USE,
  WITH_TRADING,
];

/** The fields of an order in the first layout. */
type Resting = Omit<RestingOrder, keyof OrderLife>;

/** What an earlier layout knows of an order beside them. */
const UNKNOWN_LIFE: OrderLife = {
  filledAtoms: ZERO_BASE,
  postOnly: false,
  isAmendable: false,
  expiresAtEpochMs: 0 as EpochMs,
};

interface KeyExpiry {
  readonly keyId: string;
  readonly expiresAtEpochMs: EpochMs;
}

/** Returns a view of `buffer`, which it overwrites from the start; without a buffer, returns a new array. */
export function writeState(state: VenueState, buffer?: ByteWriter): Uint8Array {
  const bytes = buffer ?? new ByteWriter();
  bytes.reset();
  const version = versionOf(state);
  bytes.u32(version);
  countersLayout(bytes, state, version);
  bytes.u32(state.markets.length - 1);
  for (const market of state.markets) if (market !== undefined) marketLayout(bytes, market, market.ordinal, state);
  bytes.u32(state.accounts.length - 1);
  for (const account of state.accounts) if (account !== undefined) accountLayout(bytes, account, listOf(version));
  for (const market of state.markets) if (market !== undefined) writeOpenPositions(bytes, market, version);
  state.clientOrderIds.write(bytes);
  bytes.u32(state.orders.count);
  for (const slot of state.orders.slotsByAge()) orderLayout(bytes, restingOrder(state, slot), version);
  additionsLayout(bytes, state, version);
  return buffer === undefined ? bytes.copy() : bytes.written();
}

export function readState(snapshot: Uint8Array): VenueState {
  const bytes = new ByteReader(snapshot);
  const version = bytes.u32();
  if (!VERSIONS.includes(version))
    throw new MalformedRecord(`unknown snapshot layout ${version}, expected one of ${VERSIONS.join(', ')}`);
  const state = new VenueState();
  countersLayout(bytes, state, version);
  for (let markets = bytes.u32(); markets > 0; markets -= 1) {
    state.markets.push(marketLayout(bytes, BLANK as Market, state.markets.length as MarketOrdinal, state));
  }
  for (let accounts = bytes.u32(); accounts > 0; accounts -= 1) state.accounts.push(readAccount(bytes, state, version));
  for (const market of state.markets) if (market !== undefined) readOpenPositions(bytes, state, market, version);
  state.clientOrderIds.read(bytes);
  for (let orders = bytes.u32(); orders > 0; orders -= 1) {
    const order = { ...orderLayout(bytes, BLANK as Resting, version), ...UNKNOWN_LIFE };
    restOrder(state, state.market(order.market)!, state.account(order.account)!, order);
  }
  for (const market of state.markets) if (market !== undefined) market.hasInheritedExcess = hasExcess(market);
  additionsLayout(bytes, state, version);
  if (!bytes.isAtEnd)
    throw new MalformedRecord(`a snapshot has ${snapshot.length - bytes.offset} bytes after its end at byte ${bytes.offset}`);
  return state;
}

/** The first layout that has everything of the state. */
function versionOf(state: VenueState): number {
  if (hasTrading(state)) return WITH_TRADING;
  if (hasFundUse(state)) return WITH_FUND_USE;
  if (state.affiliates.byAccount.size > 0 || state.accounts.some(hasSkippedKyc)) return WITH_AFFILIATES;
  if (!state.agents.isInitial) return WITH_AGENTS;
  if (!state.agentAccounts.isInitial) return WITH_AGENT_ACCOUNTS;
  if (state.settlement.isGuarded) return WITH_GUARD;
  if (hasLongList(state)) return WITH_LONG_LISTS;
  if (!state.settlement.isInitial) return WITH_SETTLEMENT;
  if (state.owners.byAccount.size > 0) return WITH_OWNERS;
  if (!state.switches.isInitial || legacyAccounts(state).length > 0) return WITH_SWITCHES;
  return state.apiKeyExpiries.size > 0 ? WITH_KEY_EXPIRIES : SNAPSHOT_VERSION;
}

/** The other lists of 16-bit counts are bounded: by the limits of accounts, owners, switches and specifications. */
function hasLongList(state: VenueState): boolean {
  const { accounts, apiKeyExpiries, markets, settlement, withdrawals } = state;
  // An account has at most one position in each market.
  if (apiKeyExpiries.size > MAX_LIST || markets.length - 1 > MAX_LIST) return true;
  if (settlement.isInitial && withdrawals.size > MAX_LIST) return true;
  return accounts.length > MAX_LIST && legacyAccounts(state).length > MAX_LIST;
}

/** The layout of lists that grow with use. */
function listOf(version: number): ListLayout {
  return version >= WITH_LONG_LISTS ? longList : (io, items, layout) => io.list(items, layout);
}

/** What layouts after the first one append. */
function additionsLayout(io: Cursor, state: VenueState, version: number): void {
  const list = listOf(version);
  if (version >= WITH_KEY_EXPIRIES) expiriesLayout(io, state, list);
  if (version < WITH_SWITCHES) return;
  switchesLayout(io, state.switches);
  for (const account of list(io, legacyAccounts(state), ordinalLayout)) legacyAccount(state, account).isLegacy = true;
  if (version >= WITH_OWNERS) partiesLayout(io, state);
  if (version >= WITH_SETTLEMENT) settlementLayout(io, state.settlement);
  const { settlement } = state;
  settlement.isGuarded = version < WITH_AGENT_ACCOUNTS ? version >= WITH_GUARD : io.flag(settlement.isGuarded);
  if (version < WITH_AGENT_ACCOUNTS) return;
  agentAccountsLayout(io, state.agentAccounts, (account) => state.account(account) !== undefined);
  agentFundingsLayout(io, state.agentFundings);
  if (version >= WITH_AGENTS) state.agents.layout(io);
  if (version < WITH_AFFILIATES) return;
  affiliatesLayout(io, state.affiliates);
  for (const { account, skippedAtEpochMs } of longList(io, kycSkips(state), kycSkipLayout))
    state.account(account)!.kycSkippedAtEpochMs = skippedAtEpochMs;
  if (version >= WITH_FUND_USE) fundLayout(io, state);
  if (version >= WITH_TRADING) tradingLayout(io, state);
}

/** With the parties that are allocated to accounts and not active yet. */
function partiesLayout(io: Cursor, state: VenueState): void {
  ownersLayout(io, state.owners);
  for (const { party } of state.owners.byAccount.values()) if (party.partyId !== '') state.partyIds.add(party.partyId);
}

interface KycSkip {
  readonly account: AccountOrdinal;
  readonly skippedAtEpochMs: EpochMs;
}

function kycSkips({ accounts }: VenueState): KycSkip[] {
  return accounts
    .filter(hasSkippedKyc)
    .map(({ ordinal: account, kycSkippedAtEpochMs: skippedAtEpochMs }) => ({ account, skippedAtEpochMs }));
}

function hasSkippedKyc(account: Account | undefined): account is Account {
  return account !== undefined && account.kycSkippedAtEpochMs !== 0;
}

function kycSkipLayout(io: Cursor, it: KycSkip): KycSkip {
  return { account: io.int(it.account), skippedAtEpochMs: io.int(it.skippedAtEpochMs) };
}

function legacyAccounts({ accounts }: VenueState): AccountOrdinal[] {
  return accounts.flatMap((account) => (account?.isLegacy ? [account.ordinal] : []));
}

function legacyAccount(state: VenueState, ordinal: AccountOrdinal): Account {
  const account = state.account(ordinal);
  if (!account?.isRetired)
    throw new MalformedRecord(`a snapshot has the legacy account ${ordinal}, which is not a retired account`);
  return account;
}

function ordinalLayout(io: Cursor, account: AccountOrdinal): AccountOrdinal {
  return io.int(account);
}

function countersLayout(io: Cursor, state: VenueState, version: number): void {
  state.lastOrder = io.int(state.lastOrder);
  state.lastTrade = io.int(state.lastTrade);
  state.lastPosition = io.int(state.lastPosition);
  state.netDepositsAtoms = io.int(state.netDepositsAtoms);
  state.lastWithdrawal = io.int(state.lastWithdrawal);
  for (const ledger of VENUE_LEDGERS) state.ledgers[ledger] = io.int(state.ledgers[ledger]);
  const pending = [...state.withdrawals.values()];
  // Owners may have more pending withdrawals than a short list can count.
  const list = version >= WITH_SETTLEMENT ? longList : listOf(version);
  for (const withdrawal of list(io, pending, withdrawalLayout)) state.withdrawals.set(withdrawal.withdrawal, withdrawal);
}

function withdrawalLayout(io: Cursor, it: PendingWithdrawal): PendingWithdrawal {
  return { withdrawal: io.int(it.withdrawal), account: io.int(it.account), amountAtoms: io.int(it.amountAtoms) };
}

/** The accounts with an open position in a market, in list order; then the accounts of parked positions, with the step that each waits for. */
function writeOpenPositions(bytes: ByteWriter, { positions }: Market, version: number): void {
  bytes.u32(positions.count);
  for (let index = 0; index < positions.count; index += 1) bytes.int(positions.at(index).account);
  const parked = [...positions.parked()];
  bytes.u32(parked.length);
  for (const position of parked) {
    bytes.int(position.account);
    stepLayout(bytes, positions.nextStepOf(position), version);
  }
}

/** Earlier layouts have a flag: whether the position waits for its deleveraging. */
function stepLayout(io: Cursor, step: number, version: number): number {
  if (version < WITH_TRADING) return io.flag(step > 0) ? HALF_LOST_STEP : 0;
  const read = io.u8(step);
  if (read > HALF_LOST_STEP) throw new MalformedRecord(`a position waits for step ${read}, the last one is ${HALF_LOST_STEP}`);
  return read;
}

function readOpenPositions(bytes: ByteReader, state: VenueState, market: Market, version: number): void {
  const positionOf = (account: AccountOrdinal) => state.account(account)!.positionIn(market.ordinal);
  for (let count = bytes.u32(); count > 0; count -= 1) {
    const position = positionOf(bytes.int());
    market.positions.moveBase(ZERO_BASE, position.signedBaseAtoms);
    market.positions.update(market, position);
  }
  for (let count = bytes.u32(); count > 0; count -= 1) {
    const position = positionOf(bytes.int());
    market.positions.park(market, position, stepLayout(bytes, BLANK as number, version));
  }
}

function readAccount(bytes: ByteReader, state: VenueState, version: number): Account {
  const blank = new Account(state.accounts.length as AccountOrdinal, '', '', 0);
  const account = accountLayout(bytes, blank, listOf(version));
  if (account.partyId !== '') state.partyIds.add(account.partyId);
  for (const keyId of account.apiKeys.keys()) state.apiKeyAccounts.set(keyId, account.ordinal);
  return account;
}

/** In the order in which the keys were issued. */
function expiriesLayout(io: Cursor, { apiKeyExpiries }: VenueState, list: ListLayout): void {
  const expiries = [...apiKeyExpiries].map(([keyId, expiresAtEpochMs]) => ({ keyId, expiresAtEpochMs }));
  for (const { keyId, expiresAtEpochMs } of list(io, expiries, expiryLayout)) apiKeyExpiries.set(keyId, expiresAtEpochMs);
}

function expiryLayout(io: Cursor, it: KeyExpiry): KeyExpiry {
  return { keyId: io.text(it.keyId), expiresAtEpochMs: io.int(it.expiresAtEpochMs) };
}

function restingOrder({ orders }: VenueState, slot: Slot): Resting {
  return {
    order: orders.orderOf(slot),
    account: orders.accountOf(slot),
    market: orders.marketOf(slot),
    side: orders.sideOf(slot),
    priceAtoms: orders.priceOf(slot),
    remainingAtoms: orders.remainingOf(slot),
    reduceOnly: orders.isReduceOnly(slot),
    leverageHundredths: orders.leverageOf(slot),
    markPriceAtoms: orders.markOf(slot),
    initialMarginBps: orders.initialMarginBpsOf(slot),
  };
}

function orderLayout(io: Cursor, it: Resting, version: number): Resting {
  return {
    order: io.int(it.order),
    account: io.int(it.account),
    market: io.int(it.market),
    side: io.oneOf(SIDES, it.side),
    priceAtoms: io.int(it.priceAtoms),
    remainingAtoms: io.int(it.remainingAtoms),
    reduceOnly: io.flag(it.reduceOnly),
    leverageHundredths: version < WITH_TRADING ? io.wholeLeverage(it.leverageHundredths) : io.leverage(it.leverageHundredths),
    markPriceAtoms: io.int(it.markPriceAtoms),
    initialMarginBps: io.int(it.initialMarginBps),
  };
}
