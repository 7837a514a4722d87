/** Times of the wire that people read: ISO 8601 in UTC, to the millisecond. */

export function renderIsoTime(epochMs: number): string {
  // biome-ignore lint/style/noRestrictedGlobals: it writes out the time that it is given, and asks no clock
  return new Date(epochMs).toISOString();
}
