/**
 * The entry of the package: the classes, registered with the program's installed ccxt, for code that picks an exchange by id.
 * ccxt for `import` and ccxt for `require` are two libraries; each gets the class that was loaded the same way.
 */
import ccxt, * as named from 'ccxt';
import { boundBodies } from './body-deadline.mjs';
import { hasNeededCcxt, refuseConstruction } from './ccxt-version.mjs';
import openperp from './src/openperp.ts';
import openperpPro from './src/pro/openperp.ts';
import { refuseUnnamedMethods } from './unnamed-methods.mjs';

const ID = 'openperp';

// The socket class extends the other class, so both are patched.
if (hasNeededCcxt()) {
  boundBodies(openperp);
  refuseUnnamedMethods(openperp);
} else {
  refuseConstruction(openperpPro);
  refuseConstruction(openperp);
}
register(ccxt, openperp);
if (ccxt.pro !== undefined) register(ccxt.pro, openperpPro);
// As a named export, `exchanges` has the classes by id. For `require` it is the list, which already has the id; an old ccxt does
// not export it.
if (named.exchanges !== undefined && !Array.isArray(named.exchanges)) named.exchanges[ID] = openperp;

/** Adds the id to the list once, even if the package is loaded twice. */
function register(library, exchange) {
  library[ID] = exchange;
  const ids = library.exchanges;
  if (ids.includes(ID)) return;
  const next = ids.findIndex((other) => other > ID);
  ids.splice(next === -1 ? ids.length : next, 0, ID);
}

export { openperp as default, openperp as OpenPerp, openperp, openperpPro as OpenPerpPro };
