/**
 * Every declared enum value of a read occurs in some history. Exceptions are listed with a reason.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type * as z from 'zod';
import { CANDLE_SERIES, DEPLOYMENT_TIMEFRAMES, TIMEFRAME_MS, TIMEFRAMES } from '#contract/markets.ts';
import { OPEN_INTEREST_TIMEFRAMES } from '#contract/open-interest.ts';
import { isUnified, type Operation } from '#contract/operation.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { PagedBody } from '#reads/paged-body.ts';
import { cursorScope } from '#reads/paging.ts';
import { finished, type ResourceReads, resourceReads } from '#reads/resource-reads.ts';
import { History } from '#simulation/history.ts';
import { FINE_MARKET, SCENARIO_MARKET } from '#simulation/scenario.ts';
import type { AccountOrdinal, AgentDeploymentOrdinal, MarketOrdinal, OrderOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import type { Bps, EpochMs, Ppb, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { change, deployment, running, trade } from '#venue/agent/testing/agents.ts';
import { owned, type SetupStep } from '#venue/owner/testing/owners.ts';
import { openProjection, type Projection } from './projection.ts';
import { ACCOUNTS, historyOf, MARKETS, step } from './testing/any-history.ts';
import { repaidCover } from './testing/repaid-cover.ts';

/** Values that no history here has, with the reason. */
const NEVER_RESPONDED: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/logoUnavailable false$/, 'the venue has no logos'],
  [/^getAccount\.riskEvidence\.status partial$/, 'trading needs a mark, so every position has one: see risk.test.ts'],
  [/cancelReason fill_limit$/, 'takes 1,000 orders to meet: placement.test.ts in the core'],
  [/^listApiKeys/, 'no step here issues a key: see device-grants.test.ts over HTTP'],
  [/^listOpenOrders/, 'the list has only open orders, with the schema of all orders'],
  [
    /^listPositionHistory.*(?:status open|liquidationTierConsistent|marginStatus)/,
    'a closed position is not open and has no risk',
  ],
  [/^list(?:Agent)?Positions.*(?:status closed|closeReason)/, 'an open position is not closed'],
];

/** Operations that read, but not from the projection alone. */
const OF_OTHER_PARTS: Readonly<Record<string, string>> = {
  getHealth: 'of the process',
  getReady: 'of the process',
  getAffiliateAvailability: 'of the directory',
  getOpenApi: 'a document',
  getAsyncApi: 'a document',
  listStrategies: 'a document',
  getAgentDraft: 'its handler makes the review',
  getCurrentApiKey: 'of the directory',
  listFundingIntents: 'of the directory',
  listPasskeys: 'of the directory',
  getAuthCapabilities: 'of the directory',
  getCurrentSession: 'of the sessions',
  getCancelAllAfter: 'of the core',
  getOrderByClientOrderId: 'the resource of getOrder',
};

const DRAFT = { ...FINE_MARKET, marketId: 'DOGE-USD-PERP' };
/** The terms of its synthetic past. */
const PAST = { seed: 3, lengthMs: 7_200_000, startPriceAtoms: 10_000 as PriceAtoms, volatilityPpb: 80_000 as Ppb };
/** How far the setups of the owners are. */
const SETUPS: readonly (SetupStep | undefined)[] = [undefined, 'start', 'activate', 'submit', 'present'];
const ACCOUNT_LIST = Array.from({ length: ACCOUNTS }, (_, place) => (place + 1) as AccountOrdinal);

