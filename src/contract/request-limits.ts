/** How much of a request any venue takes. How often it is asked is its own choice, and comes from its configuration. */
export const REQUEST_LIMITS = { bodyBytes: 64 * 1024, headerBytes: 16 * 1024 } as const;
