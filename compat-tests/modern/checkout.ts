/**
 * Runs the tests of a ccxt checkout against the installed ccxt, so that there is one Exchange and one class of each error:
 * imports of ccxt itself resolve to the installed one. Uses compiled tests if there are some, else the TypeScript ones.
 */
import { existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from 'rolldown/utils';

export interface Checkout {
  readonly path: string;
  readonly version: string;
  /** The folder of the tests: `js/src` or `ts/src`. */
  readonly source: string;
  readonly extension: 'js' | 'ts';
}

/** Query of the runner's helpers' URL: they do not see the API keys of the checkout's owner. */
const WITHOUT_KEYS = '?without-keys';
const INSTALLED = fileURLToPath(new URL('src', import.meta.resolve('ccxt')));

/** Throws if the path is not a checkout. */
export function findCheckout(path: string): Checkout {
  const packageFile = join(path, 'package.json');
  if (!existsSync(packageFile)) throw new Error(`--ccxt ${path}: there is no package.json in it`);
  const { name, version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { name?: string; version?: string };
  for (const extension of ['js', 'ts'] as const) {
    const source = join(resolve(path), extension, 'src');
    if (name === 'ccxt' && existsSync(join(source, 'test', `tests.${extension}`)))
      return { path: resolve(path), version: String(version), source, extension };
  }
  throw new Error(`--ccxt ${path}: this is no source tree of ccxt with its tests (js/src/test/tests.js, or .ts)`);
}

/** The same helpers, without `keys.local.json`: it would override keys and settings of the run. */
function withoutKeys(url: string): string {
  const helpers = JSON.stringify(url.slice(0, -WITHOUT_KEYS.length));
  return `import * as helpers from ${helpers};
    export * from ${helpers};
    export const ioFileExists = (path) => !path.endsWith('keys.local.json') && helpers.ioFileExists(path);`;
}

/** Resolves ccxt imports of the checkout's tests to the installed ccxt, and its root module to `injected`. */
export function resolveToInstalled({ source, extension }: Checkout, injected: string): void {
  const root = pathToFileURL(source + sep).href;
  registerHooks({
    resolve(specifier, context, next) {
      const isFile = specifier.startsWith('.') || specifier.startsWith('file:');
      const { parentURL } = context;
      if (!isFile || !parentURL?.startsWith(root) || parentURL.endsWith(WITHOUT_KEYS)) return next(specifier, context);
      const path = relative(source, fileURLToPath(new URL(specifier, parentURL)))
        .replaceAll('\\', '/')
        .replace(/(?:\.[jt]s)?$/, '');
      if (path === '../ccxt') return { url: injected, shortCircuit: true };
      if (path.startsWith('base/')) return { url: pathToFileURL(join(INSTALLED, `${path}.js`)).href, shortCircuit: true };
      const { href } = pathToFileURL(join(source, `${path}.${extension}`));
      return { url: path === 'test/tests.helpers' ? href + WITHOUT_KEYS : href, shortCircuit: true };
    },
    load(url, context, next) {
      if (url.endsWith(WITHOUT_KEYS)) return { format: 'module', source: withoutKeys(url), shortCircuit: true };
      if (extension !== 'ts' || !url.startsWith(root)) return next(url, context);
      const file = fileURLToPath(url);
      const { code, errors } = transformSync(file, readFileSync(file, 'utf8'));
      if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join('; ')}`);
      return { format: 'module', source: code, shortCircuit: true };
    },
  });
}