/** The responses of each read, for every account and market. */
function responsesOf(responses: ResourceReads, { venue: { state } }: History): Readonly<Record<string, readonly unknown[]>> {
  const scope = cursorScope('listOrders', {});
  const page = { direction: 'newest_first', limit: 1_000 } as const;
  const owners = [...state.owners.byAccount.keys()];
  const agents = [...state.agentAccounts.all()].map(({ agentAccount }) => agentAccount);
  const markets = state.markets.slice(1).map((market) => market!);
  const marketIds = markets.map(({ ordinal, specification }) => [ordinal, specification.marketId] as const);
  const each = <Result>(read: (account: AccountOrdinal) => Result) => ACCOUNT_LIST.map(read);
  const ofDeployments = (read: (account: AccountOrdinal, deployment: AgentDeploymentOrdinal) => unknown) =>
    owners.flatMap((account) =>
      Array.from({ length: state.agents.lastDeployment }, (_, place) =>
        read(account, (place + 1) as AgentDeploymentOrdinal),
      ).filter((body) => body !== undefined),
    );
  const ofMarkets = <Result>(read: (market: MarketOrdinal, marketId: string) => Result) =>
    marketIds.map(([market, id]) => read(market, id));
  return {
    listMarkets: [responses.marketCatalogue(), ...each((account) => responses.marketCatalogue(account))],
    getMarket: ofMarkets((market) => [responses.market(market), ...each((account) => responses.market(market, account))]).flat(),
    getMarketStats: ofMarkets((market) => responses.marketStats(market)),
    getBook: ofMarkets((market) => responses.book(market, 10)),
    getCandles: ofMarkets((market) =>
      TIMEFRAMES.flatMap((timeframe) =>
        CANDLE_SERIES.map((series) => responses.candles({ market, timeframe, series, limit: 10 })),
      ),
    ).flat(),
    listOpenInterest: ofMarkets((market) =>
      OPEN_INTEREST_TIMEFRAMES.map((timeframe) => responses.openInterest({ market, timeframe, limit: 10 })),
    ).flat(),
    listTrades: ofMarkets((market, marketId) => responses.tradeList(scope, marketId, { ...page, market })),
    listFundingRates: ofMarkets((market, marketId) => responses.fundingRateList(scope, marketId, { ...page, market })),
    listMarketStats: [responses.marketStatsList()],
    listCandidateMarkets: [responses.candidateMarkets([{ marketId: 'XRP-USD-PERP', underlyingSymbol: 'XRP' }])],
    getLeaderboard: (['day', 'week', 'month', 'all'] as const).flatMap((window) =>
      (['pnl', 'volume'] as const).map((orderBy) => responses.leaderboard(scope, { window, orderBy, limit: 10 })),
    ),
    getAccount: [
      ...each((account) => responses.accountSnapshot(account)),
      ...owners.map((account) => responses.accountSnapshot(account)),
    ],
    listPositions: each((account) => responses.positions(account)),
    getParty: [...ACCOUNT_LIST, (ACCOUNTS + 1) as AccountOrdinal, ...owners, ...agents].map((account) =>
      responses.party(account),
    ),
    listOrders: each((account) => responses.orderList(scope, { account, ...page })),
    listOpenOrders: each((account) => responses.orderList(scope, { account, status: 'open', ...page })),
    listFills: each((account) => responses.fillList(scope, { account, ...page })),
    listPositionHistory: each((account) => responses.positionHistory(scope, { account, ...page })),
    listFundingPayments: each((account) => responses.fundingPaymentList(scope, { account, ...page })),
    listLedgerEntries: each((account) => responses.ledgerEntryList(scope, { account, ...page })),
    listTransfers: each((account) =>
      ([undefined, 'deposit', 'withdrawal'] as const).map((kind) =>
        responses.transferHistory({ account, limit: 100, ...(kind !== undefined && { kind }) }),
      ),
    ).flat(),
    listApiKeys: each((account) => responses.apiKeyList(account)),
    getWithdrawal: each((account) =>
      Array.from({ length: state.lastWithdrawal }, (_, place) =>
        responses.withdrawal(account, (place + 1) as WithdrawalOrdinal),
      ).filter((withdrawal) => withdrawal !== undefined),
    ).flat(),
    getAffiliateProfile: each((account) => responses.affiliateProfile(account)),
    getAffiliateEarnings: each((account) => responses.affiliateEarnings(scope, { account, ...page })),
    listAgentDrafts: owners.map((account) => responses.agentDraftList(account)),
    listAgentDeployments: owners.map((account) => responses.agentDeploymentList({ account, limit: 10 })),
    getAgentDeployment: ofDeployments((account, deployment) => responses.agentDeployment(account, deployment)),
    listAgentActions: ofDeployments((account, deployment) =>
      responses.agentActionLog(account, { deployment, direction: 'oldest_first', limit: 10 }),
    ),
    listAgentPositions: ofDeployments((account, deployment) => responses.agentPositions(account, deployment)),
    getKyc: each((account) => responses.kyc(account)),
    listAgentAccounts: owners.map((account) => responses.agentAccountList(account)),
    listAgentFundings: [...state.agentAccounts.all()].map((agent) => responses.agentFundingList(scope, { ...agent, ...page })!),
    getLeaderboardListing: each((account) => responses.leaderboardListing(account)),
    getLeverages: each((account) => responses.leverageList(account)),
    setLeverage: each((account) => responses.marketLeverage(account, MARKETS[0]!)),
    addFavorite: each((account) => responses.favorite(account, MARKETS[0]!, 'BTC-USD-PERP')),
    getOrder: each((account) =>
      Array.from({ length: state.lastOrder }, (_, place) => responses.order(account, (place + 1) as OrderOrdinal)).filter(
        (order) => order !== undefined,
      ),
    ).flat(),
  };
}

