/**
 * The package as a program loads it: the classes, registered with the ccxt that the program has installed, for code that picks an
 * exchange by its id. ccxt for `import` and ccxt for `require` are two: each knows the class that was loaded the same way.
 */
import ccxt, * as named from 'ccxt';
import { boundBodies } from './body-deadline.mjs';
import { hasNeededCcxt, refuseConstruction } from './ccxt-version.mjs';
import openperp from './src/openperp.ts';
import openperpPro from './src/pro/openperp.ts';
import { refuseUnnamedMethods } from './unnamed-methods.mjs';

const ID = 'openperp';

// The class with sockets extends the other, so that both have it.
if (hasNeededCcxt()) {
  boundBodies(openperp);
  refuseUnnamedMethods(openperp);
} else {
  refuseConstruction(openperpPro);
  refuseConstruction(openperp);
}
register(ccxt, openperp);
if (ccxt.pro !== undefined) register(ccxt.pro, openperpPro);
// Named, `exchanges` are the classes by their ids; for `require` it is the list, which has the id already, and an old ccxt names none.
if (named.exchanges !== undefined && !Array.isArray(named.exchanges)) named.exchanges[ID] = openperp;

/** In the list once, also where the package is loaded twice. */
function register(library, exchange) {
  library[ID] = exchange;
  const ids = library.exchanges;
  if (ids.includes(ID)) return;
  const next = ids.findIndex((other) => other > ID);
  ids.splice(next === -1 ? ids.length : next, 0, ID);
}

export { openperp as default, openperp as OpenPerp, openperp, openperpPro as OpenPerpPro };
