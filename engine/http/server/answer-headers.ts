/**
 * Headers of every answer: no sniffing, no framing, no referrer, nothing kept by a cache on the way; and a page of any
 * origin may ask. The venue knows no cookies: what a page asks for is what its bearer may, wherever the page is from.
 */
import { RESPONSE_HEADERS } from '#contract/response-headers.ts';

export const ANSWER_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': Object.keys(RESPONSE_HEADERS).join(', '),
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** What a browser is told that asks before a page's request is sent. */
export const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-headers': 'authorization, content-type, idempotency-key, x-request-id',
  'access-control-max-age': '7200',
};