type ValuesByEnum = Map<string, Set<unknown>>;
/** The parts of a schema definition that can contain enums. */
interface Definition {
  readonly type: string;
  readonly shape: object;
  readonly element: unknown;
  readonly innerType: unknown;
  readonly entries: object;
  readonly values: readonly unknown[];
}

/** Collects every enum value of a schema by field path, and the values that occur in `value`. */
function walk(schema: unknown, path: string, declared: ValuesByEnum, seen: ValuesByEnum, value?: { readonly it: unknown }): void {
  const def = (schema as z.ZodType)._zod.def as unknown as Definition;
  const exists = value !== undefined && value.it !== undefined;
  switch (def.type) {
    case 'object':
      for (const [name, field] of Object.entries(def.shape))
        walk(field, `${path}.${name}`, declared, seen, exists ? { it: Reflect.get(value.it as object, name) } : undefined);
      return;
    case 'array':
      walk(def.element, `${path}[]`, declared, seen);
      if (exists) for (const it of value.it as unknown[]) walk(def.element, `${path}[]`, declared, seen, { it });
      return;
    case 'optional':
      walk(def.innerType, path, declared, seen, value);
      return;
    case 'enum':
    case 'literal':
    case 'boolean': {
      const choices = def.type === 'boolean' ? [true, false] : def.type === 'enum' ? Object.values(def.entries) : def.values;
      for (const choice of choices) note(declared, path, choice);
      if (exists) note(seen, path, value.it);
      return;
    }
    default:
  }
}

function note(seen: ValuesByEnum, path: string, value: unknown): void {
  seen.set(path, (seen.get(path) ?? new Set()).add(value));
}

function project(history: History, use: (projection: Projection) => void): void {
  const now = history.records.at(-1)!.epochMs;
  const projection = openProjection(':memory:');
  try {
    projection.follow(history.group(0));
    use(projection);
    projection.live({ now: () => now });
    use(projection);
    projection.halted();
    use(projection);
  } finally {
    projection.close();
  }
}

/** `OPENPERP_ENUM_HISTORIES=220` reads all of them, also when every value has occurred before. */
const MIN_HISTORIES = Number(process.env.OPENPERP_ENUM_HISTORIES ?? 0);
const MAX_HISTORIES = 220;

/** Random histories with an account without a party, and sometimes a draft market or one that was closed as a draft. */
function* triedHistories(): Generator<History> {
  const steps = fc.array(step, { minLength: 60, maxLength: 90, size: 'max' });
  const samples = fc.sample(steps, { seed: 1, numRuns: MAX_HISTORIES });
  for (const [place, sample] of samples.entries()) {
    const history = historyOf(sample);
    history.run({ type: 'OpenAccount', label: 'observer', partyId: '', digestSeed: 7 });
    if (place % 50 < 2)
      history.run({
        type: 'ListMarket',
        specification: DRAFT,
        status: 'draft',
        history: { ...PAST, startedAtEpochMs: history.now },
      });
    if (place % 50 === 1) history.run({ type: 'SetMarketStatus', market: 3 as MarketOrdinal, status: 'closed' });
    yield history;
  }
}

