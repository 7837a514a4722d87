/** The size limits of requests, equal for all venues. Rate limits are configured. */

/** `bodyBytes`: unless the declared body of the operation can be longer; see `largestBodyOf`. `bodyChunks`: of a body without `Content-Length`. */
export const REQUEST_LIMITS = { bodyBytes: 4 * 1024, bodyChunks: 64, headerBytes: 16 * 1024 } as const;

/** If a response is sent before the body is read, a body up to this length is drained; with a longer one the connection is closed. */
export const MAX_BYTES_READ_PAST = 64 * 1024;
