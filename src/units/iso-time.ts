/** Times for people: ISO 8601 in UTC, written to the millisecond, read as a date or to the minute, second or millisecond. */

const UTC_TIME = /^([0-9]{4}-[0-9]{2}-[0-9]{2})(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{3})?)?Z)?$/;

/** Reads `2021-05-19`, which is midnight, `2021-05-19T12:30Z` and longer; `undefined` for other texts and for days that do not exist. */
export function parseIsoTime(text: string): number | undefined {
  const [, day] = UTC_TIME.exec(text) ?? [];
  // biome-ignore lint/style/noRestrictedGlobals: it reads the given text and no clock
  const parsed = day === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(parsed) || !renderIsoTime(parsed).startsWith(day!) ? undefined : parsed;
}

export function renderIsoTime(epochMs: number): string {
  // biome-ignore lint/style/noRestrictedGlobals: it renders the given time and reads no clock
  return new Date(epochMs).toISOString();
}
