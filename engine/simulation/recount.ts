/**
 * Counts the money again from events alone, with plain sums and nothing of the engine's: what each account's cash, each
 * position's margin and the venue's ledgers must have come to. It knows no rule, only that money is moved, never made.
 */

/** An event as anyone would read it from the journal. */
type Plain = { readonly type: string } & Record<string, unknown>;

export interface Recount {
  /** Cash by account ordinal. */
  readonly cash: ReadonlyMap<number, number>;
  readonly ledgers: Readonly<Record<string, number>>;
  /** What is there beyond what came in: 0, or the venue made or lost money. */
  readonly imbalance: number;
}

export function recount(accounts: number, depositAtoms: number, events: readonly object[]): Recount {
  const cash = new Map<number, number>();
  for (let account = 1; account <= accounts; account += 1) cash.set(account, depositAtoms);
  const ledgers: Record<string, number> = { fees: 0, deficit: 0, insurance: 0, funding: 0, withdrawals: 0 };
  let left = 0;
  const held = new Map<string, { margin: number; signedEntry: number }>();
  for (const event of events as readonly Plain[]) {
    if (event.type === 'CashPosted')
      cash.set(Number(event.account), (cash.get(Number(event.account)) ?? 0) + Number(event.amountAtoms));
    if (event.type === 'LedgerPosted') ledgers[String(event.ledger)]! += Number(event.amountAtoms);
    if (event.type === 'WithdrawalSettled') left += Number(event.amountAtoms);
    if (event.type === 'FundingPaid') {
      const key = `${event.account}/${event.market}`;
      const sign = (held.get(key)?.signedEntry ?? 0) < 0 ? -1 : 1;
      held.set(key, { margin: Number(event.marginAtoms), signedEntry: sign * Number(event.entryNotionalAtoms) });
    }
    if (event.type === 'PositionChanged') {
      const sign = Number(event.signedBaseAtoms) < 0 ? -1 : 1;
      held.set(`${event.account}/${event.market}`, {
        margin: Number(event.marginAtoms),
        signedEntry: sign * Number(event.entryNotionalAtoms),
      });
    }
  }
  let total = left - accounts * depositAtoms;
  for (const balance of Object.values(ledgers)) total += balance;
  for (const amount of cash.values()) total += amount;
  for (const position of held.values()) total += position.margin - position.signedEntry;
  return { cash, ledgers, imbalance: total };
}
