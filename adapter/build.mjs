/**
 * Builds the package for programs that install it: `dist/openperp.js` (ESM), `openperp.cjs`, the types for both and
 * `register.mjs`. Needs only Node 20.
 * The source keeps the form of ccxt's own tree, with imports of `./base/…` beside it. The build resolves those imports to the
 * program's installed ccxt, never to a copy, so that `instanceof` works for its errors and its Exchange.
 *
 *     node adapter/build.mjs [target directory]
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ccxt from 'ccxt';

const ROOT = dirname(fileURLToPath(import.meta.url));
const SOURCE = join(ROOT, 'src');
const TARGET = resolve(process.argv[2] ?? join(ROOT, 'dist'));

const ENTRY = join(ROOT, 'entry.mjs');
/** The exports of the entry in the types. */
const NAMES = '{ default, default as OpenPerp, default as openperp }';
const PRO_NAMES = '{ default as OpenPerpPro }';

/**
 * The modules of ccxt's tree that npm's ccxt exports at its root. The names are read from the library, not imported: if an older
 * ccxt lacks one, `ccxt-version.mjs` reports it, while an import would end the program first.
 */
const ERRORS = Object.keys(ccxt).filter((name) => name === 'BaseError' || ccxt[name]?.prototype instanceof ccxt.BaseError);
const AT_CCXT_ROOT = {
  'base/Exchange.js': ['Exchange'],
  'base/errors.js': ERRORS,
  'base/Precise.js': ['Precise'],
  'base/functions/number.js': ['DECIMAL_PLACES', 'ROUND', 'TICK_SIZE', 'TRUNCATE'],
};
const VIRTUAL = 'virtual:';

/**
 * Modules that npm's ccxt does not export. Their state belongs to the class alone, so bundling a copy is safe. (ccxt's hashes are
 * imported as @noble/hashes.)
 */
const BUNDLED = new Set(['base/ws/Cache.js']);
const CCXT_SOURCE = join(dirname(dirname(createRequire(import.meta.url).resolve('ccxt'))), 'js', 'src');

/** Resolves imports of ccxt's tree to the installed ccxt, and refuses modules that it does not export. */
const ccxtTree = {
  name: 'ccxt-tree',
  resolveId(specifier, importer) {
    if (specifier === 'ccxt') return { id: 'ccxt', external: true };
    if (!specifier.startsWith('.') || importer === undefined || importer === ENTRY) return undefined;
    const path = resolve(dirname(importer), specifier)
      .slice(SOURCE.length + 1)
      .replaceAll('\\', '/');
    if (path in AT_CCXT_ROOT) return VIRTUAL + path;
    if (BUNDLED.has(path)) return join(CCXT_SOURCE, path);
    if (path.startsWith('base/')) throw new Error(`npm's ccxt does not export ${path}: decide in build.mjs where it comes from`);
    return undefined;
  },
  load(id) {
    if (!id.startsWith(VIRTUAL)) return undefined;
    return `import ccxt from 'ccxt';\nexport const { ${AT_CCXT_ROOT[id.slice(VIRTUAL.length)].join(', ')} } = ccxt;`;
  },
};

/** Returns undefined if only production dependencies are installed. */
async function findBundler() {
  try {
    return await import('rolldown');
  } catch (error) {
    if (error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

async function buildCode({ rolldown }) {
  const bundle = await rolldown({
    cwd: ROOT,
    input: { openperp: ENTRY },
    plugins: [ccxtTree],
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  });
  await bundle.write({ dir: TARGET, format: 'esm', entryFileNames: '[name].js' });
  await bundle.write({ dir: TARGET, format: 'cjs', entryFileNames: '[name].cjs', exports: 'named' });
  await bundle.close();
  // Not bundled: Node loads the hooks by URL.
  for (const name of ['register.mjs', 'register-hooks.mjs']) copyFileSync(join(ROOT, name), join(TARGET, name));
}

/** npm's ccxt exports the type of its sockets only as part of its exchange. */
const SOCKET_TYPE = "import type { Exchange } from 'ccxt';\ntype Client = Exchange['clients'][string];";

/**
 * Builds the types: the compiler's declarations with imports resolved to the installed ccxt, once for `import` and once for
 * `require`, since CommonJS programs cannot use declarations of an ES module.
 */
function buildTypes() {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const types = join(TARGET, 'types');
  const options = ['--noEmit', 'false', '--emitDeclarationOnly', '--rootDir', SOURCE, '--outDir', types];
  execFileSync(process.execPath, [compiler, '-p', ROOT, ...options], { stdio: 'inherit' });
  const exported = [`export ${NAMES} from './types/openperp.js';`, `export ${PRO_NAMES} from './types/pro/openperp.js';`];
  writeFileSync(join(TARGET, 'openperp.d.ts'), `${exported.join('\n')}\n`);
  for (const path of readdirSync(TARGET, { recursive: true }).filter((name) => name.endsWith('.d.ts'))) {
    const file = join(TARGET, path);
    const text = readFileSync(file, 'utf8')
      .replace(/import type Client from [^;]+;/, SOCKET_TYPE)
      .replace(/(['"])(?:\.\.?\/)+base\/[\w/]+\.js\1/g, "'ccxt'");
    writeFileSync(file, text);
    writeFileSync(file.replace(/\.ts$/, '.cts'), text.replace(/(from ['"]\.[^'"]*)\.js(['"])/g, '$1.cjs$2'));
  }
}

const bundler = await findBundler();
if (bundler === undefined) {
  console.log(
    'adapter: not built, because the development dependencies are not installed (npm ci in the repository installs them)',
  );
  // Packing without a build, or with a build of an older source, must fail.
  if (process.env.npm_lifecycle_event === 'prepack') process.exitCode = 1;
} else {
  rmSync(TARGET, { recursive: true, force: true });
  mkdirSync(TARGET, { recursive: true });
  await buildCode(bundler);
  buildTypes();
}
