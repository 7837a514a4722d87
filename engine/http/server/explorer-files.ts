/**
 * Files of the explorer at /docs: the project's page, and Swagger UI from npm. The content security policy forbids the browser to
 * load anything from elsewhere.
 */
import { readFileSync } from 'node:fs';
import type { Environment } from '#contract/environments.ts';
import { operationsIn } from '#contract/operations.ts';
import { EXPLORER_SCRIPT } from './explorer-script.ts';
import { type PreparedFile, preparedFile } from './static-file.ts';

const SWAGGER_UI = new URL('static/', import.meta.resolve('@fastify/swagger-ui/package.json'));

export const EXPLORER_PATH = '/docs';
/** Other paths that redirect to the explorer. */
export const EXPLORER_ENTRY_PATHS: readonly string[] = ['/', '/docs/'];

const FILES: Readonly<
  Record<string, { readonly type: string; readonly content: (environment: Environment) => string | Buffer }>
> = {
  [EXPLORER_PATH]: { type: 'text/html; charset=utf-8', content: page },
  '/docs/explorer.css': { type: 'text/css; charset=utf-8', content: () => STYLE },
  '/docs/explorer.js': { type: 'text/javascript; charset=utf-8', content: () => EXPLORER_SCRIPT },
  '/docs/icon.png': { type: 'image/png', content: () => shipped('favicon-32x32.png') },
  '/docs/swagger-ui.css': { type: 'text/css; charset=utf-8', content: () => shipped('swagger-ui.css') },
  '/docs/swagger-ui.js': { type: 'text/javascript; charset=utf-8', content: () => shipped('swagger-ui-bundle.js') },
};

export const EXPLORER_PATHS: readonly string[] = Object.keys(FILES);

export function explorerFiles(environment: Environment): readonly PreparedFile[] {
  return Object.entries(FILES).map(([path, { type, content }]) => preparedFile(path, type, content(environment)));
}

function shipped(name: string): Buffer {
  return readFileSync(new URL(name, SWAGGER_UI));
}

function page(environment: Environment): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>OpenPerp: the interface</title>
    <link rel="icon" href="/docs/icon.png">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="stylesheet" href="/docs/explorer.css">
  </head>
  <body>
    <header>
      <strong>OpenPerp</strong>
      <nav>${documentLinks(environment)}</nav>
    </header>
    <noscript>The explorer needs JavaScript. The documents above do not.</noscript>
    <main id="explorer"></main>
    <script src="/docs/swagger-ui.js"></script>
    <script src="/docs/explorer.js"></script>
  </body>
</html>
`;
}

/** Links to the contract's documents. */
function documentLinks(environment: Environment): string {
  const documents = operationsIn(environment).filter(({ method, path }) => method === 'GET' && path.endsWith('.json'));
  return documents.map(({ path, summary }) => `<a href="${path}">${summary}</a>`).join(' ');
}

const STYLE = `body { margin: 0; }
header { display: flex; gap: 2rem; align-items: baseline; padding: 0.8rem 1.5rem; background: #14171c; color: #fff; font-family: sans-serif; }
header a { color: #9cd; margin-right: 1.2rem; }
noscript { display: block; padding: 1.5rem; font-family: sans-serif; }
`;
