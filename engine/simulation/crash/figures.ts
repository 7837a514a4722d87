/** The figures of a crash, counted from its events. */
import type { Auditor } from '#simulation/auditor/auditor.ts';
import { equityAt } from '#simulation/auditor/position-rules.ts';
import type { VenueEvent } from '#venue/event.ts';

/** Amounts are money atoms. */
export interface CrashFigures {
  steps: number;
  outageSteps: number;
  turns: number;
  /** Refusals by their code, of commands and of entries in a batch. */
  readonly refusals: Map<string, number>;
  trades: number;
  /** Orders that waited for a price, and those of them that were triggered. */
  waited: number;
  triggered: number;
  /** Liquidated episodes, their accounts, and the notional that the book closed. */
  readonly liquidated: Set<number>;
  readonly liquidatedAccounts: Set<number>;
  liquidatedNotional: number;
  /** Bankrupt episodes that were deleveraged, the counterparties' positions that were closed for them, and the notional. */
  readonly deleveraged: Set<number>;
  counterparties: number;
  deleveragedNotional: number;
  insuranceStart: number;
  insuranceSpent: number;
  insuranceEarned: number;
  insuranceEnd: number;
  fees: number;
  deficit: number;
  /** The funding that payers paid, and the number of periods. */
  fundingPaid: number;
  fundingPeriods: number;
  withdrawn: number;
  /** How often an index became current again after a jump, and after an outage. */
  confirmed: number;
  returned: number;
  /** The lowest and the highest index of each market, in ticks. */
  readonly range: Map<number, [number, number]>;
  /** The account with the largest loss of its deposits. */
  worst: { account: number; lost: number; deposits: number };
  openPositions: number;
}

export class FigureCount {
  readonly figures: CrashFigures = {
    steps: 0,
    outageSteps: 0,
    turns: 0,
    refusals: new Map(),
    trades: 0,
    waited: 0,
    triggered: 0,
    liquidated: new Set(),
    liquidatedAccounts: new Set(),
    liquidatedNotional: 0,
    deleveraged: new Set(),
    counterparties: 0,
    deleveragedNotional: 0,
    insuranceStart: 0,
    insuranceSpent: 0,
    insuranceEarned: 0,
    insuranceEnd: 0,
    fees: 0,
    deficit: 0,
    fundingPaid: 0,
    fundingPeriods: 0,
    withdrawn: 0,
    confirmed: 0,
    returned: 0,
    range: new Map(),
    worst: { account: 0, lost: 0, deposits: 0 },
    openPositions: 0,
  };
  readonly #auditor: Auditor;
  readonly #deposits = new Map<number, number>();
  /** The last trade was a deleveraging. */
  #isDeleveraging = false;
  readonly #indexStatus = new Map<number, string>();

  /** Balances and positions are read from the auditor of the same turns. */
  constructor(auditor: Auditor) {
    this.#auditor = auditor;
  }

  turn(events: readonly VenueEvent[]): void {
    this.figures.turns += 1;
    for (const event of events) this.#take(event, events.length === 1);
  }

  /** Computes the equity of all accounts at the end, with positions at the mark price. */
  close(): CrashFigures {
    const { figures } = this;
    const { money, markets, positions } = this.#auditor;
    const equity = new Map(money.cash);
    for (const [market, position] of positions.all()) {
      const { mark, listing } = markets.of(market);
      const { account } = position;
      equity.set(account, (equity.get(account) ?? 0) + equityAt(mark, position, listing));
    }
    for (const [account, deposits] of this.#deposits) {
      const lost = deposits - (equity.get(account) ?? 0);
      if (lost > figures.worst.lost) figures.worst = { account, lost, deposits };
    }
    figures.openPositions = positions.count;
    return figures;
  }

  #take(event: VenueEvent, isAlone: boolean): void {
    const { figures } = this;
    switch (event.type) {
      case 'CommandRefused':
      case 'EntryRefused':
        figures.refusals.set(event.code, (figures.refusals.get(event.code) ?? 0) + 1);
        return;
      case 'MarketPriced':
        this.#price(event);
        return;
      case 'FundingSettled':
        figures.fundingPeriods += 1;
        return;
      case 'FundingPaid':
        figures.fundingPaid += Math.max(0, event.paidAtoms);
        return;
      case 'LiquidationStarted':
        figures.liquidated.add(event.position);
        figures.liquidatedAccounts.add(event.account);
        return;
      case 'TriggerAccepted':
        figures.waited += 1;
        return;
      case 'OrderTriggered':
        figures.triggered += 1;
        return;
      case 'TradeExecuted':
        figures.trades += 1;
        this.#isDeleveraging = event.origin === 'auto_deleveraging';
        if (event.origin === 'liquidation') figures.liquidatedNotional += event.notionalAtoms;
        if (event.origin === 'auto_deleveraging') figures.deleveragedNotional += event.notionalAtoms;
        return;
      case 'PositionChanged':
        if (event.cause === 'auto_deleveraging') figures.counterparties += 1;
        if (event.cause === 'liquidation' && this.#isDeleveraging) figures.deleveraged.add(event.position);
        return;
      case 'CashPosted':
        if (event.kind === 'deposit') this.#deposit(event.account, event.amountAtoms);
        return;
      case 'WithdrawalSettled':
        this.#deposit(event.account, -event.amountAtoms);
        figures.withdrawn += event.amountAtoms;
        return;
      case 'LedgerPosted':
        this.#post(event, isAlone);
        return;
    }
  }

