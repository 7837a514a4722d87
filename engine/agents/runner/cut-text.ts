/** Shortens a text of a script or a refusal to what a command takes. */

const HIGH_SURROGATE = /[\uD800-\uDBFF]$/;

/** At most `max` UTF-16 units, and no half of a surrogate pair, which would not survive the journal. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  return text.slice(0, max).replace(HIGH_SURROGATE, '');
}
