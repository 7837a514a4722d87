/**
 * `node --import ccxt-openperp/register program.mjs`: every ccxt that the program loads has the exchange `openperp`, including
 * the namespace of `import * as ccxt from 'ccxt'`, which cannot be extended later. Each copy of ccxt gets its own classes.
 */
import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { load, resolveSync } from './register-hooks.mjs';

// In the program's thread if Node supports that (22.15), else in a thread of its own.
if (Module.registerHooks === undefined) Module.register('./register-hooks.mjs', import.meta.url);
else Module.registerHooks({ resolve: resolveSync, load });

const CLASSES = fileURLToPath(new URL('./openperp.cjs', import.meta.url));
const { _load: loadModule } = Module;
const known = new WeakSet();

/** `require` returns an object that can be extended. */
Module._load = function loadWithOpenperp(request, ...rest) {
  const loaded = loadModule.call(this, request, ...rest);
  if (request === 'ccxt' && !known.has(loaded)) {
    known.add(loaded);
    addClasses(loaded);
  }
  return loaded;
};

/** Loads the classes with this ccxt instead of the one beside them. */
function addClasses(ccxt) {
  const classes = new Module(CLASSES);
  classes.filename = CLASSES;
  const require = createRequire(CLASSES);
  classes.require = (name) => (name === 'ccxt' ? ccxt : require(name));
  classes._compile(readFileSync(CLASSES, 'utf8'), CLASSES);
}
