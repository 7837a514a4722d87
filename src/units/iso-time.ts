/** Times on the wire for people: ISO 8601 in UTC, to the millisecond. */

export function renderIsoTime(epochMs: number): string {
  // biome-ignore lint/style/noRestrictedGlobals: it renders the given time and reads no clock
  return new Date(epochMs).toISOString();
}
