/** Serves the explorer at /docs: a page on which every operation can be read about and tried with a key. */
import { gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import type { Admit } from './admission.ts';
import { explorerFiles } from './explorer-files.ts';
import type { Observe } from './observation.ts';

/** The page may load what this venue serves and send requests to it, and nothing else. Swagger UI draws its arrows as data. */
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
export function bindExplorer(server: FastifyInstance, admit: Admit, observe: Observe): void {
  const observeAnswer = observe('explorer');
  for (const { path, type, bytes, etag } of explorerFiles()) {
    let compressed: Buffer | undefined;
    server.route({
      method: 'GET',
      url: path,
      onRequest: async (request, reply) => {
        request.observeAnswer = observeAnswer;
        await admit(request, reply);
      },
      handler: (request, reply) => {
        reply.headers({ 'cache-control': 'no-cache', 'content-security-policy': PAGE_POLICY, etag, vary: 'accept-encoding' });
        if (request.headers['if-none-match'] === etag) return reply.code(304).send();
        reply.type(type);
        if (!/\bgzip\b/.test(String(request.headers['accept-encoding']))) return reply.send(bytes);
        compressed ??= gzipSync(bytes);
        return reply.header('content-encoding', 'gzip').send(compressed);
      },
    });
  }
}
