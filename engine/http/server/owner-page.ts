/**
 * Serves the owner's page at /app: the files that `owner-page/build.mjs` has built. Its policy permits the browser no inline code,
 * nothing from elsewhere but the realtime service, and HTML only from the template library's own Trusted Types policy.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { isReachable, type RealtimeUrl } from '#contract/asyncapi.ts';
import type { Admit } from '#http/access/admission.ts';
import type { Observe } from './observation.ts';
import { bindFile, type PreparedFile, preparedFile } from './static-file.ts';

export const OWNER_PAGE_PATH = '/app';
const ENTRY_PATH = '/app/';

const BUILT = new URL('../../../owner-page/dist/', import.meta.url);

const FILES: Readonly<Record<string, { readonly name: string; readonly type: string }>> = {
  [OWNER_PAGE_PATH]: { name: 'page.html', type: 'text/html; charset=utf-8' },
  '/app/page.js': { name: 'page.js', type: 'text/javascript; charset=utf-8' },
  '/app/page.css': { name: 'page.css', type: 'text/css; charset=utf-8' },
  '/app/icon.svg': { name: 'icon.svg', type: 'image/svg+xml' },
};

export const OWNER_PAGE_PATHS: readonly string[] = [...Object.keys(FILES), ENTRY_PATH];

/**
 * The page sends requests to the venue, and follows its realtime service, which has an address of its own. If that listens on every
 * interface and has no published address, the policy does not name it, and the page polls.
 */
function headersWith(realtimeUrl: RealtimeUrl) {
  const realtime = isReachable(realtimeUrl) ? ` ${new URL(realtimeUrl).origin}` : '';
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      `connect-src 'self'${realtime}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types lit-html',
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'publickey-credentials-create=(self), publickey-credentials-get=(self)',
  };
}

const NOT_BUILT = `The owner's page is not built. Run "node owner-page/build.mjs" in the venue's folder (npm ci does it, with the development
dependencies), then start the venue again.
`;

/** A file counts as a public read. */
export function bindOwnerPage(
  server: FastifyInstance,
  realtimeUrl: RealtimeUrl,
  admit: Admit,
  observe: Observe,
  built: URL = BUILT,
): void {
  const observeResponse = observe('owner_page');
  const files = builtFiles(built);
  const headers = headersWith(realtimeUrl);
  for (const file of files) bindFile(server, file, admit, observeResponse, headers);
  const present = new Set(files.map(({ path }) => path));
  for (const url of OWNER_PAGE_PATHS) {
    if (present.has(url)) continue;
    server.route({
      method: 'GET',
      url,
      onRequest: async (request, reply) => {
        request.observeResponse = observeResponse;
        await admit(request, reply);
      },
      handler: (_, reply) => {
        if (url === ENTRY_PATH) return reply.redirect(OWNER_PAGE_PATH, 302);
        return reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT);
      },
    });
  }
}

/** All files, or none: an older build may lack some. */
function builtFiles(folder: URL): readonly PreparedFile[] {
  const present = new Set(existingNames(folder));
  const files = Object.entries(FILES);
  if (files.some(([, { name }]) => !present.has(name))) return [];
  return files.map(([path, { name, type }]) => preparedFile(path, type, readFileSync(new URL(name, folder))));
}

function existingNames(folder: URL): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
