/** Random steps of a history: orders, batches, price jumps, pauses that end funding periods, deposits and withdrawals, referrals. */
import fc from 'fast-check';
import { History } from '#simulation/history.ts';
import { advanceDeposit, advanceWithdrawal, bindDeposit, requestWithdrawal } from '#simulation/owner-flows.ts';
import { FINE_MARKET, SCENARIO_MARKET } from '#simulation/scenario.ts';
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import type { BaseAtoms, Bps, EpochMs, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { MARGIN_DIRECTIONS, TIMES_IN_FORCE } from '#venue/command.ts';
import { owned } from '#venue/owner/testing/owners.ts';

export const ACCOUNTS = 3;
/** The first market deleverages. The second does not, and has lots so small that every rounding shows. */
export const MARKETS = [1, 2] as MarketOrdinal[];

export type Step = (history: History) => void;

const account = fc.integer({ min: 1, max: ACCOUNTS });
const side = fc.constantFrom('buy' as const, 'sell' as const);
const price = fc.oneof(fc.integer({ min: 9_985, max: 10_015 }), fc.integer({ min: 9_200, max: 10_800 }));
const quantity = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 20_000 }));
const market = fc.constantFrom(...MARKETS);
const reduceOnly = fc.nat(3).map((roll) => roll === 0);
const flags = fc.record({ market, reduceOnly, leverageHundredths: fc.constantFrom(0, 200, 1_234, 2_000) });
const orderNumber = fc.nat(40);
const smallAmount = fc.integer({ min: 1, max: 1_000_000 }).map((atoms) => atoms as QuoteAtoms);

const limit = fc.tuple(account, side, price, quantity, flags, fc.boolean()).map(
  ([who, way, at, size, rest, postOnly]): Step =>
    (it) =>
      it.limit(who, way, at, size, { ...rest, postOnly }),
);
const marketOrder = fc.tuple(account, side, quantity, flags).map(
  ([who, way, size, rest]): Step =>
    (it) =>
      it.market(who, way, size, rest),
);
const notional = fc.tuple(account, side, fc.integer({ min: 1, max: 2_000_000_000 }), flags).map(
  ([who, way, money, rest]): Step =>
    (it) =>
      it.marketFor(who, way, money, rest),
);
/** Orders that wait for a price: exits of a position if there is one, else entries. Some are linked with the last one. */
const waiting = fc.tuple(account, side, price, quantity, fc.nat(7), fc.constantFrom('mark', 'index', 'last')).map(
  ([who, way, at, size, roll, source]): Step =>
    (it) => {
      const { signedBaseAtoms } = it.venue.state.account(who as AccountOrdinal)!.holdingIn(MARKETS[0]!);
      const isExit = signedBaseAtoms !== 0 && roll > 1;
      const kind = isExit ? (['stop_loss', 'take_profit', 'trailing_stop'] as const)[roll % 3]! : 'trigger';
      const isTrailing = kind === 'trailing_stop';
      const closePosition = isExit && roll % 2 === 0;
      const name = `waiting-${it.records.length}`;
      const exit = signedBaseAtoms > 0 ? ('sell' as const) : ('buy' as const);
      it.market(who, isExit ? exit : way, closePosition ? 0 : size, {
        clientOrderId: name,
        reduceOnly: isExit,
        trigger: {
          kind,
          source: isTrailing && source === 'last' ? 'mark' : source,
          direction: 'derived',
          priceAtoms: (isTrailing ? 0 : at) as PriceAtoms,
          trailingAtoms: (isTrailing && roll < 4 ? 40 : 0) as PriceAtoms,
          trailingBps: (isTrailing && roll >= 4 ? 30 : 0) as Bps,
          closePosition,
          linkedClientOrderId: roll === 5 ? `waiting-${it.records.length - 1}` : '',
        },
      });
    },
);
/** Entry orders with legs. */
const entry = fc.tuple(account, side, price, quantity, fc.nat(3)).map(
  ([who, way, at, size, roll]): Step =>
    (it) => {
      const sign = way === 'buy' ? 1 : -1;
      const leg = (away: number) => ({
        source: 'mark' as const,
        triggerPriceAtoms: (10_000 + sign * away) as PriceAtoms,
        priceAtoms: (roll === 0 ? 10_000 + sign * away : 0) as PriceAtoms,
      });
      const attached = { ...(roll < 3 && { stopLoss: leg(-60) }), ...(roll !== 1 && { takeProfit: leg(60) }) };
      if (roll === 2) it.market(who, way, size, { attached });
      else it.limit(who, way, at, size, { attached });
    },
);
const batch = fc.tuple(account, fc.array(fc.tuple(side, price, quantity), { minLength: 1, maxLength: 4 }), flags).map(
  ([who, entries, rest]): Step =>
    (it) =>
      it.batch(who, entries, rest),
);
const cancel = fc.tuple(account, orderNumber).map(
  ([who, order]): Step =>
    (it) =>
      it.cancel(who, order),
);
const cancels = fc.tuple(account, fc.array(orderNumber, { minLength: 1, maxLength: 4 })).map(
  ([who, orders]): Step =>
    (it) =>
      it.run({ type: 'CancelOrders', account: who as AccountOrdinal, orders: orders as OrderOrdinal[] }),
);
/** IOC and FOK orders, and GTD orders that expire at a pause or before. */
const timed = fc.tuple(account, side, price, quantity, fc.constantFrom(...TIMES_IN_FORCE)).map(
  ([who, way, at, size, timeInForce]): Step =>
    (it) => {
      const expiresAtEpochMs = (it.now + 1_001 + (size % 3_000)) as EpochMs;
      it.limit(who, way, at, size, { timeInForce, ...(timeInForce === 'GTD' && { expiresAtEpochMs }) });
    },
);
/** 0 keeps a price or a quantity. */
const amendment = fc.tuple(account, orderNumber, fc.option(price, { nil: 0 }), fc.option(quantity, { nil: 0 })).map(
  ([who, order, at, size]): Step =>
    (it) =>
      it.amend(who, order, at, size),
);
const timer = fc.tuple(account, fc.boolean(), fc.boolean()).map(
  ([who, isOff, isDue]): Step =>
    (it) => {
      const timeoutMs = isOff ? 0 : 1_000;
      it.run({ type: 'SetCancelAllAfter', account: who as AccountOrdinal, market: 0 as MarketOrdinal, timeoutMs });
      if (isDue) it.wait(1_000);
    },
);
const due: fc.Arbitrary<Step> = fc.constant((it) => it.run({ type: 'EndDueOrders' }));
/** Sometimes a jump that the market must confirm. */
const index = fc
  .tuple(market, fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 9_300, max: 10_700 }) }, fc.constantFrom(4_000, 20_000)))
  .map(
    ([of, at]): Step =>
      (it) =>
        it.price(at, of),
  );
