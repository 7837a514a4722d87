/**
 * `node --import ccxt-openperp/register program.mjs`: whatever the program loads as ccxt has the exchange `openperp` in it, also what
 * `import * as ccxt from 'ccxt'` gives, which nothing can be added to once it is loaded. Each copy of ccxt gets classes of its own.
 */
import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { load, resolveSync } from './register-hooks.mjs';

// In the thread of the program where Node has that (22.15), else in one of its own.
if (Module.registerHooks === undefined) Module.register('./register-hooks.mjs', import.meta.url);
else Module.registerHooks({ resolve: resolveSync, load });

const CLASSES = fileURLToPath(new URL('./openperp.cjs', import.meta.url));
const { _load: loadModule } = Module;
const known = new WeakSet();

/** What `require` gives is an object that can be added to. */
Module._load = function loadWithOpenperp(request, ...rest) {
  const loaded = loadModule.call(this, request, ...rest);
  if (request === 'ccxt' && !known.has(loaded)) {
    known.add(loaded);
    addClasses(loaded);
  }
  return loaded;
};

/** Runs the classes with this ccxt in place of the one that lies beside them. */
function addClasses(ccxt) {
  const classes = new Module(CLASSES);
  classes.filename = CLASSES;
  const require = createRequire(CLASSES);
  classes.require = (name) => (name === 'ccxt' ? ccxt : require(name));
  classes._compile(readFileSync(CLASSES, 'utf8'), CLASSES);
}
