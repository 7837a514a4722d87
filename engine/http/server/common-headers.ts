/**
 * Headers of every response: no sniffing, framing, referrer or caching; and any origin may call, because the venue uses no
 * cookies: a page has only the rights of the bearer that it sends.
 */
import { RESPONSE_HEADERS } from '#contract/response-headers.ts';

export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': Object.keys(RESPONSE_HEADERS).join(', '),
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Headers of the response to a browser's preflight request. */
export const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-headers': 'authorization, content-type, idempotency-key, x-request-id',
  'access-control-max-age': '7200',
};
