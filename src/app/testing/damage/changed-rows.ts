/** Changes rows with SQL, so that every page is one that SQLite would write. The page sums stay as before, or are updated too. */
import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { SUMS_SUFFIX } from '#projection/checkpoint.ts';
import { PAGE_BYTES } from '#projection/log-frames.ts';
import { type Commit, PageList, writeSums } from '#projection/page-sums-file.ts';
import type { Random } from '#simulation/seeded-random.ts';

const OPEN_ORDER = `"order" = (SELECT "order" FROM orders WHERE status = 'open' ORDER BY "order" LIMIT 1 OFFSET :row)`;
const OPEN_POSITION = `position = (SELECT position FROM episodes WHERE status = 'open' ORDER BY position LIMIT 1 OFFSET :row)`;
const ACCOUNT = 'account = (SELECT account FROM accounts ORDER BY account LIMIT 1 OFFSET :row)';
const KEY = 'keyId = (SELECT keyId FROM apiKeys WHERE isRevoked = 0 ORDER BY keyId LIMIT 1 OFFSET :row)';

/** Flips one bit of an integer. */
const flipped = (column: string) => `${column} = (${column} | (1 << :bit)) - (${column} & (1 << :bit))`;

/** State that the writer has too. `:row` is below 5 and `:bit` below 30. */
const AUDITED: readonly string[] = [
  `UPDATE accounts SET ${flipped('cashAtoms')} WHERE ${ACCOUNT}`,
  `UPDATE accounts SET ${flipped('reservedAtoms')} WHERE ${ACCOUNT}`,
  `UPDATE accounts SET isRetired = 1 - isRetired WHERE ${ACCOUNT}`,
  `UPDATE accounts SET label = label || 'x' WHERE ${ACCOUNT}`,
  `UPDATE accounts SET isOwner = 1 - isOwner WHERE ${ACCOUNT}`,
  `UPDATE accounts SET agentOwner = agentOwner + 1 WHERE ${ACCOUNT}`,
  `UPDATE accounts SET partyStatus = iif(partyStatus = 'active', 'allocated', 'active') WHERE ${ACCOUNT}`,
  `UPDATE accounts SET hasWallet = 1 - hasWallet WHERE ${ACCOUNT}`,
  `UPDATE accounts SET consentState = iif(consentState = 'present', 'revoked', 'present') WHERE ${ACCOUNT}`,
  `UPDATE accounts SET consentReason = consentReason || 'x' WHERE ${ACCOUNT}`,
  `DELETE FROM accounts WHERE ${ACCOUNT}`,
  `INSERT INTO accounts SELECT (SELECT max(account) + 1 FROM accounts), label, partyId, partySequence, partyStatus, isOwner, agentOwner, hasWallet,
     consentState, consentReason, isRetired, isLegacy, cashAtoms, reservedAtoms, transferredAtEpochMs, lastSequence FROM accounts WHERE ${ACCOUNT}`,
  `UPDATE orders SET ${flipped('priceAtoms')} WHERE ${OPEN_ORDER}`,
  `UPDATE orders SET ${flipped('quantityAtoms')} WHERE ${OPEN_ORDER}`,
  `UPDATE orders SET filledAtoms = filledAtoms + 1 WHERE ${OPEN_ORDER}`,
  `UPDATE orders SET side = iif(side = 'buy', 'sell', 'buy') WHERE ${OPEN_ORDER}`,
  `UPDATE orders SET market = market % 3 + 1 WHERE ${OPEN_ORDER}`,
  `UPDATE orders SET account = account % 5 + 1 WHERE ${OPEN_ORDER}`,
  `UPDATE orders SET reduceOnly = 1 - reduceOnly WHERE ${OPEN_ORDER}`,
  `UPDATE orders SET leverageHundredths = leverageHundredths + 1 WHERE ${OPEN_ORDER}`,
  `UPDATE orders SET status = 'cancelled' WHERE ${OPEN_ORDER}`,
  `UPDATE orders SET status = 'open' WHERE "order" = (SELECT min("order") + :row FROM orders WHERE status <> 'open')`,
  `DELETE FROM orders WHERE ${OPEN_ORDER}`,
  `UPDATE orders SET "order" = (SELECT max("order") + 1 FROM orders) WHERE ${OPEN_ORDER}`,
  `UPDATE episodes SET ${flipped('signedBaseAtoms')} WHERE ${OPEN_POSITION}`,
  `UPDATE episodes SET ${flipped('entryNotionalAtoms')} WHERE ${OPEN_POSITION}`,
  `UPDATE episodes SET ${flipped('marginAtoms')} WHERE ${OPEN_POSITION}`,
  `UPDATE episodes SET market = market % 3 + 1 WHERE ${OPEN_POSITION}`,
  `UPDATE episodes SET status = 'closed', closedAtEpochMs = updatedAtEpochMs WHERE ${OPEN_POSITION}`,
  `UPDATE episodes SET status = 'open' WHERE position = (SELECT min(position) FROM episodes WHERE status = 'closed')`,
  `DELETE FROM episodes WHERE ${OPEN_POSITION}`,
  `UPDATE apiKeys SET scopes = 'read' WHERE ${KEY}`,
  `UPDATE apiKeys SET account = account % 5 + 1 WHERE ${KEY}`,
  `UPDATE apiKeys SET digest = replace(digest, substr(digest, 1, 1), '0') || 'x' WHERE ${KEY}`,
  `UPDATE apiKeys SET isRevoked = 1 WHERE ${KEY}`,
  `DELETE FROM apiKeys WHERE ${KEY}`,
  `UPDATE markets SET status = 'reduce_only' WHERE market = :row % 3 + 1`,
  `UPDATE marketActivity SET ${flipped('markPriceAtoms')} WHERE market = :row % 3 + 1`,
  `UPDATE marketActivity SET ${flipped('indexPriceAtoms')} WHERE market = :row % 3 + 1`,
  `UPDATE marketActivity SET openInterestAtoms = openInterestAtoms || '0' WHERE market = :row % 3 + 1`,
  `UPDATE ledgers SET ${flipped('balanceAtoms')} WHERE ledger = 'insurance'`,
  `DELETE FROM ledgers WHERE ledger = 'insurance'`,
  `UPDATE withdrawals SET ${flipped('amountAtoms')} WHERE status = 'reserved'`,
  `UPDATE withdrawals SET status = 'settled' WHERE status = 'reserved'`,
];

