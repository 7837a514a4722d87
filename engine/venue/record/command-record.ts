/**
 * Commands as bytes and back: one tag, then the fields of that command in a fixed order. A command is written before the
 * venue has looked at it, so its numbers are kept exactly, however wrong they are.
 */
import type { BatchEntry, Command } from '#venue/command.ts';
import type { MarketHistory } from '#venue/market/history.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import type { ByteReader, ByteWriter } from './cursor.ts';
import { BLANK, MalformedRecord, placeOf } from './cursor.ts';
import {
  historyLayout,
  MARKET_STATUSES,
  NEVER,
  readTerms,
  SIDES,
  scopeLayout,
  specificationLayout,
  writeTerms,
} from './parts.ts';

/** The tags, by place. Append only: a place is part of every journal ever written. */
const TAGS: readonly Command['type'][] = [
  'ListMarket',
  'SetMarketStatus',
  'PublishIndexPrice',
  'OpenAccount',
  'RetireAccount',
  'CreditCash',
  'IssueApiKey',
  'RevokeApiKey',
  'PlaceOrder',
  'CancelOrder',
  'PlaceOrders',
  'CancelOrders',
  'AdvanceMarket',
  'CreditInsurance',
  'ReserveWithdrawal',
  'ReleaseWithdrawal',
  'SettleWithdrawal',
  'TransferCash',
  'SetFavorite',
  'SetLeaderboardListing',
  // A key that expires has a tag of its own: keys that never do are written as they were before there were others.
  'IssueApiKey',
  'DebitCash',
  // A market with a synthetic past likewise.
  'ListMarket',
];
const EXPIRING_API_KEY_TAG = 20;
const MARKET_WITH_HISTORY_TAG = 22;

export function writeCommand(bytes: ByteWriter, command: Command): void {
  bytes.u8(tagOf(command));
  switch (command.type) {
    case 'PlaceOrder':
      bytes.int(command.account);
      writeEntry(bytes, command);
      bytes.text(command.idempotencyKey);
      break;
    case 'CancelOrder':
      bytes.int(command.account);
      bytes.int(command.order);
      break;
    case 'PlaceOrders':
      bytes.int(command.account);
      bytes.u8(command.entries.length);
      for (const entry of command.entries) writeEntry(bytes, entry);
      bytes.text(command.idempotencyKey);
      break;
    case 'CancelOrders':
      bytes.int(command.account);
      bytes.u8(command.orders.length);
      for (const order of command.orders) bytes.int(order);
      break;
    case 'PublishIndexPrice':
      bytes.int(command.market);
      bytes.int(command.priceAtoms);
      bytes.int(command.observedAtEpochMs);
      break;
    case 'AdvanceMarket':
      bytes.int(command.market);
      break;
    case 'ListMarket':
      specificationLayout(bytes, command.specification);
      bytes.oneOf(MARKET_STATUSES, command.status);
      if (command.history !== undefined) historyLayout(bytes, command.history);
      break;
    case 'SetMarketStatus':
      bytes.int(command.market);
      bytes.oneOf(MARKET_STATUSES, command.status);
      break;
    case 'OpenAccount':
      bytes.text(command.label);
      bytes.text(command.partyId);
      bytes.u32(command.digestSeed);
      break;
    case 'RetireAccount':
      bytes.int(command.account);
      break;
    case 'CreditCash':
    case 'DebitCash':
      bytes.int(command.account);
      bytes.int(command.amountAtoms);
      bytes.text(command.reference);
      break;
    case 'CreditInsurance':
      bytes.int(command.amountAtoms);
      bytes.text(command.reference);
      break;
    case 'IssueApiKey':
      bytes.int(command.account);
      bytes.text(command.keyId);
      bytes.text(command.digest);
      bytes.list(command.scopes, scopeLayout);
      bytes.text(command.label);
      if (command.expiresAtEpochMs !== 0) bytes.int(command.expiresAtEpochMs);
      break;
    case 'RevokeApiKey':
      bytes.int(command.account);
      bytes.text(command.keyId);
      break;
    case 'ReserveWithdrawal':
      bytes.int(command.account);
      bytes.int(command.amountAtoms);
      bytes.text(command.destination);
      break;
    case 'ReleaseWithdrawal':
    case 'SettleWithdrawal':
      bytes.int(command.withdrawal);
      break;
    case 'TransferCash':
      bytes.int(command.account);
      bytes.int(command.to);
      bytes.int(command.amountAtoms);
      bytes.text(command.reference);
      break;
    case 'SetFavorite':
      bytes.int(command.account);
      bytes.int(command.market);
      bytes.flag(command.favorite);
      break;
    case 'SetLeaderboardListing':
      bytes.int(command.account);
      bytes.flag(command.shown);
      bytes.text(command.displayName);
      bytes.text(command.handle);
      break;
  }
}

