/**
 * A crash of a few accounts in one market, turn by turn, in which everything happens that the auditor checks: funding,
 * withdrawals, a transfer, a liquidation that the fund and others pay for, one that the book alone closes, a jump, an outage.
 */
import { AuditedVenue } from '#simulation/crash/audited-venue.ts';
import { CRASH_MARKETS, dollars, FEED_MS } from '#simulation/crash/crash-parameters.ts';
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import { leverageHundredths } from '#units/leverage.ts';
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { Command, OrderTerms, Side } from '#venue/command.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';

/** Short periods: one ends during the crash, and one sample of the book gives its rate. */
const PERIOD_MS = 75_000;
export const SMALL_MARKETS = CRASH_MARKETS.slice(0, 1).map((market) => ({
  ...market,
  fundingPeriodMs: PERIOD_MS,
  premiumSampleMs: PERIOD_MS,
}));

export const MAKER = 1;
/** At 50 × leverage, the fall makes it bankrupt. */
export const BANKRUPT = 2;
/** At 25 × leverage, it is liquidated in time. */
export const LIQUIDATED = 3;
/** Short at 10 × leverage, it ranks first for deleveraging. */
export const WINNER = 4;
export const BIDDER = 5;

const BTC = 1 as MarketOrdinal;
const ONE = 100_000;
/** 2021-05-19, 11:59:10: five observations before a period ends. */
const START = 1_621_425_550_000;

/** Returns its turns. Throws if the auditor finds a fault. */
export function smallCrash(): CommittedRecord[] {
  const script = new CrashScript();
  script.open();
  script.trade();
  script.payFunding();
  script.moveCash();
  script.fall();
  script.loseIndex();
  return script.turns;
}

class CrashScript {
  readonly turns: CommittedRecord[] = [];
  readonly #venue = new AuditedVenue({ invariantsEvery: 1, onTurn: (turn) => this.turns.push(turn) });

  open(): void {
    this.#venue.now = START;
    this.#run({ type: 'CreditInsurance', amountAtoms: dollars(50) as QuoteAtoms, reference: 'script' });
    for (const specification of SMALL_MARKETS) this.#run({ type: 'ListMarket', specification, status: 'open' });
    for (const [index, cash] of [10_000_000, 3_000, 2_000, 20_000, 1_000_000].entries()) {
      this.#run({ type: 'OpenAccount', label: 'trader', partyId: 'party', digestSeed: 7 });
      const account = (index + 1) as AccountOrdinal;
      this.#run({ type: 'CreditCash', account, amountAtoms: dollars(cash) as QuoteAtoms, reference: 'script' });
    }
    this.#price(400_000);
  }

  /** Three bitcoins are long, and three short. */
  trade(): void {
    this.#limit(MAKER, 'sell', 400_100, 3 * ONE);
    this.#limit(MAKER, 'buy', 399_900, 2 * ONE);
    this.#market(BANKRUPT, 'buy', 2 * ONE, 50);
    this.#market(LIQUIDATED, 'buy', ONE, 25);
    this.#market(WINNER, 'sell', 1.5 * ONE, 10);
  }

  payFunding(): void {
    for (let count = 0; count < 6; count += 1) this.#price(400_000 + count);
  }

  moveCash(): void {
    const account = WINNER as AccountOrdinal;
    const reserve = (amount: number) =>
      this.#run({ type: 'ReserveWithdrawal', account, amountAtoms: dollars(amount) as QuoteAtoms, destination: 'party' });
    reserve(1_000);
    reserve(500);
    this.#run({ type: 'SettleWithdrawal', withdrawal: 1 as WithdrawalOrdinal });
    this.#run({ type: 'ReleaseWithdrawal', withdrawal: 2 as WithdrawalOrdinal });
    const to = BIDDER as AccountOrdinal;
    this.#run({ type: 'TransferCash', account, to, amountAtoms: dollars(100) as QuoteAtoms, reference: 'script' });
  }

  /** The maker leaves. The first bids are partly beyond what the bankrupt position can pay, and not enough for it. */
  fall(): void {
    this.#run({ type: 'CancelOrder', account: MAKER as AccountOrdinal, order: 2 as OrderOrdinal });
    this.#limit(BIDDER, 'buy', 393_500, 0.3 * ONE);
    this.#limit(BIDDER, 'buy', 391_500, 0.2 * ONE);
    this.#price(391_000);
    this.#limit(BIDDER, 'buy', 388_500, ONE);
    this.#price(387_000);
  }

  /** The index jumps and is confirmed. Then observations stop, and openings are refused. */
  loseIndex(): void {
    for (const price of [360_000, 359_000, 358_000]) this.#price(price);
    this.#limit(BIDDER, 'buy', 357_000, ONE);
    this.#limit(MAKER, 'sell', 362_000, 0.1 * ONE);
    this.#venue.now += 10 * FEED_MS;
    this.#limit(BIDDER, 'buy', 356_000, ONE);
  }

  #price(priceAtoms: number): void {
    this.#venue.now += FEED_MS;
    this.#venue.publish(BTC, { priceAtoms, observedAtEpochMs: this.#venue.now - 100 });
  }

  #limit(account: number, side: Side, priceAtoms: number, lots: number): void {
    const terms = {
      kind: 'limit',
      priceAtoms: priceAtoms as PriceAtoms,
      quantityAtoms: lots as BaseAtoms,
      postOnly: false,
    } as const;
    this.#place(account, side, terms, 2);
  }

  #market(account: number, side: Side, lots: number, leverageX: number): void {
    this.#place(account, side, { kind: 'market', quantityAtoms: lots as BaseAtoms }, leverageX);
  }

  #place(account: number, side: Side, terms: OrderTerms, leverageX: number): void {
    const clientOrderId = `order-${this.#venue.sequence}`;
    const rest = {
      clientOrderId,
      side,
      terms,
      reduceOnly: false,
      leverageHundredths: leverageHundredths(leverageX),
      idempotencyKey: clientOrderId,
    };
    this.#run({ type: 'PlaceOrder', account: account as AccountOrdinal, market: BTC, ...rest });
  }

  #run(command: Command): void {
    this.#venue.run(command);
  }
}
