/**
 * Counts the money again from commands and events alone, with plain sums and nothing of the engine's: what each account's
 * cash, each position and the venue's ledgers must have come to. It knows no rule, only that money is moved, never made.
 */

/** A command or an event as anyone would read it from the journal. */
type Plain = { readonly type: string };
type Fields = Readonly<Record<string, unknown>>;

/** What a position came to: its margin, and what it cost, above zero for longs and below for shorts. */
export interface RawPosition {
  readonly margin: number;
  readonly signedEntry: number;
}

/** Events that move no money. One that is neither here nor below is a failure: whoever adds it says what it does. */
const MOVE_NOTHING = new Set([
  'CommandRefused',
  'EntryRefused',
  'MarketListed',
  'MarketStatusChanged',
  'MarketPriced',
  'MarketWorkPending',
  'FundingSettled',
  'AccountOpened',
  'AccountRetired',
  'ApiKeyIssued',
  'ApiKeyRevoked',
  'WithdrawalReserved',
  'WithdrawalReleased',
  'CashTransferred',
  'FavoriteSet',
  'LeaderboardListingSet',
  'LiquidationStarted',
  'OrderAccepted',
  'OrderRested',
  'TradeExecuted',
  'OrderFilled',
  'OrderCancelled',
]);

export class RawBalances {
  /** Cash by account ordinal. */
  readonly cash = new Map<number, number>();
  readonly ledgers: Record<string, number> = { fees: 0, deficit: 0, insurance: 0, funding: 0, withdrawals: 0 };
  /** By account ordinal and market ordinal; flat ones are left out. */
  readonly positions = new Map<string, RawPosition & { readonly isShort: boolean }>();
  /** All money that came in, less all that went out. */
  fromOutside = 0;
  /** All balances together, kept as they move. */
  #total = 0;

  /** What is there beyond what came in: 0, or the venue made or lost money. */
  get imbalance(): number {
    return this.#total - this.fromOutside;
  }

  /** The same, summed up anew from every single balance. */
  recountedImbalance(): number {
    let total = 0;
    for (const amount of this.cash.values()) total += amount;
    for (const amount of Object.values(this.ledgers)) total += amount;
    for (const { margin, signedEntry } of this.positions.values()) total += margin - signedEntry;
    return total - this.fromOutside;
  }

  /** Takes what came of a command. Throws for an event whose effect on money nobody has told. */
  take(command: Plain | undefined, events: readonly Plain[]): void {
    const isRefused = events[0]?.type === 'CommandRefused';
    // The insurance fund is the venue's own: that money comes in is told by the command alone.
    if (command?.type === 'CreditInsurance' && !isRefused) this.fromOutside += whole((command as unknown as Fields).amountAtoms);
    for (const event of events) this.#take(event as unknown as Fields);
  }

  #take(event: Fields): void {
    switch (event.type) {
      case 'CashPosted':
        this.#postCash(event);
        break;
      case 'LedgerPosted':
        this.#postLedger(String(event.ledger), whole(event.amountAtoms));
        break;
      case 'WithdrawalSettled':
        this.fromOutside -= whole(event.amountAtoms);
        break;
      case 'PositionChanged':
        this.#hold(event, whole(event.signedBaseAtoms) < 0, whole(event.signedBaseAtoms) === 0);
        break;
      case 'FundingPaid':
        this.#hold(event, this.positions.get(`${event.account}/${event.market}`)?.isShort === true, false);
        break;
      default:
        if (!MOVE_NOTHING.has(String(event.type))) throw new Error(`what does ${event.type} do to money?`);
    }
  }

  #postCash({ account, amountAtoms, kind }: Fields): void {
    const [ordinal, amount] = [whole(account), whole(amountAtoms)];
    this.cash.set(ordinal, (this.cash.get(ordinal) ?? 0) + amount);
    this.#total += amount;
    if (kind === 'deposit') this.fromOutside += amount;
  }

  #postLedger(ledger: string, amount: number): void {
    const balance = this.ledgers[ledger];
    if (balance === undefined) throw new Error(`whose is the ${ledger} ledger?`);
    this.ledgers[ledger] = balance + amount;
    this.#total += amount;
  }

  #hold({ account, market, marginAtoms, entryNotionalAtoms }: Fields, isShort: boolean, isFlat: boolean): void {
    const key = `${account}/${market}`;
    const before = this.positions.get(key);
    const margin = whole(marginAtoms);
    const signedEntry = isShort ? -whole(entryNotionalAtoms) : whole(entryNotionalAtoms);
    this.#total += margin - signedEntry - ((before?.margin ?? 0) - (before?.signedEntry ?? 0));
    if (isFlat) this.positions.delete(key);
    else this.positions.set(key, { margin, signedEntry, isShort });
  }
}

/** The balances of accounts that each had a deposit before the events. */
export function recount(accounts: number, depositAtoms: number, events: readonly Plain[]): RawBalances {
  const balances = new RawBalances();
  const deposits = Array.from({ length: accounts }, (_, index) => index + 1).map((account) => ({
    type: 'CashPosted',
    account,
    kind: 'deposit',
    amountAtoms: depositAtoms,
  }));
  balances.take(undefined, [...deposits, ...events]);
  return balances;
}

function whole(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw new Error(`not a whole amount: ${String(value)}`);
  return value as number;
}
