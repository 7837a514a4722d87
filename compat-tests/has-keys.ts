/** Checks `has` key by key: claimed methods, methods that are not claimed, and facts about the venue. */
import assert from 'node:assert/strict';
import { type Exchange, NotSupported } from 'ccxt';

/** Keys that name no method, and the fact that must hold if they are true. */
const FACTS: Readonly<Record<string, (venue: FactSources) => boolean | Promise<boolean>>> = {
  publicAPI: async ({ another }) => (await another({ apiKey: undefined }).fetchMarkets()).length > 0,
  privateAPI: async ({ exchange }) => Object.keys(await exchange.fetchBalance()).length > 0,
  CORS: ({ url }) => allowsCrossOrigin(url),
  sandbox: ({ another }) => hasSandbox(another({})),
  spot: (venue) => hasMarkets(venue, 'spot'),
  margin: (venue) => hasMarkets(venue, 'margin'),
  swap: (venue) => hasMarkets(venue, 'swap'),
  future: (venue) => hasMarkets(venue, 'future'),
  option: (venue) => hasMarkets(venue, 'option'),
  index: (venue) => hasMarkets(venue, 'index'),
  ws: ({ exchange }) => Object.entries(exchange.has).some(([key, value]) => key.startsWith('watch') && Boolean(value)),
};

export interface FactSources {
  readonly exchange: Exchange;
  readonly another: (config: object) => Exchange;
  readonly url: string;
}

export const FACT_KEYS: readonly string[] = Object.keys(FACTS);

/** Keys that ccxt spells differently from their method. */
const OTHER_SPELLINGS: Readonly<Record<string, string>> = { cancelOrdersWithClientOrderId: 'cancelOrdersWithClientOrderIds' };

/** The method or fact of a key of `has`. */
export function nameOf(key: string): string {
  return OTHER_SPELLINGS[key] ?? key;
}

export function claimedMethods({ has }: Exchange): readonly string[] {
  return methodKeys(has)
    .filter((key) => has[key])
    .map(nameOf);
}

export function unclaimedMethods({ has }: Exchange): readonly string[] {
  return methodKeys(has)
    .filter((key) => !has[key])
    .map(nameOf);
}

function methodKeys(has: Exchange['has']): readonly string[] {
  return Object.keys(has).filter((key) => !FACT_KEYS.includes(key));
}

/** The problems of a key that is a fact; empty if it is right. */
export async function checkFact(key: string, venue: FactSources): Promise<readonly string[]> {
  const claimed = Boolean(venue.exchange.has[key]);
  const found = await FACTS[key]?.(venue);
  return claimed === found ? [] : [`has is ${claimed}, but found ${found}`];
}

function hasMarkets({ exchange }: FactSources, kind: string): boolean {
  return Object.values(exchange.markets ?? {}).some((market) => Reflect.get(market as object, kind) === true);
}

/** The requirement of a page of another origin: a preflight that allows the key, and a readable response. */
async function allowsCrossOrigin(url: string): Promise<boolean> {
  const origin = 'https://elsewhere.example';
  const preflightHeaders = { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' };
  const preflight = await fetch(`${url}/v1/api-keys/current`, { method: 'OPTIONS', headers: preflightHeaders });
  const allowed = preflight.headers.get('access-control-allow-headers') ?? '';
  const response = await fetch(`${url}/health`, { headers: { origin } });
  const readable = response.headers.get('access-control-allow-origin') ?? '';
  return preflight.ok && allowed.toLowerCase().includes('authorization') && ['*', origin].includes(readable);
}

function hasSandbox(exchange: Exchange): boolean {
  try {
    exchange.setSandboxMode(true);
  } catch (error) {
    assert(error instanceof NotSupported, String(error));
    return false;
  }
  return typeof Reflect.get(exchange.urls.api as object, 'rest') === 'string';
}
