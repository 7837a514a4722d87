/**
 * Builds the owner's page into dist: one script with all that it imports, and the files beside it. The venue serves them at /app.
 *
 *     node owner-page/build.mjs [target directory]
 */
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(fileURLToPath(import.meta.url));
const SOURCE = join(ROOT, 'src');
const TARGET = resolve(process.argv[2] ?? join(ROOT, 'dist'));

/** Returns undefined if only production dependencies are installed. */
async function findBundler() {
  try {
    return await import('rolldown');
  } catch (error) {
    if (error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

const bundler = await findBundler();
if (bundler === undefined) {
  console.log(
    'owner-page: not built, because the development dependencies are not installed (npm ci in the repository installs them)',
  );
} else {
  rmSync(TARGET, { recursive: true, force: true });
  mkdirSync(TARGET, { recursive: true });
  const bundle = await bundler.rolldown({ cwd: ROOT, input: { page: join(SOURCE, 'main.ts') }, platform: 'browser' });
  await bundle.write({ dir: TARGET, format: 'esm', entryFileNames: '[name].js', minify: true });
  await bundle.close();
  for (const name of ['page.html', 'page.css', 'icon.svg']) copyFileSync(join(SOURCE, name), join(TARGET, name));
}
