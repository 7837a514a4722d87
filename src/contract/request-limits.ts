/** How much of a request any venue takes. How often it is asked is its own choice, and comes from its configuration. */

/** `bodyBytes`: of an operation whose declaration needs no more; see `largestBodyOf`. `bodyChunks`: of a body without `Content-Length`. */
export const REQUEST_LIMITS = { bodyBytes: 4 * 1024, bodyChunks: 64, headerBytes: 16 * 1024 } as const;

/** A body that is answered before it is read is read past if its length is at most this; beyond it the connection ends. */
export const MAX_BYTES_READ_PAST = 64 * 1024;
