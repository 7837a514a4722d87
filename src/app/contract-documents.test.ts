/**
 * The published documents of the contract. The copies under docs/ equal what the declarations generate, so that a change shows in
 * review (`npm run contract` updates them). Every example fits its schema, and the linter reports nothing.
 */
import { readFileSync } from 'node:fs';
import { createConfig, lintFromString, type NormalizedProblem } from '@redocly/openapi-core';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { EXAMPLES } from '#contract/examples.ts';
import { gatewayDocument } from '#contract/gateway-document.ts';
import type { Operation } from '#contract/operation.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { parseBody, parsePath, parseQuery } from '#contract/parse.ts';
import { GENERATED_PARTS, MACHINE_DOCUMENTS } from './testing/contract-documents.ts';
import { withGenerated } from './testing/generated-section.ts';

const operations: readonly Operation[] = Object.values(OPERATIONS);

/** Rules of the recommended set that are switched off here, and why. */
const EXCEPTIONS: Readonly<Record<string, Readonly<Record<string, 'off'>>>> = {
  // The interface has /v1/orders/batch/cancel beside /v1/orders/{orderId}/cancel; the router prefers the literal path.
  'openapi.json': { 'no-ambiguous-paths': 'off', 'operation-2xx-response': 'off' },
  // Public channels have no security; the rule allows no operation to declare that.
  'asyncapi.json': { 'security-defined': 'off' },
};

const texts = [
  ...Object.entries(MACHINE_DOCUMENTS).map(([file, document]) => [file, `${JSON.stringify(document, null, 2)}\n`] as const),
  ...Object.entries(GENERATED_PARTS).map(([file, part]) => {
    const page = readFileSync(new URL(`../../docs/${file}`, import.meta.url), 'utf8');
    return [file, withGenerated(page, part)] as const;
  }),
];

test.each(texts)('docs/%s equals what the declarations generate', async (file, text) => {
  await expect(text, 'npm run contract writes it').toMatchFileSnapshot(`../../docs/${file}`);
});

describe('the linter', () => {
  test.each(Object.entries(MACHINE_DOCUMENTS))('reports nothing about %s', async (file, document) => {
    expect(await lint(file, document)).toEqual([]);
  });

  test('reports nothing about the document of a gateway', async () => {
    expect(await lint('openapi.json', gatewayDocument())).toEqual([]);
  });

  test('reports a planted error', async () => {
    const { 'openapi.json': document } = MACHINE_DOCUMENTS;
    const paths = { '/v1/thing': { get: { responses: { 200: { $ref: '#/components/responses/nothing' } } } } };
    const rules = (await lint('openapi.json', { ...document, paths })).map(({ rule }) => rule);
    expect(rules).toEqual(expect.arrayContaining(['no-unresolved-refs', 'operation-summary', 'security-defined']));
  });
});

describe('the examples', () => {
  test.each(operations)('of $id fit their declaration', (operation) => {
    const example = EXAMPLES[operation.id];
    if (example === undefined) throw new Error(`there is no example of ${operation.id}: npm run contract`);
    const { request, response } = example;
    expect(parsePath(operation, request.params ?? {})).toHaveProperty('value');
    expect(parseQuery(operation, request.query ?? {})).toHaveProperty('value');
    expect(parseBody(operation, request.body)).toHaveProperty('value');
    expect(response.status).toBe(operation.success.status);
    operation.success.schema?.parse(response.body);
  });

  test.each([
    ['as the specification reads patterns', true],
    ['as the explorer and others do, without the flag for Unicode', false],
  ])('fit the schemas that the document publishes beside them, %s', (_, unicodeRegExp) => {
    const document = JSON.parse(JSON.stringify(MACHINE_DOCUMENTS['openapi.json']));
    const ajv = new Ajv2020({ strict: false, validateFormats: false, unicodeRegExp });
    ajv.addSchema(document, 'document');
    const shown = [...examplesIn(document, document)];
    // At least one success of each operation and one example of each code.
    expect(shown.length).toBeGreaterThan(operations.length + Object.keys(document.components.examples).length);
    // References are from the root of the document, so equal schemas need one validator.
    const validators = new Map<string, ValidateFunction>();
    for (const { place, schema, value } of shown) {
      const text = JSON.stringify(schema);
      const validate = validators.get(text) ?? ajv.compile({ $ref: `document#${place}/schema` });
      validators.set(text, validate);
      expect(validate(value), `${place}: ${ajv.errorsText(validate.errors)}`).toBe(true);
    }
  });
});

interface Problem {
  readonly rule: string;
  readonly message: string;
  readonly places: readonly (string | undefined)[];
}

async function lint(file: string, document: object): Promise<Problem[]> {
  const config = await createConfig({ extends: ['recommended'], rules: EXCEPTIONS[file] ?? {} });
  const problems: NormalizedProblem[] = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: `/${file}`,
    config,
  });
  return problems.map(({ ruleId, message, location }) => ({
    rule: ruleId,
    message,
    places: location.map(({ pointer }) => pointer),
  }));
}

interface ShownExample {
  readonly place: string;
  readonly schema: unknown;
  readonly value: unknown;
}

/** Yields every example with its path in the document, and the schema beside it. */
// biome-ignore lint/suspicious/noExplicitAny: the document is walked as the JSON that it is
function* examplesIn(node: any, root: any, place = ''): Generator<ShownExample> {
  if (typeof node !== 'object' || node === null || place.startsWith('/components/schemas')) return;
  if (node.schema !== undefined) {
    const { schema } = node;
    if (node.example !== undefined) yield { place, schema, value: node.example };
    for (const { $ref } of Object.values<{ $ref: string }>(node.examples ?? {})) {
      const name = $ref.split('/').at(-1) ?? '';
      yield { place, schema, value: root.components.examples[name].value };
    }
    return;
  }
  for (const [key, inner] of Object.entries(node)) {
    yield* examplesIn(inner, root, `${place}/${encodeURI(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`);
  }
}
