import { describe, expect, test } from 'vitest';
import { differences } from './shown.ts';

const asJson = (text: string, printed: string) => differences({ form: 'json', text }, printed);
const asText = (text: string, printed: string) => differences({ form: 'text', text }, printed);

describe('what is shown as JSON', () => {
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
  ])('is %s', (_, shown, printed) => {
    expect(asJson(shown, printed)).toEqual([]);
  });

  test.each([
    ['another value', '{"status":"open"}', '{"status":"filled"}', /^\.status: /],
    ['a member more', '{"a":1}', '{"a":1,"b":2}', /^\.b: /],
    ['a member less', '{"a":1,"b":2,"…":"…"}', '{"a":1}', /^\.b: /],
    ['an entry more', '[1]', '[1,2]', /^all of it: /],
    ['an entry less', '[1,2,"…"]', '[1]', /^all of it: /],
    ['a text for a number', '{"a":"1"}', '{"a":1}', /^\.a: /],
    ['another form than the placeholder has', '{"at":"<time>"}', '{"at":"soon"}', /^\.at: /],
    ['a name in brackets that stands for nothing', '{"a":"<thing>"}', '{"a":"17"}', /^\.a: /],
    ['no JSON', '{}', 'curl: (7) Failed to connect', /is not JSON/],
  ])('is not %s', (_, shown, printed, reported) => {
    expect(asJson(shown, printed)[0]).toMatch(reported);
  });
});

describe('what is shown as text', () => {
  test.each([
    ['itself, whatever ends its lines', 'a\nb\n', 'a\r\nb\r\n'],
    ['a placeholder', 'bought at <price>\n', 'bought at 65735.8\n'],
    ['lines that are left out', 'a\n…\nd\n…\n', 'a\nb\nc\nd\n'],
  ])('is %s', (_, shown, printed) => {
    expect(asText(shown, printed)).toEqual([]);
  });

  test.each([
    ['another line', 'a\n', 'b\n'],
    ['a line more', 'a\n', 'a\nb\n'],
    ['a line less', 'a\n…\nb\n', 'a\n'],
    ['what a placeholder has no form for', 'bought at <price>\n', 'bought at NaN\n'],
  ])('is not %s', (_, shown, printed) => {
    expect(asText(shown, printed)).toHaveLength(1);
  });
});