/** A position of 1,010 whose liquidation price is below 1,000, in the tier with the lower maintenance margin. */
function crossingTiers(): History {
  const maintenanceMarginTiers = [
    { notionalThresholdAtoms: 0 as QuoteAtoms, maintenanceMarginBps: 100 as Bps },
    { notionalThresholdAtoms: 1_000_000_000 as QuoteAtoms, maintenanceMarginBps: 200 as Bps },
  ];
  const history = History.begin(ACCOUNTS, { ...SCENARIO_MARKET, maintenanceMarginTiers, markBandBps: 20 as Bps });
  history.run({ type: 'OpenAccount', label: 'observer', partyId: '', digestSeed: 7 });
  history.limit(2, 'sell', 10_000, 1_010);
  history.market(1, 'buy', 1_010);
  return history;
}

/** Owners whose setups are in every state. */
function setUp(): History {
  const history = History.begin(ACCOUNTS);
  history.run({ type: 'OpenAccount', label: 'observer', partyId: '', digestSeed: 7 });
  const recorded = { type: 'RecordPartyConsent', reason: '' } as const;
  for (const [identity, last] of SETUPS.entries()) owned(history, identity, last);
  history.run({ type: 'SetCapability', capability: 'affiliate', isOn: true });
  history.run({ type: 'RegisterAffiliate', account: ACCOUNT_LIST[0]!, referralCode: 'first-code' });
  history.run({ type: 'SkipKyc', account: ACCOUNT_LIST[0]! });
  const waiting = owned(history, SETUPS.length, 'submit');
  history.run({ ...recorded, account: waiting, consent: 'absent', consentId: '', reason: 'package_absent' });
  history.run({ type: 'OpenAgentAccount', account: waiting, label: 'agent', digestSeed: 7 });
  const revoked = owned(history, SETUPS.length + 1, 'submit');
  history.run({ ...recorded, account: revoked, consent: 'revoked', consentId: 'consent' });
  return history;
}

/** Agent accounts in every status, with fundings in every status and direction. */
function agents(): History {
  const history = History.begin(ACCOUNTS);
  history.run({ type: 'OpenAccount', label: 'observer', partyId: '', digestSeed: 7 });
  const [account, without] = [owned(history, 1, 'present'), owned(history, 2, 'activate')];
  for (const owner of [account, account, without])
    history.run({ type: 'OpenAgentAccount', account: owner, label: 'agent', digestSeed: 7 });
  const [agentAccount] = history.venue.state.agentAccounts.of(account);
  const amountAtoms = 1 as QuoteAtoms;
  history.run({ type: 'CreditCash', account, amountAtoms, reference: '' });
  const intent = { account, agentAccount: agentAccount!, amountAtoms, expiresAtEpochMs: (history.now + 60_000) as EpochMs };
  const fund = (transferId: string, direction: 'owner_to_agent' | 'agent_to_owner') => {
    history.run({ type: 'CreateAgentFunding', ...intent, transferId, direction });
    const approval = { account, credentialId: 'passkey-1', intentDigest: 'd'.repeat(64) };
    history.run({ type: 'ApproveAgentFunding', ...approval, transferId });
  };
  fund('transfer-of-agents-1', 'owner_to_agent');
  history.run({ type: 'MoveAgentFunding', account, transferId: 'transfer-of-agents-1' });
  fund('transfer-of-agents-2', 'agent_to_owner');
  // More than the owner has: it stays prepared.
  fund('transfer-of-agents-3', 'owner_to_agent');
  const retired = history.venue.state.agentAccounts.of(account)[1]!;
  history.run({
    type: 'CreateAgentFunding',
    ...intent,
    agentAccount: retired,
    transferId: 'transfer-of-agents-4',
    direction: 'owner_to_agent',
  });
  history.run({ type: 'RetireAccount', account: retired });
  return history;
}

