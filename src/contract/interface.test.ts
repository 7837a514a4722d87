/** What is declared against the interface: an operation or a field that it does not have is marked as ours, and nothing else is. */
import { describe, expect, test } from 'vitest';
import { openApiDocument } from './openapi.ts';
import type { Operation } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import { INTERFACE_FIELDS, INTERFACE_OPERATIONS } from './testing/interface.ts';

const operations: readonly Operation[] = Object.values(OPERATIONS);
const { schemas } = JSON.parse(JSON.stringify(openApiDocument().components));

describe('an operation', () => {
  test.each(operations)('$id is of the interface, or marked as ours', (operation) => {
    const known = INTERFACE_OPERATIONS.get(`${operation.method} ${operation.path}`);
    expect(operation.isOurs === true).toBe(known === undefined);
    if (known === undefined) return;
    expect({
      group: operation.group,
      status: operation.success.status,
      needsIdempotencyKey: operation.needsIdempotencyKey === true,
    }).toEqual(known);
  });
});

describe('a field', () => {
  test.each(Object.keys(INTERFACE_FIELDS).filter((name) => schemas[name] !== undefined))(
    'of %s is shown there, or marked as ours',
    (name) => {
      const shown = INTERFACE_FIELDS[name]?.split(' ');
      for (const [field, schema] of Object.entries<Record<string, unknown>>(schemas[name].properties)) {
        expect([field, schema['x-openperp-ours'] === true]).toEqual([field, !shown?.includes(field)]);
      }
    },
  );

  test('is not marked by its resource where that is of the interface', () => {
    const named = Object.entries<Record<string, unknown>>(schemas).filter(([name]) => INTERFACE_FIELDS[name] !== undefined);
    for (const [name, schema] of named) expect([name, schema['x-openperp-ours']]).toEqual([name, undefined]);
  });
});
