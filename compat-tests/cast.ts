/** Who is on the stage: the class, the class with sockets, and `/v2` as it is, all of one account of one venue. */
import type { MarketInterface } from 'ccxt';
import { OpenPerp, OpenPerpPro } from '#adapter/dist/openperp.js';
import { refuseUnlessReady } from './readiness.ts';
import type { Markets } from './stage.ts';
import { PassThrough } from './v2/pass-through.ts';

export interface Cast extends Markets {
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
  readonly settle: string;
}

/** Rejects where the checks cannot be run at all. */
export async function gatherCast(url: string, apiKey: string): Promise<Cast> {
  const settings = { apiKey, urls: { api: { rest: url } } };
  const anotherByClass = (config: object) => new OpenPerp({ ...settings, ...config });
  const byClass = anotherByClass({});
  await byClass.loadMarkets();
  const markets = await refuseUnlessReady(byClass, url);
  const { settle = '' } = byClass.market(markets.symbol) as MarketInterface;
  const accountId = (await byClass.fetchAccounts())[0]?.id;
  const anotherByV2 = (config: object) => new PassThrough({ ...settings, accountId, ...config });
  const anotherBySockets = (config: object) => new OpenPerpPro({ ...settings, ...config });
  const [bySockets, byV2] = [anotherBySockets({}), anotherByV2({})];
  return { url, settings, byClass, bySockets, byV2, anotherByClass, anotherBySockets, anotherByV2, ...markets, settle };
}
