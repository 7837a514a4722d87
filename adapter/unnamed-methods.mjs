/**
 * Refuses methods that `has` denies and that ccxt has no function for, such as fetchOpenOrder: ccxt's base class refuses only the
 * methods that it names itself.
 */
import ccxt from 'ccxt';

/** The other keys of `has` are kinds of markets or interfaces. */
const METHOD = /^(?:create|deposit|fetch|watch)/;

export function refuseUnnamedMethods(exchangeClass) {
  const { prototype } = exchangeClass;
  const denied = Object.entries(new exchangeClass().has).filter(([key, value]) => METHOD.test(key) && value === false);
  for (const [method] of denied)
    if (!(method in prototype))
      prototype[method] = async function refuse() {
        throw new ccxt.NotSupported(`${this.id} ${method}() is not supported`);
      };
}