const work = market.map(
  (of): Step =>
    (it) =>
      it.run({ type: 'AdvanceMarket', market: of }),
);
/** Mostly followed by new prices, because stale markets accept few commands. */
const pause = fc.tuple(fc.oneof(fc.nat(90_000), fc.nat(4_000_000), fc.nat(100_000_000)), fc.nat(3)).map(
  ([ms, roll]): Step =>
    (it) => {
      it.wait(ms);
      if (roll > 0) for (const of of MARKETS) it.price(10_000, of);
    },
);
const status = fc
  .tuple(market, fc.constantFrom('open' as const, 'open' as const, 'reduce_only' as const, 'cancel_only' as const))
  .map(
    ([of, next]): Step =>
      (it) =>
        it.run({ type: 'SetMarketStatus', market: of, status: next }),
  );
const money = fc.tuple(fc.nat(6), account, account, smallAmount, fc.integer({ min: 1, max: 6 })).map(
  ([kind, who, to, amountAtoms, number]): Step =>
    (it) => {
      const owner = who as AccountOrdinal;
      const withdrawal = number as WithdrawalOrdinal;
      if (kind === 0) it.run({ type: 'CreditCash', account: owner, amountAtoms, reference: 'more' });
      if (kind === 1) it.run({ type: 'CreditInsurance', amountAtoms, reference: 'fund' });
      if (kind === 2) it.run({ type: 'TransferCash', account: owner, to: to as AccountOrdinal, amountAtoms, reference: 'gift' });
      if (kind === 3) it.run({ type: 'ReserveWithdrawal', account: owner, amountAtoms, destination: 'party::elsewhere' });
      if (kind === 4) it.run({ type: 'ReleaseWithdrawal', withdrawal });
      if (kind === 6) it.run({ type: 'DebitCash', account: owner, amountAtoms, reference: 'bank' });
      if (kind === 5) it.run({ type: 'SettleWithdrawal', withdrawal });
    },
);

/** Owners fund their accounts and withdraw; the ledger accepts most steps. */
const ownerMoney = fc.tuple(fc.nat(5), account, smallAmount, fc.nat(30)).map(
  ([kind, who, amountAtoms, roll]): Step =>
    (it) => {
      const { deposits, withdrawals } = it.venue.state.settlement;
      const open = [...withdrawals.keys()];
      const unconfirmed = [...deposits.values()].filter((deposit) => deposit.step !== 'none');
      const reason = roll % 6 === 0 ? 'offer_expired' : '';
      if (kind === 0) bindDeposit(it, who);
      if (kind === 1) requestWithdrawal(it, who, amountAtoms);
      if (kind === 2 && unconfirmed.length > 0) advanceDeposit(it, unconfirmed[roll % unconfirmed.length]!.deposit, reason);
      if (kind > 2 && open.length > 0) advanceWithdrawal(it, open[roll % open.length]!, reason);
    },
);

