/**
 * Methods that `has` denies and that ccxt has no function for, such as fetchOpenOrder: its base refuses what an exchange has not, but
 * knows only the methods that it names itself. They are refused alike.
 */
import ccxt from 'ccxt';

/** What is no method in `has` is a kind of market or of interface. */
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
