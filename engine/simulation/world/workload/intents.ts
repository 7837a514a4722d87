/**
 * The commands of a test world: for each kind, which senders send it how often, and how it is made. A missing kind does not
 * compile.
 */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import { baseAtoms, epochMs, priceAtoms, type QuoteAtoms, quoteAtoms } from '#units/money.ts';
import type { Amendment, CancelOrders, Command } from '#venue/command.ts';
import { ENVIRONMENTS, MARGIN_DIRECTIONS, NAMED_CAPABILITIES, SCOPES, VENUE_STATUSES } from '#venue/command.ts';
import { AGENT_ACCOUNT_INTENTS } from './agent-account-intents.ts';
import { AGENT_INTENTS } from './agent-intents.ts';
import type { Intents } from './intent.ts';
import { marketUpdate } from './market-updates.ts';
import { createEntry, createOrder } from './order-making.ts';
import { OWNER_INTENTS } from './owner-intents.ts';
import type { Scene, Sender } from './sender.ts';
import { SETTLEMENT_INTENTS } from './settlement-intents.ts';
import { WORLD_MARKETS } from './world-markets.ts';

export const INTENTS: Intents = {
  ...OWNER_INTENTS,
  ...SETTLEMENT_INTENTS,
  ...AGENT_ACCOUNT_INTENTS,
  ...AGENT_INTENTS,
  PlaceOrder: {
    weights: { maker: 12, taker: 16, gambler: 18, canceller: 6, duplicator: 7, stranger: 6 },
    make: createOrder,
  },
  PlaceOrders: {
    weights: { maker: 3, canceller: 1, duplicator: 1, stranger: 1 },
    make: (sender, scene) => {
      const length = sender.tradingStyle === 'stranger' ? sender.random.between(0, 34) : sender.random.between(1, 6);
      const entries = Array.from({ length }, () => createEntry(sender, scene)).filter((entry) => entry !== undefined);
      return { type: 'PlaceOrders', account: accountFor(sender), entries, idempotencyKey: sender.newText() };
    },
  },
  CancelOrder: {
    weights: { maker: 5, taker: 1, canceller: 6, duplicator: 3, stranger: 3 },
    make: (sender, scene) => {
      const order = orderToCancel(sender, scene);
      return order === undefined ? undefined : { type: 'CancelOrder', account: accountFor(sender), order };
    },
  },
  CancelOrders: {
    weights: { maker: 2, canceller: 2, stranger: 1 },
    make: (sender, scene): CancelOrders => {
      const length = sender.tradingStyle === 'stranger' ? sender.random.between(0, 34) : sender.random.between(1, 5);
      const orders = Array.from({ length }, () => orderToCancel(sender, scene)).filter((order) => order !== undefined);
      return { type: 'CancelOrders', account: accountFor(sender), orders };
    },
  },
  PublishIndexPrice: {
    weights: { feed: 20, stranger: 0.2 },
    make: ({ random }, scene) => {
      if (scene.view.markets.length === 0) return undefined;
      const market = random.pick(scene.view.markets);
      const price = scene.feed.next(market, random);
      if (price === undefined) return undefined;
      // Some observations are older than they should be.
      const observedAt = scene.nowEpochMs() - (random.chance(0.1) ? random.between(1, 400_000) : random.between(0, 50));
      return {
        type: 'PublishIndexPrice',
        market: market.ordinal as MarketOrdinal,
        priceAtoms: priceAtoms(price),
        observedAtEpochMs: epochMs(observedAt),
      };
    },
  },
  AdvanceMarket: {
    weights: { clockwork: 10, stranger: 0.2 },
    make: ({ random }, { view }) => {
      const busy = view.markets.filter(({ hasWork }) => hasWork);
      for (const market of busy) market.hasWork = false;
      const market = busy.length > 0 ? random.pick(busy).ordinal : random.between(0, view.markets.length);
      return { type: 'AdvanceMarket', market: market as MarketOrdinal };
    },
  },
  AmendOrder: {
    weights: { maker: 3, taker: 1, gambler: 1, canceller: 2, duplicator: 1, stranger: 2 },
    make: (sender, scene) => {
      const amendment = createAmendment(sender, scene);
      return amendment && { type: 'AmendOrder', account: accountFor(sender), ...amendment };
    },
  },
  AmendOrders: {
    weights: { maker: 2, stranger: 0.5 },
    make: (sender, scene) => {
      const length = sender.tradingStyle === 'stranger' ? sender.random.between(0, 34) : sender.random.between(1, 5);
      const entries = Array.from({ length }, () => createAmendment(sender, scene)).filter((entry) => entry !== undefined);
      return { type: 'AmendOrders', account: accountFor(sender), entries };
    },
  },
  SetCancelAllAfter: {
    weights: { maker: 0.5, canceller: 0.5, stranger: 0.5 },
    make: (sender, { view }) => ({
      type: 'SetCancelAllAfter',
      account: accountFor(sender),
      market: sender.random.between(0, view.markets.length + 1) as MarketOrdinal,
      timeoutMs: sender.random.chance(0.2) ? 0 : sender.random.between(900, 20_000),
    }),
  },
  EndDueOrders: { weights: { clockwork: 4, stranger: 0.2 }, make: () => ({ type: 'EndDueOrders' }) },
  ReserveWithdrawal: {
    weights: { maker: 0.2, taker: 0.5, gambler: 0.3, duplicator: 0.5, stranger: 0.5 },
    make: (sender, scene) => ({
      type: 'ReserveWithdrawal',
      account: accountFor(sender),
      amountAtoms: quoteAtoms(amountFrom(sender, scene)),
      destination: sender.newText(),
    }),
  },
  ReleaseWithdrawal: {
    weights: { operator: 2 },
    make: (sender, scene) => ({ type: 'ReleaseWithdrawal', withdrawal: withdrawalFor(sender, scene) }),
  },
  SettleWithdrawal: {
    weights: { operator: 2 },
    make: (sender, scene) => ({ type: 'SettleWithdrawal', withdrawal: withdrawalFor(sender, scene) }),
  },
  DebitCash: {
    weights: { operator: 1 },
    make: (sender, { view }) => {
      const account = sender.random.between(1, view.accounts.length + 1) as AccountOrdinal;
      const amountAtoms = quoteAtoms(someOf(view.account(account)?.available ?? 0, sender));
      return { type: 'DebitCash', account, amountAtoms, reference: sender.newText(), ...moneyId(sender) };
    },
  },
  TransferCash: {
    weights: { maker: 0.2, taker: 0.5, gambler: 0.3, duplicator: 0.5, stranger: 0.5 },
    make: (sender, scene) => ({
      type: 'TransferCash',
      account: accountFor(sender),
      to: sender.random.between(1, scene.view.accounts.length + 1) as AccountOrdinal,
      amountAtoms: quoteAtoms(amountFrom(sender, scene)),
      reference: sender.newText(),
      ...moneyId(sender),
    }),
  },
  CreditCash: {
    weights: { operator: 4 },
    make: (sender, { view }) => ({
      type: 'CreditCash',
      account: sender.random.between(1, view.accounts.length + 1) as AccountOrdinal,
      amountAtoms: quoteAtoms(sender.random.chance(0.05) ? 0 : sender.random.between(1, 2_000_000_000)),
      reference: sender.newText(),
      ...moneyId(sender),
    }),
  },
  CreditInsurance: {
    weights: { operator: 1 },
    make: (sender) => ({
      type: 'CreditInsurance',
      amountAtoms: quoteAtoms(sender.random.chance(0.05) ? 0 : sender.random.between(1, 100_000_000)),
      reference: sender.newText(),
      ...moneyId(sender),
    }),
  },
  ListMarket: {
    weights: { operator: 0.3 },
    make: ({ random }) => ({ type: 'ListMarket', specification: random.pick(WORLD_MARKETS), status: 'open' }),
  },
  SetMarketStatus: {
    weights: { operator: 2 },
    make: ({ random }, { view }) => {
      const closed = view.markets.find(({ status }) => status !== 'open');
      const market = (closed?.ordinal ?? random.between(0, view.markets.length)) as MarketOrdinal;
      const status = closed !== undefined ? 'open' : random.pick(['open', 'reduce_only', 'cancel_only', 'draft'] as const);
      return { type: 'SetMarketStatus', market, status };
    },
  },
  UpdateMarket: {
    weights: { operator: 1 },
    make: ({ random }, { view }) => marketUpdate(random, view),
  },
  BindEnvironment: {
    weights: { operator: 0.1 },
    make: ({ random }) => ({ type: 'BindEnvironment', environment: random.pick(ENVIRONMENTS) }),
  },
  SetVenueStatus: {
    weights: { operator: 0.6 },
    make: ({ random }, { view }) => ({
      type: 'SetVenueStatus',
      status: view.venueStatus !== 'open' && random.chance(0.8) ? 'open' : random.pick(VENUE_STATUSES),
    }),
  },
  SetCapability: {
    weights: { operator: 0.6 },
    make: ({ random }, { view }) => {
      const [off] = view.switchedOff;
      if (off !== undefined && random.chance(0.8)) return { type: 'SetCapability', capability: off, isOn: true };
      const capability = random.pick([...NAMED_CAPABILITIES, 'provider:google', 'provider:UNKNOWN'] as const);
      return { type: 'SetCapability', capability, isOn: random.chance(0.4) };
    },
  },
  OpenAccount: {
    weights: { operator: 0.5 },
    make: (sender) => ({
      type: 'OpenAccount',
      label: sender.newText(),
      partyId: sender.random.chance(0.8) ? 'party' : '',
      digestSeed: sender.random.between(0, 2 ** 32 - 1),
    }),
  },
  RetireAccount: {
    weights: { operator: 0.5, funder: 2 },
    make: ({ random, tradingStyle }, { view }) => {
      const newest = random.between(Math.max(1, view.accounts.length - 2), view.accounts.length + 1);
      const trading = [...view.agents.deployments.values()].map(({ agentAccount }) => agentAccount);
      const funding = [...view.agents.fundings.values()].map(({ agentAccount }) => agentAccount);
      // A funder retires only an account with a funding that has not moved, mostly the newest.
      if (tradingStyle === 'funder') {
        if (funding.length === 0) return undefined;
        return {
          type: 'RetireAccount',
          account: (random.chance(0.7) ? funding.at(-1)! : random.pick(funding)) as AccountOrdinal,
        };
      }
      const busy = random.chance(0.5) ? trading : funding;
      const account = busy.length > 0 && random.chance(0.4) ? random.pick(busy) : newest;
      return { type: 'RetireAccount', account: account as AccountOrdinal, ...(random.chance(0.4) && { isLegacy: true }) };
    },
  },
  IssueApiKey: {
    weights: { operator: 2 },
    make: (sender, { view, nowEpochMs }) => ({
      type: 'IssueApiKey',
      account: sender.random.between(1, view.accounts.length + 1) as AccountOrdinal,
      keyId: sender.newText(),
      digest: 'd'.repeat(64),
      scopes: SCOPES.filter(() => sender.random.chance(0.5)),
      label: sender.newText(),
      expiresAtEpochMs: epochMs(sender.random.chance(0.5) ? 0 : nowEpochMs() + sender.random.between(0, 60_000)),
    }),
  },
  SetFavorite: {
    weights: { taker: 0.3, stranger: 0.3 },
    make: (sender, { view }) => ({
      type: 'SetFavorite',
      account: accountFor(sender),
      market: sender.random.between(0, view.markets.length + 1) as MarketOrdinal,
      favorite: sender.random.chance(0.6),
    }),
  },
  SetLeverage: {
    weights: { maker: 0.3, taker: 0.5, gambler: 0.5, stranger: 0.5 },
    make: (sender, { view }) => ({
      type: 'SetLeverage',
      account: accountFor(sender),
      market: sender.random.between(0, view.markets.length + 1) as MarketOrdinal,
      leverageHundredths: sender.random.chance(0.2) ? 0 : sender.random.between(1, 60) * 100,
    }),
  },
  AdjustPositionMargin: {
    weights: { maker: 0.5, taker: 1, gambler: 1.5, stranger: 0.5 },
    make: (sender, { view }) => ({
      type: 'AdjustPositionMargin',
      account: accountFor(sender),
      market: sender.random.between(0, view.markets.length + 1) as MarketOrdinal,
      direction: sender.random.pick(MARGIN_DIRECTIONS),
      amountAtoms: Math.floor(10 ** (sender.random.fraction() * 10)) as QuoteAtoms,
    }),
  },
  SetLeaderboardListing: {
    weights: { gambler: 0.3, stranger: 0.3 },
    make: (sender) => ({
      type: 'SetLeaderboardListing',
      account: accountFor(sender),
      shown: sender.random.chance(0.6),
      displayName: sender.newText(),
      handle: sender.newText(),
    }),
  },
  RevokeApiKey: {
    weights: { operator: 2 },
    make: ({ random }, { view }) => {
      const [keyId, owner] = view.apiKeys.size === 0 ? ['no such key', 1] : random.pick([...view.apiKeys]);
      return { type: 'RevokeApiKey', account: (owner + (random.chance(0.1) ? 1 : 0)) as AccountOrdinal, keyId };
    },
  },
};

