/** Who is on the stage: the class, the class with sockets, and `/v2` as it is, all of one account of one venue. */
import type { Exchange, MarketInterface } from 'ccxt';
import { OpenPerp, OpenPerpPro } from '#adapter/dist/openperp.js';
import { refuseUnlessIdle } from './stage.ts';
import { PassThrough } from './v2/pass-through.ts';

export interface Cast {
  readonly url: string;
  /** What an exchange is made with to be of this account. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly byClass: OpenPerp;
  readonly bySockets: OpenPerpPro;
  readonly byV2: PassThrough;
  /** Another one, with other settings. */
  readonly anotherByClass: (config: object) => OpenPerp;
  readonly anotherBySockets: (config: object) => OpenPerpPro;
  readonly anotherByV2: (config: object) => PassThrough;
  readonly symbol: string;
  readonly settle: string;
}

/** Rejects where the checks cannot be run at all. */
export async function gatherCast(url: string, apiKey: string): Promise<Cast> {
  const settings = { apiKey, urls: { api: { rest: url } } };
  const anotherByClass = (config: object) => new OpenPerp({ ...settings, ...config });
  const byClass = anotherByClass({});
  await byClass.loadMarkets();
  const symbol = mostKnown(byClass);
  const { settle = '' } = byClass.market(symbol) as MarketInterface;
  await refuseUnlessIdle(byClass);
  const accountId = (await byClass.fetchAccounts())[0]?.id;
  const anotherByV2 = (config: object) => new PassThrough({ ...settings, accountId, ...config });
  const anotherBySockets = (config: object) => new OpenPerpPro({ ...settings, ...config });
  const [bySockets, byV2] = [anotherBySockets({}), anotherByV2({})];
  return { url, settings, byClass, bySockets, byV2, anotherByClass, anotherBySockets, anotherByV2, symbol, settle };
}

function mostKnown({ symbols, markets }: Exchange): string {
  const active = symbols.filter((symbol) => markets?.[symbol]?.active === true);
  const symbol = active.find((candidate) => candidate.startsWith('BTC/')) ?? active[0];
  if (symbol === undefined) throw new Error('the venue has no open market');
  return symbol;
}