function tagOf(command: Command): number {
  if (command.type === 'IssueApiKey' && command.expiresAtEpochMs !== 0) return EXPIRING_API_KEY_TAG;
  if (command.type === 'ListMarket' && command.history !== undefined) return MARKET_WITH_HISTORY_TAG;
  return placeOf(TAGS, command.type);
}

/** Of which type the command is that begins at `offset`. */
export function commandTypeAt(bytes: Uint8Array, offset: number): Command['type'] {
  return TAGS[bytes[offset]!]!;
}

/** Throws `MalformedRecord` for bytes that are no command. */
export function readCommand(bytes: ByteReader): Command {
  const tag = bytes.u8();
  const type = TAGS[tag];
  switch (type) {
    case 'PlaceOrder':
      // Not by `readEntry`: of the millions that a start reads again each would be an object that is copied into another.
      return {
        type,
        account: bytes.int(),
        market: bytes.int(),
        clientOrderId: bytes.text(),
        side: bytes.oneOf(SIDES),
        terms: readTerms(bytes),
        reduceOnly: bytes.flag(),
        leverageX: bytes.u32(),
        idempotencyKey: bytes.text(),
      };
    case 'CancelOrder':
      return { type, account: bytes.int(), order: bytes.int() };
    case 'PlaceOrders':
      return { type, account: bytes.int(), entries: listed(bytes, readEntry), idempotencyKey: bytes.text() };
    case 'CancelOrders':
      return { type, account: bytes.int(), orders: listed(bytes, () => bytes.int()) };
    case 'PublishIndexPrice':
      return { type, market: bytes.int(), priceAtoms: bytes.int(), observedAtEpochMs: bytes.int() };
    case 'AdvanceMarket':
      return { type, market: bytes.int() };
    case 'ListMarket':
      return {
        type,
        specification: specificationLayout(bytes, BLANK as MarketSpecification),
        status: bytes.oneOf(MARKET_STATUSES),
        ...(tag === MARKET_WITH_HISTORY_TAG && { history: historyLayout(bytes, BLANK as MarketHistory) }),
      };
    case 'SetMarketStatus':
      return { type, market: bytes.int(), status: bytes.oneOf(MARKET_STATUSES) };
    case 'OpenAccount':
      return { type, label: bytes.text(), partyId: bytes.text(), digestSeed: bytes.u32() };
    case 'RetireAccount':
      return { type, account: bytes.int() };
    case 'CreditCash':
    case 'DebitCash':
      return { type, account: bytes.int(), amountAtoms: bytes.int(), reference: bytes.text() };
    case 'CreditInsurance':
      return { type, amountAtoms: bytes.int(), reference: bytes.text() };
    case 'IssueApiKey':
      return {
        type,
        account: bytes.int(),
        keyId: bytes.text(),
        digest: bytes.text(),
        scopes: bytes.list([], scopeLayout),
        label: bytes.text(),
        expiresAtEpochMs: tag === EXPIRING_API_KEY_TAG ? bytes.int() : NEVER,
      };
    case 'RevokeApiKey':
      return { type, account: bytes.int(), keyId: bytes.text() };
    case 'ReserveWithdrawal':
      return { type, account: bytes.int(), amountAtoms: bytes.int(), destination: bytes.text() };
    case 'ReleaseWithdrawal':
    case 'SettleWithdrawal':
      return { type, withdrawal: bytes.int() };
    case 'TransferCash':
      return { type, account: bytes.int(), to: bytes.int(), amountAtoms: bytes.int(), reference: bytes.text() };
    case 'SetFavorite':
      return { type, account: bytes.int(), market: bytes.int(), favorite: bytes.flag() };
    case 'SetLeaderboardListing':
      return { type, account: bytes.int(), shown: bytes.flag(), displayName: bytes.text(), handle: bytes.text() };
    default:
      throw new MalformedRecord(`no command has tag ${tag}`);
  }
}

function writeEntry(bytes: ByteWriter, entry: BatchEntry): void {
  bytes.int(entry.market);
  bytes.text(entry.clientOrderId);
  bytes.oneOf(SIDES, entry.side);
  writeTerms(bytes, entry.terms);
  bytes.flag(entry.reduceOnly);
  bytes.u32(entry.leverageX);
}

function readEntry(bytes: ByteReader): BatchEntry {
  return {
    market: bytes.int(),
    clientOrderId: bytes.text(),
    side: bytes.oneOf(SIDES),
    terms: readTerms(bytes),
    reduceOnly: bytes.flag(),
    leverageX: bytes.u32(),
  };
}

function listed<Item>(bytes: ByteReader, read: (bytes: ByteReader) => Item): readonly Item[] {
  return Array.from({ length: bytes.u8() }, () => read(bytes));
}
