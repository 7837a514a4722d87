/** What each private channel publishes for a record, from the state of the account and its markets after the record. */
import type { AccountChannel, ChannelData } from '#contract/realtime-channels.ts';
import { type AccountView, accountValuesOf } from '#projection/account-values.ts';
import { dayRowOf } from '#projection/affiliate-fold.ts';
import { affiliateDay, affiliateTotal } from '#projection/affiliate-resource.ts';
import { loggedAction } from '#projection/deployment-resource.ts';
import { renderMoney } from '#projection/market-scales.ts';
import { fillResource, orderResource } from '#projection/order-resource.ts';
import { accountDigest, riskStateDigest } from '#projection/read-model-digest.ts';
import type { RecordChanges } from '#projection/record-changes.ts';
import { withdrawalResource } from '#projection/withdrawal-resource.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { renderOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import { pnlUpdate, positionsUpdate, touchedMarks } from './position-updates.ts';

type Source<Channel extends AccountChannel> = (changes: RecordChanges, view: AccountView) => ChannelData<Channel> | undefined;

const SOURCES: { readonly [Channel in AccountChannel]: Source<Channel> } = {
  'account.orders': ({ orders }, { row, scales }) => {
    const own = orders.filter(({ after }) => after.account === row.account);
    return own.length === 0 ? undefined : { orders: own.map(({ after }) => orderResource(after, scales(after.market))) };
  },

  'account.fills': ({ fills }, { row, scales }) => {
    const own = fills.filter((fill) => fill.account === row.account);
    return own.length === 0 ? undefined : { fills: own.map((fill) => fillResource(fill, scales(fill.market))) };
  },

  'account.durability': ({ posted, paid, fills, group }, { row, scales }) => {
    const cash = posted.filter(({ account }) => account === row.account);
    const funding = paid.filter(({ account }) => account === row.account);
    const trades = fills.filter(({ account }) => account === row.account);
    if (cash.length + funding.length + trades.length === 0) return undefined;
    const { number, firstSequence, lastSequence, digest, previousDigest } = group;
    return {
      sequenceSource: 'journal',
      coverage: 'off_chain',
      group: { number, firstSequence, lastSequence, digest: `sha256:${digest}` },
      storageChain: { previousDigest: `sha256:${previousDigest}`, digest: `sha256:${digest}` },
      cashChanges: cash.map(({ kind, amountAtoms, cashAtoms }) => ({
        kind,
        amountAtoms: String(amountAtoms),
        cashAtoms: String(cashAtoms),
      })),
      fundingSettlements: funding.map(({ position, market, period, paidAtoms }) => ({
        positionId: renderOrdinal(position),
        marketId: scales(market).marketId,
        period,
        paidAtoms: String(paidAtoms),
      })),
      trades: trades.map(({ trade, order, market }) => ({
        tradeId: renderOrdinal(trade),
        orderId: renderOrdinal(order),
        marketId: scales(market).marketId,
      })),
    };
  },

  'account.positions': positionsUpdate,
  'account.pnl': pnlUpdate,

  'account.margin': (changes, view) => {
    const { row, episodes, activity } = view;
    const isOwn =
      changes.accounts.some(({ after }) => after.account === row.account) ||
      changes.episodes.some(({ after }) => after.account === row.account);
    const marks = touchedMarks(changes, view);
    if (!isOwn && !episodes.some(({ market }) => marks.has(market))) return undefined;
    const { equityAtoms, availableAtoms, marginAtoms, evidence } = accountValuesOf(view);
    const digest = riskStateDigest(row, episodes, activity);
    if (evidence !== 'complete') return { kind: 'digest', riskEvidence: { status: evidence }, riskStateDigest: digest };
    return {
      kind: 'values',
      riskEvidence: { status: 'complete' },
      cashBalanceAtoms: String(row.cashAtoms),
      equityAtoms: String(equityAtoms),
      availableForOrdersAtoms: String(availableAtoms),
      reservedForOrdersAtoms: String(row.reservedAtoms),
      positionMarginAtoms: String(marginAtoms),
      readModelDigest: accountDigest(row, episodes),
      riskStateDigest: digest,
    };
  },

  'account.balance': ({ posted, withdrawn }, { row }) => {
    const own = ({ account }: { readonly account: AccountOrdinal }) => account === row.account;
    const deposits = posted.filter((event) => event.kind === 'deposit' && own(event));
    const changes = [
      ...deposits.map(({ amountAtoms }) => balanceChange('deposit', amountAtoms)),
      ...withdrawn.filter(own).map(({ amountAtoms }) => balanceChange('withdrawal', -amountAtoms as QuoteAtoms)),
    ];
    if (changes.length === 0) return undefined;
    return { changes, cashAtoms: String(row.cashAtoms), cash: renderMoney(row.cashAtoms) };
  },

  'account.withdrawals': ({ withdrawals }, { row }) => {
    const own = withdrawals.filter(({ after }) => after.account === row.account);
    return own.length === 0 ? undefined : { withdrawals: own.map(({ after }) => withdrawalResource(after)) };
  },

  'account.earnings': ({ affiliates }, { row }) => {
    const own = affiliates.find(({ after }) => after.account === row.account)?.after;
    if (own === undefined) return undefined;
    return { total: affiliateTotal(own), day: own.dayFills === 0 ? null : affiliateDay(dayRowOf(own)) };
  },

  'account.agents': ({ agentActions }, { row, scales }) => {
    const own = agentActions.filter(({ account }) => account === row.account);
    return own.length === 0 ? undefined : { actions: own.map((action) => loggedAction(action, scales(action.market))) };
  },
};

function balanceChange(
  kind: 'deposit' | 'withdrawal',
  amountAtoms: QuoteAtoms,
): ChannelData<'account.balance'>['changes'][number] {
  return { kind, asset: 'USD.E', amountAtoms: String(amountAtoms), amount: renderMoney(amountAtoms) };
}

/** A record's update for a channel; `undefined` if the record does not concern it. `view` is the state after the record. */
export function accountUpdate(channel: AccountChannel, changes: RecordChanges, view: AccountView): object | undefined {
  return SOURCES[channel](changes, view);
}

/** The accounts that a record concerns. */
export function affectedAccounts({
  orders,
  episodes,
  accounts,
  withdrawn,
  withdrawals,
  affiliates,
  agentActions,
}: RecordChanges): ReadonlySet<AccountOrdinal> {
  const changed = new Set<AccountOrdinal>();
  for (const { after } of accounts) changed.add(after.account);
  for (const { after } of orders) changed.add(after.account);
  for (const { after } of episodes) changed.add(after.account);
  for (const { account } of withdrawn) changed.add(account);
  for (const { after } of withdrawals) changed.add(after.account);
  for (const { after } of affiliates) changed.add(after.account);
  for (const { account } of agentActions) changed.add(account);
  return changed;
}