export const COMMAND_KINDS = Object.keys(INTENTS) as Command['type'][];

/** Strangers use any account. */
function accountFor({ tradingStyle, account, random }: Sender): AccountOrdinal {
  return (tradingStyle === 'stranger' ? random.between(0, 40) : account) as AccountOrdinal;
}

/** One of the sender's open orders. Now and then any other order, or one that does not exist. */
function orderToCancel(sender: Sender, { view }: Scene): OrderOrdinal | undefined {
  const open = view.account(sender.account)?.openOrders ?? [];
  if (sender.tradingStyle === 'stranger' || sender.random.chance(0.05))
    return sender.random.between(0, view.lastOrder + 3) as OrderOrdinal;
  return open.length === 0 ? undefined : (sender.random.pick(open).order as OrderOrdinal);
}

/** A smaller or larger quantity, a price nearby, or both. */
function createAmendment(sender: Sender, scene: Scene): Amendment | undefined {
  const { random } = sender;
  const order = orderToCancel(sender, scene);
  if (order === undefined) return undefined;
  const seen = scene.view.account(sender.account)?.openOrders.find((open) => open.order === order);
  const price = Math.max(1, Math.round((seen?.price ?? random.between(1, 20_000)) * (0.995 + random.fraction() * 0.01)));
  const size = Math.floor(10 ** (random.fraction() * 6));
  const [movesPrice, movesSize] = [random.chance(0.5), random.chance(0.6)];
  return {
    market: (seen?.market ?? random.between(0, scene.view.markets.length)) as MarketOrdinal,
    order,
    priceAtoms: priceAtoms(movesPrice ? price : 0),
    quantityAtoms: baseAtoms(movesSize ? size : 0),
  };
}

function amountFrom(sender: Sender, { view }: Scene): number {
  return someOf(view.account(sender.account)?.available ?? 0, sender);
}

/** Usually a part of the available cash, sometimes more. */
function someOf(available: number, { random }: Sender): number {
  return Math.floor(available * random.fraction() * (random.chance(0.1) ? 3 : 0.2));
}

function withdrawalFor({ random }: Sender, { view }: Scene): WithdrawalOrdinal {
  const pending = view.pendingWithdrawals;
  return (pending.length === 0 || random.chance(0.1) ? random.between(0, 20) : random.pick(pending)) as WithdrawalOrdinal;
}

/** Half of the movements have an id; some ids come again. */
function moneyId({ random, name }: Sender): { moneyId?: string } {
  return random.chance(0.5) ? {} : { moneyId: `${name}-money-${random.between(1, 1_000)}` };
}
