/**
 * Over all tests of a run: every declared status and code of every operation was returned, and every value that a schema lists
 * was seen, except those that `unseen-answers.ts` excuses with a reason. It runs last, and only counts after the whole folder:
 * `vitest run engine/http`.
 */
import { expect, test } from 'vitest';
import { ALWAYS_POSSIBLE, ERRORS } from '#contract/errors.ts';
import { openApiDocument } from '#contract/openapi.ts';
import type { Operation } from '#contract/operation.ts';
import { refusalsOf } from '#contract/operation.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { answerLine, observed } from '#http/testing/observed-answers.ts';
import { listedValues } from '#http/testing/published-values.ts';
import { UNSEEN_ANSWERS } from '#http/testing/unseen-answers.ts';

const operations: readonly Operation[] = Object.values(OPERATIONS);
const seen = observed();

const declared = operations.flatMap((operation) => [
  answerLine(operation.id, operation.success.status),
  ...(operation.alternative === undefined ? [] : [answerLine(operation.id, operation.alternative.status)]),
  ...(operation.hasEtag ? [answerLine(operation.id, 304)] : []),
  ...refusalsOf(operation, ALWAYS_POSSIBLE).map((code) => answerLine(operation.id, ERRORS[code].status, code)),
]);

const listed = [...listedValues(openApiDocument(), [...answeredSchemas(), 'Error'])];

test('every declared status and code of every operation was returned', () => {
  expect(declared.filter(isMissing)).toEqual([]);
});

test('every value that a response schema lists was seen', () => {
  expect(listed.filter(isMissing)).toEqual([]);
});

test('every excused response exists and was not seen', () => {
  const known = new Set([...declared, ...listed]);
  expect(Object.keys(UNSEEN_ANSWERS).filter((line) => !known.has(line) || seen.has(line))).toEqual([]);
});

function isMissing(line: string): boolean {
  return !seen.has(line) && !(line in UNSEEN_ANSWERS);
}

function answeredSchemas(): readonly string[] {
  const schemas = operations.flatMap(({ success, alternative }) => [success.schema, alternative?.schema]);
  return schemas.flatMap((schema) => schema?.meta()?.id ?? []);
}
