/**
 * Over all tests of a run: every declared status and code of every operation was returned, and every value that a schema lists
 * was seen, except those that `unseen-responses.ts` excuses with a reason. It runs last, and only counts after these folders:
 * `vitest run engine/http engine/reads gateway`.
 */
import { expect, test } from 'vitest';
import { ALWAYS_POSSIBLE, ERRORS } from '#contract/errors.ts';
import { openApiDocument } from '#contract/openapi.ts';
import type { Operation } from '#contract/operation.ts';
import { refusalsOf } from '#contract/operation.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { observed, responseLine } from '#http/testing/observed-responses.ts';
import { listedValues } from '#http/testing/published-values.ts';
import { UNSEEN_RESPONSES } from '#http/testing/unseen-responses.ts';

const operations: readonly Operation[] = Object.values(OPERATIONS);
const seen = observed();
const AFTER_ALL = 'no test of this run received it (run npx vitest run engine/http engine/reads gateway)';

const declared = operations.flatMap((operation) => [
  responseLine(operation.id, operation.success.status),
  ...(operation.alternative === undefined ? [] : [responseLine(operation.id, operation.alternative.status)]),
  ...(operation.hasEtag ? [responseLine(operation.id, 304)] : []),
  ...refusalsOf(operation, ALWAYS_POSSIBLE).map((code) => responseLine(operation.id, ERRORS[code].status, code)),
]);

const listed = [...listedValues(openApiDocument(), [...answeredSchemas(), 'Error'])];

test('every declared status and code of every operation was returned', () => {
  expect(declared.filter(isMissing), AFTER_ALL).toEqual([]);
});

test('every value that a response schema lists was seen', () => {
  expect(listed.filter(isMissing), AFTER_ALL).toEqual([]);
});

test('every excused response exists and was not seen', () => {
  const known = new Set([...declared, ...listed]);
  expect(Object.keys(UNSEEN_RESPONSES).filter((line) => !known.has(line) || seen.has(line))).toEqual([]);
});

function isMissing(line: string): boolean {
  return !seen.has(line) && !(line in UNSEEN_RESPONSES);
}

function answeredSchemas(): readonly string[] {
  const schemas = operations.flatMap(({ success, alternative }) => [success.schema, alternative?.schema]);
  return schemas.flatMap((schema) => schema?.meta()?.id ?? []);
}
