/**
 * Module hooks of `ccxt-openperp/register`: `import 'ccxt'` resolves to a module with all exports of ccxt, plus `openperp`. The
 * classes are loaded once per copy of ccxt, which is part of their URL, and extend that copy.
 */
const CLASSES = new URL('./openperp.js', import.meta.url).href;
/** Query of the classes' URL: the ccxt that they extend. */
const OF = '?ccxt=';
/** Query of a ccxt URL: the classes are added to it. */
const WITH = '?with=openperp';

export async function resolve(specifier, context, next) {
  const own = ownCcxt(specifier, context);
  if (own !== undefined) return own;
  const resolved = await next(specifier, context);
  if (!isImport(context)) return resolved;
  if (resolved.url === CLASSES) return classesOf(await next('ccxt', { ...context, parentURL: CLASSES }));
  return specifier === 'ccxt' ? withClasses(resolved) : resolved;
}

/** The same for hooks in the program's thread. */
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

/** Hooks are called for `require` too, which `register.mjs` handles. */
function isImport({ conditions = [] }) {
  return !conditions.includes('require');
}

/** For an import by the classes themselves: the ccxt in their URL. */
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
