/** Names on the leaderboard: the venue and the published pattern both refuse invisible characters. */
import { describe, expect, test } from 'vitest';
import { leaderboardListingBody } from './leaderboard.ts';
import { openApiDocument } from './openapi.ts';

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;
const UNASSIGNED = /\p{Cn}/u;
/** All characters, except that empty and private planes are represented by their edges. */
const characters = [
  range(0, 0x1ffff),
  range(0x2fff0, 0x3000f),
  range(0x3fff0, 0x4000f),
  range(0xdfff0, 0xe100f),
  range(0xefff0, 0xf000f),
  range(0x10fff0, 0x10ffff),
].flat();

function range(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index));
}

function isTaken(displayName: string): boolean {
  return leaderboardListingBody.safeParse({ shown: true, displayName }).success;
}

/** The patterns of the document: one `pattern`, or several in `allOf`. */
function publishedPatterns(): string[] {
  const { LeaderboardListingChange } = JSON.parse(JSON.stringify(openApiDocument())).components.schemas;
  const { pattern, allOf = [] } = LeaderboardListingChange.properties.displayName;
  return [pattern, ...allOf.map((it: { pattern?: string }) => it.pattern)].filter((it) => it !== undefined);
}

function codePointsOf(characters: readonly string[]): string[] {
  return characters.slice(0, 20).map((character) => character.codePointAt(0)!.toString(16));
}

describe('a name', () => {
  test.each(['\u3164', 'a\u034fb', 'a\u115fb', 'a\ufe0fb', 'a\u2800b', '\u2800', 'a\u00adb', 'a\u{e0001}b', 'a\u{1d173}b'])(
    'with an invisible character is refused: %j',
    (displayName) => expect(isTaken(displayName)).toBe(false),
  );

  test.each(['a', 'Zoë', 'p{C}', 'Ann B. Copper', '山田 太郎', 'देवनागरी', '🦊 fox', '😀'.repeat(32), '\u{10400}'])(
    'can be %j',
    (displayName) => {
      expect(isTaken(displayName)).toBe(true);
    },
  );

  test('accepts every visible character and no other', () => {
    const wrong = characters.filter((it) => isTaken(`a${it}b`) === (INVISIBLE.test(it) || UNASSIGNED.test(it)));
    expect(codePointsOf(wrong)).toEqual([]);
  });

  test.each(['', 'u'])(
    'matches the published patterns with the flags "%s" exactly if the venue accepts it, except unassigned characters',
    (flags) => {
      const patterns = publishedPatterns().map((source) => new RegExp(source, flags));
      expect(patterns.length).toBeGreaterThan(0);
      const fits = (name: string) => patterns.every((pattern) => pattern.test(name));
      const names = characters.filter((it) => !UNASSIGNED.test(it)).map((it) => `a${it}b`);
      expect(codePointsOf(names.filter((name) => fits(name) !== isTaken(name)).map((name) => [...name][1]!))).toEqual([]);
      expect(['', ' a', 'a ', '\u3000a', 'a\u00a0', ' '].filter(fits)).toEqual([]);
      expect(['a', 'a b', '😀', 'Copper'].filter((name) => !fits(name))).toEqual([]);
    },
  );
});