/** State that only the projection has. */
const UNAUDITED: readonly string[] = [
  // After a kill, the next start folds newer trades.
  'DELETE FROM trades WHERE trade = (SELECT max(trade) FROM trades)',
  `UPDATE trades SET ${flipped('priceAtoms')} WHERE trade = (SELECT min(trade) + :row FROM trades)`,
  'DELETE FROM fills WHERE trade = (SELECT max(trade) - :row FROM fills)',
  `UPDATE candles SET ${flipped('closeAtoms')} WHERE market = :row % 3 + 1`,
  `UPDATE fundingPayments SET ${flipped('paidAtoms')}`,
  `UPDATE cashMovements SET ${flipped('amountAtoms')}`,
  `UPDATE episodes SET ${flipped('realizedPnlAtoms')} WHERE ${OPEN_POSITION}`,
  `UPDATE orders SET ${flipped('feeAtoms')} WHERE "order" = (SELECT min("order") + :row FROM orders)`,
  `UPDATE results SET pnlAtoms = pnlAtoms || '0'`,
  'UPDATE checkpoint SET sequence = sequence - 1 - :row',
  'UPDATE checkpoint SET sequence = sequence + 1 + :row',
  "UPDATE checkpoint SET chainDigest = replace(chainDigest, 'a', 'b')",
  'UPDATE checkpoint SET epochMs = epochMs + 3600000',
  "UPDATE checkpoint SET schemaDigest = ''",
  'DELETE FROM checkpoint',
  "UPDATE checkpoint SET registryDigest = replace(registryDigest, 'a', 'b')",
  'UPDATE file SET number = number + 1 + :row',
  'UPDATE file SET number = number - 1 - :row',
  "UPDATE file SET fileId = 'another'",
  'DROP TABLE favorites',
  'DROP INDEX ordersByStatus',
];

/** Changes a row, and says which. Changes rows that only the projection has if page sums can detect it. */
export function changeRow(path: string, hasSums: boolean, random: Random): string {
  const statements = hasSums ? AUDITED : [...AUDITED, ...UNAUDITED];
  for (;;) {
    const sql = statements[Math.floor(random() * statements.length)]!;
    const values = { row: Math.floor(random() * 5), bit: Math.floor(random() * 30) };
    if (changed(path, sql, values) === 0) continue;
    if (hasSums) renewSums(path);
    return `${sql.replace(/\s+/g, ' ')} with row ${values.row}, bit ${values.bit}`;
  }
}

/** Afterwards the database file contains what was in the log. */
function changed(path: string, sql: string, values: Readonly<Record<string, number>>): number {
  const database = new DatabaseSync(path);
  try {
    const statement = database.prepare(sql);
    statement.setAllowUnknownNamedParameters(true);
    statement.run(values);
    const isTables = sql.startsWith('DROP');
    return isTables ? 1 : Number(database.prepare('SELECT changes() AS count').get()?.count);
  } finally {
    database.close();
  }
}

/** Changes bytes of the database file, which must have no log, and updates the sums. */
export function changeBytesWithSums(path: string, change: (bytes: Buffer) => void): void {
  const commit = commitOf(path);
  const bytes = readFileSync(path);
  change(bytes);
  writeFileSync(path, bytes);
  writeSumsOf(path, bytes, commit);
}

function renewSums(path: string): void {
  writeSumsOf(path, readFileSync(path), commitOf(path));
}

function commitOf(path: string): Commit {
  const database = new DatabaseSync(path);
  try {
    return database.prepare('SELECT fileId, number FROM file').get() as unknown as Commit;
  } finally {
    database.close();
  }
}

function writeSumsOf(path: string, bytes: Buffer, commit: Commit): void {
  const sums = new PageList();
  for (let at = 0; at < bytes.length; at += PAGE_BYTES) sums.set(at / PAGE_BYTES + 1, crc32(bytes.subarray(at, at + PAGE_BYTES)));
  writeSums(path + SUMS_SUFFIX, commit, sums);
}
