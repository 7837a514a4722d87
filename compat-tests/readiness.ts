/**
 * What the checks need of a venue that is up, and of the account and the key that they are given: looked at before anything is
 * placed. What is not there is told in one line, with what to do about it.
 */
import type { Exchange, MarketInterface } from 'ccxt';
import type { OpenPerp } from '#adapter/dist/openperp.js';
import { DEFAULT_ORDERS_PER_SECOND, DEFAULT_READS_PER_SECOND } from '#src/config.ts';
import { fundingPeriodOf } from './lacks.ts';
import { bestPrices, EXACT_NOTIONAL, type Markets, smallAmount } from './stage.ts';

/** Small orders that the checks hold at once, with a position: what they lose to fees and to the market is far less than one. */
const ORDERS_AT_ONCE = 5;

/** The class spaces its requests by these: where a key may ask less often, the checks would be refused on their way. */
const RATES: Readonly<Record<string, number>> = {
  'orders-per-key': DEFAULT_ORDERS_PER_SECOND,
  'reads-per-key': DEFAULT_READS_PER_SECOND,
};

/** Resolves with what can be traded in; rejects where the checks cannot be run. */
export async function refuseUnlessReady(exchange: OpenPerp, url: string): Promise<Markets> {
  await refuseUnlessAllowed(exchange);
  await refuseUnlessIdle(exchange);
  await refuseUnlessFast(url);
  const markets = await tradedMarkets(exchange);
  await refuseUnlessFunded(exchange, markets.symbol);
  return markets;
}

async function refuseUnlessAllowed(exchange: OpenPerp): Promise<void> {
  const { scopes } = await exchange.privateGetV1ApiKeysCurrent();
  const missing = ['read', 'trade'].filter((scope) => !scopes.includes(scope));
  if (missing.length > 0)
    throw new Error(
      `the key lacks the scope ${missing.join(' and ')} (it has ${scopes.join(', ')}): give one that may read and trade`,
    );
  const accountId = await exchange.loadAccountId();
  const { status } = await exchange.privateGetV1AccountsAccountIdParty({ accountId });
  if (status !== 'active')
    throw new Error(`the account may not trade, its party binding is ${status}: give the key of one that may`);
}

/** The checks count what they find, and clean up after themselves: neither goes with what someone else is doing. */
async function refuseUnlessIdle(exchange: Exchange): Promise<void> {
  const orders = await exchange.fetchOpenOrders();
  const positions = await exchange.fetchPositions();
  if (orders.length + positions.length === 0) return;
  const found = `open orders: ${orders.length}, positions: ${positions.length}`;
  throw new Error(`the account is not idle (${found}): give the key of one that is`);
}

interface Rate {
  readonly policy: string;
  readonly perSecond: number;
}

/** A venue publishes what it lets a key ask. */
async function refuseUnlessFast(url: string): Promise<void> {
  const published: { 'x-openperp-limits'?: { rates: readonly Rate[] } } = await fetch(`${url}/openapi.json`)
    .then((answer) => answer.json() as Promise<object>)
    .catch(() => ({}));
  for (const { policy, perSecond } of published['x-openperp-limits']?.rates ?? []) {
    const needed = RATES[policy];
    if (needed === undefined || perSecond >= needed) continue;
    const what = policy.replace('-per-key', '');
    const remedy = `check one that lets it send as many (npm start -- --${what}-per-second ${needed})`;
    throw new Error(`the venue lets a key send ${perSecond} ${what} a second, and the checks need ${needed}: ${remedy}`);
  }
}

/** Two that are open, with an index that orders are valued by and a book that someone makes; BTC, and the other that settles most often. */
export async function tradedMarkets(exchange: Exchange): Promise<Markets> {
  const found = new Map<string, string | undefined>();
  for (const symbol of exchange.symbols) found.set(symbol, await obstacleOf(exchange, symbol));
  const traded = exchange.symbols.filter((symbol) => found.get(symbol) === undefined);
  const symbol = traded.find((candidate) => candidate.startsWith('BTC/')) ?? traded[0];
  const [funded] = traded
    .filter((it) => it !== symbol)
    .sort((left, right) => fundingPeriodOf(exchange, left) - fundingPeriodOf(exchange, right));
  if (symbol !== undefined && funded !== undefined) return { symbol, funded };
  const told = [...found].map(([it, obstacle]) => `${it} ${obstacle ?? 'can be'}`).join(', ');
  throw new Error(
    `the checks need two markets that can be traded in (${told || 'there is none'}): wait for them, or check another venue`,
  );
}

/** Why nothing can be opened there now. */
async function obstacleOf(exchange: Exchange, symbol: string): Promise<string | undefined> {
  const { info, bid, ask } = await exchange.fetchTicker(symbol);
  if (info.status !== 'open') return `is ${info.status}`;
  if (info.indexStatus !== 'current') return `has an index that is ${info.indexStatus}`;
  return bid === undefined || ask === undefined ? 'has no book that someone makes' : undefined;
}

async function refuseUnlessFunded(exchange: Exchange, symbol: string): Promise<void> {
  const market = exchange.market(symbol) as MarketInterface;
  const { bid } = await bestPrices(exchange, symbol);
  const margin = 1 / (market.limits.leverage?.max ?? 1) + (market.taker ?? 0);
  const needed = Math.ceil(EXACT_NOTIONAL * margin + ORDERS_AT_ONCE * smallAmount(exchange, market, bid) * bid);
  const settle = market.settle as string;
  const free = Number((await exchange.fetchBalance())[settle]?.free ?? 0);
  if (free >= needed) return;
  const told = `the account has ${free} ${settle} available, and the checks need ${needed}`;
  throw new Error(`${told}: add to it (npm run openperp -- account credit, where the venue runs), or give the key of another`);
}
