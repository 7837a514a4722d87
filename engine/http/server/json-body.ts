/**
 * Request bodies: JSON in uncompressed UTF-8, with numbers as they were written. A body of another declared type is refused as
 * such, not as malformed JSON.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { parseExactJson } from '#contract/exact-json.ts';
import { JsonRefusal } from '#contract/json-refusal.ts';
import { Refused } from '#contract/refused.ts';
import { chunksRefusal } from './body-chunks.ts';

/** An empty body counts as absent: an operation that needs one refuses it. */
export function acceptJsonOnly(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, ({ headers, raw }, bytes, done) => {
    if (bytes.length === 0) {
      done(null, undefined);
      return;
    }
    const refused = chunksRefusal(raw) ?? codingRefusal(headers);
    if (refused !== undefined) {
      done(refused);
      return;
    }
    try {
      done(null, parseJsonBody(bytes as Buffer));
    } catch (thrown) {
      done(thrown as Error);
    }
  });
  // Some libraries send a type with every request that could have a body.
  server.addContentTypeParser('*', ({ headers }, _body, done) => {
    if (headers['content-length'] === '0') done(null, undefined);
    else done(new Refused('unsupported_media_type'));
  });
}

/** Throws {@link Refused}. */
export function parseJsonBody(bytes: Uint8Array): unknown {
  const text = textIn(bytes);
  if (text === undefined) throw new Refused('malformed_json', NOT_UTF8);
  try {
    return parseExactJson(text, bytes);
  } catch (thrown) {
    if (thrown instanceof JsonRefusal) throw new Refused('invalid_request', thrown.faultOf('body'));
    throw thrown instanceof SyntaxError ? new Refused('malformed_json') : thrown;
  }
}

/**
 * Throws for invalid UTF-8 instead of replacing it; keeps a byte order mark, which is not JSON. For ASCII, the usual body, faster
 * than checking first.
 */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const NOT_UTF8 = 'The body is not UTF-8: send JSON in UTF-8.';

function textIn(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Does not repeat the header's text, which is the client's. */
function codingRefusal(headers: IncomingHttpHeaders): Refused | undefined {
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    return new Refused('unsupported_media_type', 'The body is compressed: send it uncompressed, without Content-Encoding.');
  }
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1];
  if (charset === undefined || /^utf-?8$/i.test(charset)) return undefined;
  return new Refused(
    'unsupported_media_type',
    'The charset of the body is not UTF-8: send it in UTF-8, with Content-Type: application/json.',
  );
}
