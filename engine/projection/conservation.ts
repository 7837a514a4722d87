/**
 * Checks that money is conserved, from the rows: Σ cash + Σ margin + Σ unrealized PnL + Σ ledgers − net deposits = 0. Net deposits are
 * counted separately, only from the events of deposits and settled withdrawals.
 */
import type { Conservation } from '#reads/reads.ts';
import { renderDecimal } from '#units/decimal.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import { plus, type QuoteAtoms, SETTLEMENT_DECIMALS, ZERO_QUOTE } from '#units/money.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { NET_DEPOSIT_COMMANDS } from './command-effects.ts';
import type { ListedMarkets } from './listed-markets.ts';
import type { ProjectionStore } from './store.ts';

/** Adds the net deposits of a record: the operator's credits minus settled withdrawals. */
export function foldNetDeposits(store: ProjectionStore, { command, events }: CommittedRecord): void {
  if (!NET_DEPOSIT_COMMANDS.has(command.type)) return;
  let balanceAtoms = store.ledgers.find('net_deposits')?.balanceAtoms ?? ZERO_QUOTE;
  for (const event of events) {
    if (event.type === 'CashPosted' && event.kind === 'deposit') balanceAtoms = plus(balanceAtoms, event.amountAtoms);
    if (event.type === 'LedgerPosted' && event.ledger === 'insurance') balanceAtoms = plus(balanceAtoms, event.amountAtoms);
    if (event.type === 'WithdrawalSettled') balanceAtoms = plus(balanceAtoms, -event.amountAtoms as QuoteAtoms);
  }
  store.ledgers.put({ ledger: 'net_deposits', balanceAtoms });
}

const CASH = 'SELECT coalesce(sum(cashAtoms), 0) AS atoms FROM accounts';
const LEDGERS = "SELECT coalesce(sum(balanceAtoms), 0) AS atoms FROM ledgers WHERE ledger <> 'net_deposits'";
const NET_DEPOSITS = "SELECT coalesce(sum(balanceAtoms), 0) AS atoms FROM ledgers WHERE ledger = 'net_deposits'";
const POSITIONS = `SELECT market, sum(marginAtoms) AS margin, sum(signedBaseAtoms) AS base,
  sum(CASE WHEN signedBaseAtoms > 0 THEN entryNotionalAtoms ELSE -entryNotionalAtoms END) AS entry
  FROM episodes WHERE status = 'open' GROUP BY market`;

/** Reads every account and every open position, so it is only for occasional checks by the operator. */
export function conservation(store: ProjectionStore, markets: ListedMarkets): Conservation {
  const sum = (sql: string) => sumWide(store, sql).get()!.atoms as bigint;
  const netDeposits = sum(NET_DEPOSITS);
  let balance = sum(CASH) + sum(LEDGERS);
  for (const row of sumWide(store, POSITIONS).all()) balance += positionsValue(store, markets, row as Record<string, bigint>);
  return { netDeposits: money(netDeposits), imbalance: money(balance - netDeposits) };
}

/** Margin plus unrealized PnL. Long and short quantities are equal, so the mark cancels out; if they differ, the imbalance shows it. */
function positionsValue(store: ProjectionStore, markets: ListedMarkets, { market, margin, base, entry }: Record<string, bigint>) {
  const ordinal = Number(market) as MarketOrdinal;
  const mark = store.marketActivity.find(ordinal)?.markPriceAtoms ?? 0;
  return margin! + base! * BigInt(mark) * BigInt(markets.get(ordinal).tickLotAtoms) - entry!;
}

/** Reads integers as bigint, because a sum may exceed safe integers. */
function sumWide(store: ProjectionStore, sql: string) {
  const statement = store.statement(sql);
  statement.setReadBigInts(true);
  return statement;
}

function money(atoms: bigint): string {
  return renderDecimal(atoms, SETTLEMENT_DECIMALS);
}
