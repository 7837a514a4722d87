/** Serves the explorer at /docs, a page to read about every operation and try it with a key, and redirects to it. */
import type { FastifyInstance } from 'fastify';
import type { Environment } from '#contract/environments.ts';
import type { Admit } from '#http/access/admission.ts';
import { EXPLORER_ENTRY_PATHS, EXPLORER_PATH, explorerFiles } from './explorer-files.ts';
import type { Observe } from './observation.ts';
import { bindFile } from './static-file.ts';

/** The page may load from and call this venue only. Swagger UI's arrows are data URLs. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A file counts as a public read. */
export function bindExplorer(server: FastifyInstance, environment: Environment, admit: Admit, observe: Observe): void {
  const observeResponse = observe('explorer');
  for (const file of explorerFiles(environment))
    bindFile(server, file, admit, observeResponse, { 'content-security-policy': PAGE_POLICY });
  for (const url of EXPLORER_ENTRY_PATHS) {
    server.route({
      method: 'GET',
      url,
      onRequest: async (request, reply) => {
        request.observeResponse = observeResponse;
        await admit(request, reply);
      },
      handler: (_, reply) => reply.redirect(EXPLORER_PATH, 302),
    });
  }
}
