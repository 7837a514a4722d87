import { describe, expect, test } from 'vitest';
import { differences } from './shown.ts';

const asJson = (text: string, printed: string) => differences({ form: 'json', text }, printed);
const asText = (text: string, printed: string) => differences({ form: 'text', text }, printed);

describe('shown JSON', () => {
  test.each([
    ['itself', '{"a":1,"b":[true,null]}', '{"b":[true,null],"a":1}'],
    ['a placeholder for an id', '{"orderId":"<id>"}', '{"orderId":"17"}'],
    ['a placeholder for a number', '{"at":"<time>"}', '{"at":1795329306926}'],
    [
      'a placeholder inside of a text',
      '{"safeMessage":"order <id> has ended (now)."}',
      '{"safeMessage":"order 17 has ended (now)."}',
    ],
    ['members that are left out', '{"a":1,"…":"…"}', '{"a":1,"b":2}'],
    ['entries that are left out', '[{"a":1},"…"]', '[{"a":1},{"a":2}]'],
  ])('matches %s', (_, shown, printed) => {
    expect(asJson(shown, printed)).toEqual([]);
  });

  test.each([
    ['another value', '{"status":"open"}', '{"status":"filled"}', /^\.status: /],
    ['an extra member', '{"a":1}', '{"a":1,"b":2}', /^\.b: /],
    ['a missing member', '{"a":1,"b":2,"…":"…"}', '{"a":1}', /^\.b: /],
    ['an extra entry', '[1]', '[1,2]', /^all of it: /],
    ['a missing entry', '[1,2,"…"]', '[1]', /^all of it: /],
    ['a text for a number', '{"a":"1"}', '{"a":1}', /^\.a: /],
    ['a value that does not fit the placeholder', '{"at":"<time>"}', '{"at":"soon"}', /^\.at: /],
    ['an unknown placeholder', '{"a":"<thing>"}', '{"a":"17"}', /^\.a: /],
    ['no JSON', '{}', 'curl: (7) Failed to connect', /is not JSON/],
  ])('does not match %s', (_, shown, printed, message) => {
    expect(asJson(shown, printed)[0]).toMatch(message);
  });
});

describe('shown text', () => {
  test.each([
    ['itself with other line endings', 'a\nb\n', 'a\r\nb\r\n'],
    ['a placeholder', 'bought at <price>\n', 'bought at 65735.8\n'],
    ['omitted lines', 'a\n…\nd\n…\n', 'a\nb\nc\nd\n'],
  ])('matches %s', (_, shown, printed) => {
    expect(asText(shown, printed)).toEqual([]);
  });

  test.each([
    ['another line', 'a\n', 'b\n'],
    ['an extra line', 'a\n', 'a\nb\n'],
    ['a missing line', 'a\n…\nb\n', 'a\n'],
    ['a value that does not fit the placeholder', 'bought at <price>\n', 'bought at NaN\n'],
  ])('does not match %s', (_, shown, printed) => {
    expect(asText(shown, printed)).toHaveLength(1);
  });
});
