/**
 * What `import 'ccxt'` leads to under `ccxt-openperp/register`: a module with all that ccxt exports, and `openperp`. The classes are
 * loaded once for each copy of ccxt, which their address names, and stand on that copy.
 */
const CLASSES = new URL('./openperp.js', import.meta.url).href;
/** In the address of the classes: the ccxt that they stand on. */
const OF = '?ccxt=';
/** In the address of a ccxt: the classes are added to it. */
const WITH = '?with=openperp';

export async function resolve(specifier, context, next) {
  const own = ownCcxt(specifier, context);
  if (own !== undefined) return own;
  const resolved = await next(specifier, context);
  if (!isImport(context)) return resolved;
  if (resolved.url === CLASSES) return classesOf(await next('ccxt', { ...context, parentURL: CLASSES }));
  return specifier === 'ccxt' ? withClasses(resolved) : resolved;
}

/** The same for hooks that run in the thread of the program. */
export function resolveSync(specifier, context, next) {
  const own = ownCcxt(specifier, context);
  if (own !== undefined) return own;
  const resolved = next(specifier, context);
  if (!isImport(context)) return resolved;
  if (resolved.url === CLASSES) return classesOf(next('ccxt', { ...context, parentURL: CLASSES }));
  return specifier === 'ccxt' ? withClasses(resolved) : resolved;
}

export function load(url, context, next) {
  if (!url.endsWith(WITH)) return next(url, context);
  const ccxt = url.slice(0, -WITH.length);
  const lines = [
    `export * from ${JSON.stringify(ccxt)};`,
    `export { default } from ${JSON.stringify(ccxt)};`,
    `export { openperp } from ${JSON.stringify(classesOf({ url: ccxt }).url)};`,
  ];
  return { format: 'module', source: lines.join('\n'), shortCircuit: true };
}

/** Hooks are called for `require` too, which `register.mjs` sees to. */
function isImport({ conditions = [] }) {
  return !conditions.includes('require');
}

/** Of an import by the classes themselves: the ccxt that their address names. */
function ownCcxt(specifier, { parentURL = '' }) {
  if (specifier !== 'ccxt' || !parentURL.startsWith(CLASSES + OF)) return undefined;
  return { url: decodeURIComponent(parentURL.slice(CLASSES.length + OF.length)), shortCircuit: true };
}

function classesOf({ url }) {
  return { url: CLASSES + OF + encodeURIComponent(url), format: 'module', shortCircuit: true };
}

function withClasses({ url }) {
  return { url: url + WITH, format: 'module', shortCircuit: true };
}
