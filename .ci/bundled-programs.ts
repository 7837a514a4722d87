/**
 * Bundles the programs that tests start as processes and threads, once for a run: Node would load their hundreds of modules one by
 * one, which is most of what a start costs. The code is the same.
 */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const PROGRAMS = [
  'src/cli/main.ts',
  'engine/host/projection-thread.ts',
  'engine/host/realtime-thread.ts',
  'engine/writer/recovery/older-segments-thread.ts',
  'engine/writer/snapshot/venue-snapshot-thread.ts',
  'src/app/testing/deployment-process.ts',
  'compat-tests/main.ts',
  'engine/bench/main.ts',
  'engine/bench/attack-crowd.ts',
  'engine/bench/contender-worker.ts',
  'engine/bench/fan-out-clients.ts',
  'engine/bench/fan-out-feeder.ts',
  'engine/bench/fan-out-server.ts',
  'engine/bench/http-load.ts',
  'engine/bench/paced-commits.ts',
  'engine/bench/polite-client.ts',
  'engine/bench/replay-process.ts',
  'engine/bench/start-process.ts',
];

/** Packages of many files. The others stay outside. */
const BUNDLED_PACKAGE = /^(?:zod|ws)(?:\/|$)/;
const PACKAGE = /^[@a-z]/;

/**
 * Writes the bundles to a directory within node_modules, where they find the packages. Returns the module that a process preloads
 * (`--import`): then it and its threads load a program's bundle instead of its source.
 */
export async function bundlePrograms(root: string, directory: string): Promise<string> {
  const bundler = await rolldown({
    input: Object.fromEntries(PROGRAMS.map((program) => [nameOf(program), join(root, program)])),
    platform: 'node',
    external: (id) => id.startsWith('node:') || (PACKAGE.test(id) && !BUNDLED_PACKAGE.test(id)),
    treeshake: false,
    plugins: [
      {
        name: 'places-of-modules',
        transform: (code, id) =>
          code.includes('import.meta.') && id.endsWith('.ts')
            ? code
                .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
                .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
            : null,
      },
    ],
  });
  await bundler.write({
    dir: directory,
    format: 'esm',
    keepNames: true,
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  });
  await bundler.close();
  const urlOf = (path: string) => pathToFileURL(path).href;
  const bundles = Object.fromEntries(
    PROGRAMS.map((program) => [urlOf(join(root, program)), urlOf(join(directory, `${nameOf(program)}.mjs`))]),
  );
  const preload = join(directory, 'preload.mjs');
  writeFileSync(preload, preloadText(bundles));
  return urlOf(preload);
}

function nameOf(program: string): string {
  return program.replace(/\.ts$/, '').replaceAll('/', '.');
}

/** An older Node, of a program that a test starts with another one, has no hooks: it loads no program either. */
function preloadText(bundles: Readonly<Record<string, string>>): string {
  return `import module from 'node:module';
const bundles = new Map(Object.entries(${JSON.stringify(bundles)}));
module.registerHooks?.({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const bundle = bundles.get(found.url);
    return bundle === undefined ? found : { ...found, url: bundle, format: 'module' };
  },
});
`;
}
