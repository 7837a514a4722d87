/** Static files: compressed if the client accepts it, and not sent again if it has them. */
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import type { Admit } from '#http/access/admission.ts';
import type { ObserveResponse } from './observation.ts';

export interface PreparedFile {
  readonly path: string;
  readonly type: string;
  readonly bytes: Buffer;
  readonly etag: string;
}

export function preparedFile(path: string, type: string, content: string | Buffer): PreparedFile {
  const bytes = Buffer.from(content);
  return { path, type, bytes, etag: `"${hash('sha256', bytes, 'base64url')}"` };
}

/** `headers` override the common ones. */
export function bindFile(
  server: FastifyInstance,
  { path, type, bytes, etag }: PreparedFile,
  admit: Admit,
  observeResponse: ObserveResponse,
  headers: Readonly<Record<string, string>> = {},
): void {
  let packed: Promise<Buffer> | undefined;
  server.route({
    method: 'GET',
    url: path,
    onRequest: async (request, reply) => {
      request.observeResponse = observeResponse;
      await admit(request, reply);
    },
    handler: async (request, reply) => {
      reply.headers({ 'cache-control': 'no-cache', etag, vary: 'accept-encoding', ...headers });
      if (exists(etag, request.headers['if-none-match'])) return reply.code(304).send();
      reply.type(type);
      if (!takesGzip(String(request.headers['accept-encoding'] ?? ''))) return reply.send(bytes);
      // Compresses in another thread: this one is the writer's.
      packed ??= promisify(gzip)(bytes);
      return reply.header('content-encoding', 'gzip').send(await packed);
    },
  });
}

function exists(etag: string, ifNoneMatch = ''): boolean {
  return ifNoneMatch === '*' || ifNoneMatch.includes(etag);
}

/** False if the client prefers the file uncompressed. */
function takesGzip(acceptEncoding: string): boolean {
  const weights = new Map(acceptEncoding.toLowerCase().split(',').map(parseCoding));
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0;
  return weightOf('gzip') > 0 && weightOf('gzip') >= weightOf('identity');
}

function parseCoding(taken: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = taken.split(';').map((part) => part.trim());
  const weight = parameters.find((it) => it.startsWith('q='));
  return [coding, weight === undefined ? 1 : Number(weight.slice(2))];
}
