import { expect, test } from 'vitest';
import { parseIsoTime, renderIsoTime } from './iso-time.ts';

test('reads a day, a minute, a second and a millisecond', () => {
  const texts = ['2021-05-19', '2021-05-19T12:30Z', '2021-05-19T12:30:01Z', '2021-05-19T12:30:01.250Z'];
  const expected = ['00:00:00.000', '12:30:00.000', '12:30:01.000', '12:30:01.250'];
  expect(texts.map((text) => renderIsoTime(parseIsoTime(text)!))).toEqual(expected.map((time) => `2021-05-19T${time}Z`));
});

test('refuses other forms, times of a place, and days that do not exist', () => {
  const refused = ['', '2021', '2021-5-19', '19.05.2021', '2021-05-19T12:30', '2021-05-19T12:30+02:00', '1621382400000'];
  for (const text of [...refused, '2021-02-30', '2021-13-01', '2021-05-19T25:00Z'])
    expect(parseIsoTime(text), text).toBeUndefined();
});