const preference = fc.tuple(account, market, fc.boolean(), fc.boolean()).map(
  ([who, of, isListing, chosen]): Step =>
    (it) => {
      const owner = who as AccountOrdinal;
      const named = { displayName: chosen ? `trader ${who}` : '', handle: chosen ? `trader-${'0'.repeat(15)}${who}` : '' };
      if (isListing) it.run({ type: 'SetLeaderboardListing', account: owner, shown: chosen, ...named });
      else {
        it.run({ type: 'SetFavorite', account: owner, market: of, favorite: chosen });
        it.run({ type: 'SetLeverage', account: owner, market: of, leverageHundredths: chosen ? 305 * who : 0 });
      }
    },
);

const margin = fc.tuple(account, market, fc.constantFrom(...MARGIN_DIRECTIONS), smallAmount).map(
  ([who, of, direction, amountAtoms]): Step =>
    (it) =>
      it.run({ type: 'AdjustPositionMargin', account: who as AccountOrdinal, market: of, direction, amountAtoms }),
);

/** Affiliates, the accounts that they refer, and orders of those. */
const referral = fc.tuple(fc.nat(5), account, side, quantity).map(
  ([kind, who, way, size]): Step =>
    (it) => {
      const owner = who as AccountOrdinal;
      const referralCode = `code-of-${who}`;
      const { affiliates, owners } = it.venue.state;
      const referred = [...affiliates.referrers.keys()];
      if (kind === 0) it.run({ type: 'SkipKyc', account: owner });
      if (kind === 1) it.run({ type: 'RegisterAffiliate', account: owner, referralCode });
      if (kind === 2) {
        const opened = owned(it, 1_000 + owners.byAccount.size, 'activate', { referralCode });
        it.run({ type: 'CreditCash', account: opened, amountAtoms: 1_000_000_000 as QuoteAtoms, reference: 'friend' });
      }
      if (kind > 2 && referred.length > 0) it.market(referred[size % referred.length]!, way, size);
    },
);

export const step = fc.oneof(
  { weight: 12, arbitrary: limit },
  { weight: 6, arbitrary: marketOrder },
  { weight: 2, arbitrary: notional },
  { weight: 2, arbitrary: batch },
  { weight: 4, arbitrary: waiting },
  { weight: 2, arbitrary: entry },
  { weight: 3, arbitrary: cancel },
  { weight: 1, arbitrary: cancels },
  { weight: 3, arbitrary: timed },
  { weight: 3, arbitrary: amendment },
  { weight: 1, arbitrary: timer },
  { weight: 2, arbitrary: due },
  { weight: 5, arbitrary: index },
  { weight: 1, arbitrary: work },
  { weight: 2, arbitrary: pause },
  { weight: 1, arbitrary: status },
  { weight: 3, arbitrary: money },
  { weight: 3, arbitrary: ownerMoney },
  { weight: 2, arbitrary: margin },
  { weight: 1, arbitrary: preference },
  { weight: 3, arbitrary: referral },
);

/** Of an open order. 0 keeps a price or a quantity. */
export const openAmendment = fc.tuple(orderNumber, fc.option(price, { nil: 0 }), fc.option(quantity, { nil: 0 })).map(
  ([number, at, size]): Step =>
    (it) => {
      const { orders } = it.venue.state;
      const open = orders.slotsByAge();
      if (open.length === 0) return;
      const slot = open[number % open.length]!;
      const named = { account: orders.accountOf(slot), market: orders.marketOf(slot), order: orders.orderOf(slot) };
      it.run({ type: 'AmendOrder', ...named, priceAtoms: at as PriceAtoms, quantityAtoms: size as BaseAtoms });
    },
);
/** Maintenance rates below the initial margin, which may start or end liquidations. */
export const marketUpdate = fc.tuple(market, fc.integer({ min: 230, max: 499 }), fc.integer({ min: 4, max: 6 })).map(
  ([of, first, fee]): Step =>
    (it) => {
      const { specification } = it.venue.state.market(of)!;
      const maintenanceMarginTiers = specification.maintenanceMarginTiers.map((tier, place) => ({
        ...tier,
        maintenanceMarginBps: (first + 250 * place) as Bps,
      }));
      it.run({
        type: 'UpdateMarket',
        market: of,
        specification: { ...specification, maintenanceMarginTiers, takerFeeBps: fee as Bps },
      });
    },
);

export function historyOf(steps: readonly Step[]): History {
  // Pauses are long and prices few, so a funding period has only two premium samples.
  const premiumSampleMs = 1_800_000;
  const history = History.begin(ACCOUNTS, { ...SCENARIO_MARKET, premiumSampleMs });
  history.snapshotEvery = Number.POSITIVE_INFINITY;
  const specification = { ...FINE_MARKET, premiumSampleMs, marketId: 'ETH-USD-PERP', autoDeleveraging: false };
  history.run({ type: 'ListMarket', specification, status: 'open' });
  history.price(10_000, MARKETS[1]);
  history.run({ type: 'SetCapability', capability: 'affiliate', isOn: true });
  for (const take of steps) take(history);
  return history;
}
