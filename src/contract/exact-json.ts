/**
 * Parses JSON from clients. Refuses text that is nested too deeply or escapes the name of a field. `JSON.parse` silently rounds a number that
 * a double cannot represent, such as 9007199254740993. Here it becomes a symbol with the text of the number, which no schema accepts.
 */
import { withoutRounding } from './inexact-numbers.ts';
import { scanJson } from './json-scan.ts';

/** The text of a number that a double cannot represent; `undefined` for any other value. */
export function inexactNumber(value: unknown): string | undefined {
  return typeof value === 'symbol' ? value.description : undefined;
}

/** `bytes`: the text in UTF-8. Throws `SyntaxError` as `JSON.parse` does, and `JsonRefusal` when a limit is exceeded. */
export function parseExactJson(text: string, bytes: Uint8Array = Buffer.from(text)): unknown {
  const value: unknown = JSON.parse(text);
  const longNumbers = scanJson(bytes);
  return longNumbers.count === 0 ? value : withoutRounding(value, text, bytes, longNumbers);
}