/** Deployments in every state, one with paper orders of every kind and outcome. */
function deployed(): History {
  const history = History.begin(ACCOUNTS);
  history.run({ type: 'OpenAccount', label: 'observer', partyId: '', digestSeed: 7 });
  history.limit(2, 'sell', 10_000, 1_000);
  history.limit(2, 'buy', 9_990, 1_000);
  const owner = running(history);
  trade(history, 'buy', 500);
  trade(history, 'sell', 200, { kind: 'exit', reduceOnly: true });
  trade(history, 'buy', 2_000, { kind: 'close' });
  trade(history, 'buy', 0);
  for (const last of ['failed', 'stopped'] as const) {
    history.run(deployment(owner));
    history.run(change(history.venue.state.agents.lastDeployment, last, 1));
  }
  for (const timeframe of DEPLOYMENT_TIMEFRAMES) history.run(deployment(owner, { timeframeMs: TIMEFRAME_MS[timeframe] }));
  // The agent accounts have positions of their own.
  const amountAtoms = 1_000_000_000_000 as QuoteAtoms;
  for (const [{ agentAccount }, side] of [
    [owner, 'buy'],
    [running(history, 2), 'sell'],
  ] as const) {
    history.run({ type: 'CreditCash', account: agentAccount, amountAtoms, reference: 'test' });
    history.market(agentAccount, side, 100);
  }
  return history;
}

/** With an account without a party. */
function observed(history: History): History {
  history.run({ type: 'OpenAccount', label: 'observer', partyId: '', digestSeed: 7 });
  return history;
}

test('every operation that reads is queried', () => {
  const history = crossingTiers();
  let queried: readonly string[] = [];
  project(history, ({ reads }) => {
    queried = Object.keys(responsesOf(resourceReads(reads), history));
  });
  const reading = Object.values<Operation>(OPERATIONS).filter((it) => it.method === 'GET' && !isUnified(it));
  const missing = reading.map(({ id }) => id).filter((id) => !queried.includes(id));
  const unexpected = missing.filter((id) => !(id in OF_OTHER_PARTS));
  expect(unexpected, 'missing in responsesOf or in OF_OTHER_PARTS').toEqual([]);
  expect(Object.keys(OF_OTHER_PARTS).filter((id) => !missing.includes(id))).toEqual([]);
});

test('every declared value occurs, except the listed ones', () => {
  const [declared, seen]: [ValuesByEnum, ValuesByEnum] = [new Map(), new Map()];
  const missingValues = () =>
    [...declared].flatMap(([path, choices]) =>
      [...choices].filter((choice) => !seen.get(path)?.has(choice)).map((choice) => `${path} ${choice}`),
    );
  const isExcepted = (choice: string) => NEVER_RESPONDED.some(([pattern]) => pattern.test(choice));
  const read = (history: History) =>
    project(history, ({ reads }) => {
      for (const [id, bodies] of Object.entries(responsesOf(resourceReads(reads), history))) {
        for (const body of bodies) {
          const it = body instanceof PagedBody ? JSON.parse(finished(body.steps())) : body;
          walk(OPERATIONS[id as 'getAccount'].success.schema, id, declared, seen, { it });
        }
      }
    });
  for (const history of [crossingTiers(), setUp(), agents(), deployed(), observed(repaidCover())]) read(history);
  let count = 0;
  for (const history of triedHistories()) {
    if (count >= MIN_HISTORIES && missingValues().every(isExcepted)) break;
    read(history);
    count += 1;
  }
  console.log(`every value occurs in ${count} random histories`);
  const missing = missingValues();
  expect(missing.filter((choice) => !isExcepted(choice))).toEqual([]);
  // Every listed exception is still needed.
  for (const [pattern, reason] of NEVER_RESPONDED)
    expect(
      missing.some((choice) => pattern.test(choice)),
      reason,
    ).toBe(true);
  expect(declared.size).toBeGreaterThan(100);
});
