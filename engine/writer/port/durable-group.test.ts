import { isDeepStrictEqual } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { expect, it } from 'vitest';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { credit, open, openToyWriter } from '#simulation/toy-writer.ts';
import type { CommittedGroup } from './submit.ts';

/** Groups of different lengths. */
const SUBMISSIONS = [[open('alice', 'a key')], [credit(1, 5), credit(1, 7, 'b'.repeat(40)), open('bob')], [credit(2, 9)]];

it.each([
  ['at once', (group: CommittedGroup) => group.records.length],
  ['never before the end', () => 0],
])('returns the same responses and groups whether subscribers read the records %s', async (_, read) => {
  const files = new PowerCutFiles();
  const groups: CommittedGroup[] = [];
  const writer = await openToyWriter(files, {
    follow: (group) => {
      groups.push(group);
      read(group);
    },
  });
  const responses = [];
  for (const group of SUBMISSIONS) responses.push(...(await Promise.all(group.map((submission) => writer.submit(submission)))));
  await writer.close();
  const recovered = await openToyWriter(files);
  expect(
    isDeepStrictEqual(
      groups.map((group) => ({ ...group })),
      recovered.groups.map((group) => ({ ...group })),
    ),
  ).toBe(true);
  const records = recovered.groups.flatMap((group) => group.records);
  expect(responses.map(({ command }) => command)).toEqual(SUBMISSIONS.flat().map(({ command }) => command));
  expect(responses.map((response) => JSON.stringify(response))).toEqual(
    records.map((record) => JSON.stringify({ ...record, replayed: false })),
  );
  expect(responses.map(({ replayed, ...record }) => ({ ...record }))).toEqual(records);
});

it('gives all groups the same shape: otherwise V8 keeps each group with its contents until a full garbage collection', async () => {
  const groups: CommittedGroup[] = [];
  const writer = await openToyWriter(new PowerCutFiles(), { follow: (group) => groups.push(group) });
  const responses = [];
  for (const group of SUBMISSIONS) responses.push(...(await Promise.all(group.map((submission) => writer.submit(submission)))));
  for (const group of groups) expect(haveSameShape(group, groups[0]!)).toBe(true);
  for (const response of responses) expect(haveSameShape(response, responses[0]!)).toBe(true);
  expect(haveSameShape(groups[0]!, responses[0]!)).toBe(false);
});

function haveSameShape(left: object, right: object): boolean {
  setFlagsFromString('--allow-natives-syntax');
  return new Function('left', 'right', 'return %HaveSameMap(left, right)')(left, right);
}