  #price({ market, indexPriceAtoms, indexStatus }: VenueEvent & { type: 'MarketPriced' }): void {
    const [low, high] = this.figures.range.get(market) ?? [indexPriceAtoms, indexPriceAtoms];
    this.figures.range.set(market, [Math.min(low, indexPriceAtoms), Math.max(high, indexPriceAtoms)]);
    const before = this.#indexStatus.get(market);
    if (indexStatus === 'current' && before === 'unconfirmed') this.figures.confirmed += 1;
    if (indexStatus === 'current' && before === 'stale') this.figures.returned += 1;
    this.#indexStatus.set(market, indexStatus);
  }

  #post({ ledger, amountAtoms, balanceAtoms }: VenueEvent & { type: 'LedgerPosted' }, isAlone: boolean): void {
    const { figures } = this;
    if (ledger === 'fees') figures.fees = balanceAtoms;
    if (ledger === 'deficit') figures.deficit = -balanceAtoms;
    if (ledger !== 'insurance') return;
    figures.insuranceEnd = balanceAtoms;
    // A credit from outside is the only event of its turn.
    if (isAlone) figures.insuranceStart += amountAtoms;
    else if (amountAtoms > 0) figures.insuranceEarned += amountAtoms;
    else figures.insuranceSpent -= amountAtoms;
  }

  #deposit(account: number, amount: number): void {
    this.#deposits.set(account, (this.#deposits.get(account) ?? 0) + amount);
  }
}

/** A table of the figures of runs side by side. */
export function tableOf(title: string, columns: Readonly<Record<string, CrashFigures>>): string {
  const rows: [string, (figures: CrashFigures) => string][] = [
    ['index, in ticks', ({ range }) => [...range.values()].map(([low, high]) => `${low}–${high}`).join(', ')],
    ['observations / without a price', ({ steps, outageSteps }) => `${steps} / ${outageSteps}`],
    ['confirmed jumps / ends of outages', ({ confirmed, returned }) => `${confirmed} / ${returned}`],
    ['refused without a current index', ({ refusals }) => `${refusals.get('index_not_current') ?? 0}`],
    ['turns / trades', ({ turns, trades }) => `${turns} / ${trades}`],
    ['trigger orders / triggered', ({ waited, triggered }) => `${waited} / ${triggered}`],
    [
      'positions liquidated / of accounts',
      ({ liquidated, liquidatedAccounts }) => `${liquidated.size} / ${liquidatedAccounts.size}`,
    ],
    ['  closed in the book', ({ liquidatedNotional }) => money(liquidatedNotional)],
    ['positions deleveraged / against', ({ deleveraged, counterparties }) => `${deleveraged.size} / ${counterparties}`],
    ['  closed against others', ({ deleveragedNotional }) => money(deleveragedNotional)],
    ['insurance before', ({ insuranceStart }) => money(insuranceStart)],
    ['  earned', ({ insuranceEarned }) => money(insuranceEarned)],
    ['  spent', ({ insuranceSpent }) => money(insuranceSpent)],
    ['  after', ({ insuranceEnd }) => money(insuranceEnd)],
    ['deficit', ({ deficit }) => money(deficit)],
    ['fees', ({ fees }) => money(fees)],
    ['funding paid / periods', ({ fundingPaid, fundingPeriods }) => `${money(fundingPaid)} / ${fundingPeriods}`],
    ['withdrawn', ({ withdrawn }) => money(withdrawn)],
    ['worst loss / of deposits', ({ worst }) => `${money(worst.lost)} / ${money(worst.deposits)}`],
    ['positions open at the end', ({ openPositions }) => `${openPositions}`],
  ];
  const cells = [[title, ...Object.keys(columns)], ...rows.map(([name, of]) => [name, ...Object.values(columns).map(of)])];
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  return cells.map((row) => row.map((cell, column) => pad(cell, widths[column]!, column)).join('   ')).join('\n');
}

function pad(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}

/** Whole dollars with separators between thousands. */
function money(atoms: number): string {
  return Math.round(atoms / 1_000_000).toLocaleString('en-US');
}
