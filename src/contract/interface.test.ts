/** What is declared against the interface: an operation or a field that it does not have is marked as ours, and nothing else is. */
import { describe, expect, test } from 'vitest';
import { asyncApiDocument } from './asyncapi.ts';
import { openApiDocument } from './openapi.ts';
import type { Operation } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import { INTERFACE_FIELDS, INTERFACE_OPERATIONS, INTERFACE_VERSIONS } from './testing/interface.ts';

const operations: readonly Operation[] = Object.values(OPERATIONS);
const document = JSON.parse(JSON.stringify(openApiDocument()));
const { schemas } = document.components;

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

describe('a version', () => {
  type Published = { readonly schemas: readonly string[]; readonly isServed: boolean; readonly isOurs?: true };
  const published = Object.entries<Published>(document['x-openperp-versions']);
  const held = Object.entries<{ properties?: { version?: { const?: string } } }>(schemas).flatMap(([name, { properties }]) => {
    const version = properties?.version?.const;
    return version === undefined ? [] : [[name, version] as const];
  });

  test('that the interface names is published, and every other one as ours', () => {
    expect(new Set(published.filter(([, { isOurs }]) => isOurs !== true).map(([version]) => version))).toEqual(
      INTERFACE_VERSIONS,
    );
  });

  test('is published with the schemas that have it', () => {
    const listed = published.flatMap(([version, it]) => it.schemas.map((name) => [name, version]));
    expect(listed.sort()).toEqual(held.map((it) => [...it]).sort());
  });

  test('is served where something has it: a schema, or the realtime service', () => {
    const served = new Set([...held.map(([, version]) => version), JSON.parse(JSON.stringify(asyncApiDocument())).info.version]);
    expect(
      published
        .filter(([, { isServed }]) => isServed)
        .map(([version]) => version)
        .sort(),
    ).toEqual([...served].sort());
  });
});
