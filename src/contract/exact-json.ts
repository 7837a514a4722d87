/**
 * Parses the JSON of clients. Text that is nested deeper than any request, or escapes the name of a field, is refused. A number that a double does not represent, such as
 * 9007199254740993, would be rounded in silence: it becomes a symbol of its text, which no field takes, nor any schema of an object for an empty one.
 */
import { withoutRounding } from './inexact-numbers.ts';
import { scanJson } from './json-scan.ts';

/** The text of a number that a double does not represent; `undefined` for any other value. */
export function inexactNumber(value: unknown): string | undefined {
  return typeof value === 'symbol' ? value.description : undefined;
}

/** `bytes`: the text in UTF-8. Throws as `JSON.parse` does, and `JsonRefusal` for what no request needs. */
export function parseExactJson(text: string, bytes: Uint8Array = Buffer.from(text)): unknown {
  const value: unknown = JSON.parse(text);
  const longNumbers = scanJson(bytes);
  return longNumbers.count === 0 ? value : withoutRounding(value, text, bytes, longNumbers);
}
