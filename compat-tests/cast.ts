/** The exchanges that the checks use: the class, the class with sockets, and `/v2`, all for one account of one venue. */
import { OpenPerp, OpenPerpPro } from '#adapter/dist/openperp.js';
import { refuseUnlessReady } from './readiness.ts';
import type { Markets } from './stage.ts';
import { PassThrough } from './v2/pass-through.ts';
import { VenueAccount } from './venue-account.ts';

export interface Cast extends Markets {
  readonly url: string;
  /** The constructor settings for this account. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly account: VenueAccount;
  readonly byClass: OpenPerp;
  readonly bySockets: OpenPerpPro;
  readonly byV2: PassThrough;
  /** Creates another exchange of the class with other settings. */
  readonly anotherByClass: (config: object) => OpenPerp;
  readonly anotherBySockets: (config: object) => OpenPerpPro;
  readonly anotherByV2: (config: object) => PassThrough;
  readonly settle: string;
}

/** Rejects if the checks cannot run at all. */
export async function gatherCast(url: string, apiKey: string): Promise<Cast> {
  const account = await VenueAccount.open(url, apiKey);
  const markets = await refuseUnlessReady(account);
  const { accountId } = account;
  const settings = { apiKey, urls: { api: { rest: url } } };
  const anotherByClass = (config: object) => new OpenPerp({ ...settings, ...config });
  const anotherByV2 = (config: object) => new PassThrough({ ...settings, accountId, ...config });
  const anotherBySockets = (config: object) => new OpenPerpPro({ ...settings, ...config });
  const [byClass, bySockets, byV2] = [anotherByClass({}), anotherBySockets({}), anotherByV2({})];
  // If an exchange cannot load markets, its checks report why.
  for (const exchange of [byClass, bySockets, byV2]) await exchange.loadMarkets().catch(() => undefined);
  const settle = String(account.market(markets.symbol).settlementAsset);
  return {
    url,
    settings,
    account,
    byClass,
    bySockets,
    byV2,
    anotherByClass,
    anotherBySockets,
    anotherByV2,
    ...markets,
    settle,
  };
}
