/**
 * Checks the requirements on a running venue, the account and the API key before any order. A missing requirement is reported in
 * one line with the remedy.
 */
import { DEFAULT_ORDERS_PER_SECOND, DEFAULT_READS_PER_SECOND } from '#app/config.ts';
import { fundingPeriodOf } from './lacks.ts';
import { EXACT_NOTIONAL, type Markets, smallAmount } from './stage.ts';
import type { VenueAccount } from './venue-account.ts';

/** The checks hold this many small orders at a time, with a position: fees and market losses are far less than one. */
const BATCH_ORDERS = 5;

/** The request rates of the class: with a lower limit of the key, the checks would be refused. */
const RATES: Readonly<Record<string, number>> = {
  'orders-per-key': DEFAULT_ORDERS_PER_SECOND,
  'reads-per-key': DEFAULT_READS_PER_SECOND,
};

/** Resolves with the markets to trade in; rejects if the checks cannot run. */
export async function refuseUnlessReady(account: VenueAccount): Promise<Markets> {
  await refuseUnlessAllowed(account);
  await refuseUnlessIdle(account);
  await refuseUnlessFast(account);
  const markets = await tradedMarkets(account);
  await refuseUnlessFunded(account, markets.symbol);
  return markets;
}

async function refuseUnlessAllowed(account: VenueAccount): Promise<void> {
  const missing = ['read', 'trade'].filter((scope) => !account.scopes.includes(scope));
  if (missing.length > 0)
    throw new Error(
      `the key lacks the scope ${missing.join(' and ')} (it has ${account.scopes.join(', ')}): give one that may read and trade`,
    );
  const { status } = await account.read('/party');
  if (status !== 'active')
    throw new Error(`the account may not trade, its party binding is ${status}: give the key of one that may`);
}

/** The checks count orders and clean up, which conflicts with other activity of the account. */
async function refuseUnlessIdle(account: VenueAccount): Promise<void> {
  const [orders, positions] = [await account.openOrders(), await account.positions()];
  if (orders.length + positions.length === 0) return;
  const found = `open orders: ${orders.length}, positions: ${positions.length}`;
  throw new Error(`the account is not idle (${found}): give the key of one that is`);
}

interface Rate {
  readonly policy: string;
  readonly perSecond: number;
}

/** The venue publishes the rates of a key. */
async function refuseUnlessFast(account: VenueAccount): Promise<void> {
  const published: { 'x-openperp-limits'?: { rates: readonly Rate[] } } = await account.get('/openapi.json').catch(() => ({}));
  for (const { policy, perSecond } of published['x-openperp-limits']?.rates ?? []) {
    const needed = RATES[policy];
    if (needed === undefined || perSecond >= needed) continue;
    const what = policy.replace('-per-key', '');
    const remedy = `check one that lets it send as many (npm start -- --${what}-per-second ${needed})`;
    throw new Error(`the venue lets a key send ${perSecond} ${what} a second, and the checks need ${needed}: ${remedy}`);
  }
}

/** Two open markets with a current index price and a book: BTC, and the other with the most frequent funding. */
export async function tradedMarkets(account: VenueAccount): Promise<Markets> {
  const found = new Map<string, string | undefined>();
  for (const symbol of account.symbols) found.set(symbol, await obstacleOf(account, symbol));
  const traded = account.symbols.filter((symbol) => found.get(symbol) === undefined);
  const symbol = traded.find((candidate) => candidate.startsWith('BTC/')) ?? traded[0];
  const [funded] = traded
    .filter((it) => it !== symbol)
    .sort((left, right) => fundingPeriodOf(account, left) - fundingPeriodOf(account, right));
  if (symbol !== undefined && funded !== undefined) return { symbol, funded };
  const states = [...found].map(([it, obstacle]) => `${it} ${obstacle ?? 'can be'}`).join(', ');
  throw new Error(
    `the checks need two markets that can be traded in (${states || 'the venue has no market'}): wait for them, or check another venue`,
  );
}

/** Why no position can be opened there now. */
async function obstacleOf(account: VenueAccount, symbol: string): Promise<string | undefined> {
  const { status, indexStatus, bestBidPrice, bestAskPrice } = await account.readMarket(symbol, '/stats');
  if (status !== 'open') return `is ${status}`;
  if (indexStatus !== 'current') return `has an index that is ${indexStatus}`;
  return [bestBidPrice, bestAskPrice].some((price) => (price ?? null) === null) ? 'has no book with both sides' : undefined;
}

async function refuseUnlessFunded(account: VenueAccount, symbol: string): Promise<void> {
  const { maxLeverageX, takerFeeBps, settlementAsset } = account.market(symbol);
  const { bid } = await account.bestPrices(symbol);
  const margin = 1 / Number(maxLeverageX) + Number(takerFeeBps) / 10_000;
  const needed = Math.ceil(EXACT_NOTIONAL * margin + BATCH_ORDERS * smallAmount(account, symbol, bid) * bid);
  const free = Number((await account.read('')).availableForOrders);
  if (free >= needed) return;
  const shortfall = `the account has ${free} ${settlementAsset} available, and the checks need ${needed}`;
  throw new Error(
    `${shortfall}: add to it (npm run openperp -- account credit, where the venue runs), or give the key of another`,
  );
}
