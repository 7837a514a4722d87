/** Compares the declarations with the interface: exactly the operations and fields that it does not have are marked as ours. */
import { describe, expect, test } from 'vitest';
import { asyncApiDocument } from './asyncapi.ts';
import { openApiDocument } from './openapi.ts';
import type { Access, Operation } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import { INTERFACE_FIELDS, INTERFACE_OPERATIONS, INTERFACE_VERSIONS } from './testing/interface.ts';

const operations: readonly Operation[] = Object.values(OPERATIONS);
const document = JSON.parse(JSON.stringify(openApiDocument()));
const { schemas } = document.components;

/**
 * The venue's kinds of access that satisfy the interface's. A bearer that the interface does not need, but that is valid, may personalize
 * a response. Owners have sessions; steps that move money or change keys need one that a passkey signed in. Keys that read a deployment
 * need the agents scope: the interface restricts its log to it, and its positions and ticket show the same account.
 */
const ACCESS_OF_INTERFACE: Readonly<Record<string, readonly Access[]>> = {
  none: ['none', 'none-or-bearer'],
  any: ['bearer:any'],
  read: ['bearer:read', 'bearer:agents'],
  trade: ['bearer:trade'],
  bearer: ['bearer:trade'],
  funding: ['bearer:funding'],
  agents: ['bearer:agents'],
  owner: ['session', 'session:passkey'],
};

describe('an operation', () => {
  test.each(operations)('$id is in the interface or marked as ours', (operation) => {
    const known = INTERFACE_OPERATIONS.get(`${operation.method} ${operation.path}`);
    expect(operation.isOurs === true, 'isOurs: true marks the operations that the interface does not have').toBe(
      known === undefined,
    );
    if (known === undefined) return;
    expect(known).toMatchObject({
      group: operation.group,
      status: operation.success.status,
      needsIdempotencyKey: operation.needsIdempotencyKey === true,
    });
  });
});

describe('the interface', () => {
  const byPlace = new Map(operations.map((operation) => [`${operation.method} ${operation.path}`, operation]));

  test('has 89 operations', () => {
    expect(INTERFACE_OPERATIONS.size).toBe(89);
  });

  test.each([...INTERFACE_OPERATIONS])('has %s, which the venue serves with its access', (place, { access }) => {
    expect(ACCESS_OF_INTERFACE[access]).toContain(byPlace.get(place)?.access);
  });
});

describe('a field', () => {
  test.each(Object.keys(INTERFACE_FIELDS).filter((name) => schemas[name] !== undefined))(
    'of %s is in the interface or marked as ours',
    (name) => {
      const shown = INTERFACE_FIELDS[name]?.split(' ');
      for (const [field, schema] of Object.entries<Record<string, unknown>>(schemas[name].properties)) {
        expect([field, schema['x-openperp-ours'] === true]).toEqual([field, !shown?.includes(field)]);
      }
    },
  );

  test('has no mark on its resource if the interface has the resource', () => {
    const named = Object.entries<Record<string, unknown>>(schemas).filter(([name]) => INTERFACE_FIELDS[name] !== undefined);
    for (const [name, schema] of named) expect([name, schema['x-openperp-ours']]).toEqual([name, undefined]);
  });
});

describe('a version', () => {
  type VersionEntry = { readonly schemas: readonly string[]; readonly isServed: boolean; readonly isOurs?: true };
  const published = Object.entries<VersionEntry>(document['x-openperp-versions']);
  const versions = Object.entries<{ properties?: { version?: { const?: string } } }>(schemas).flatMap(
    ([name, { properties }]) => {
      const version = properties?.version?.const;
      return version === undefined ? [] : [[name, version] as const];
    },
  );

  test('of the interface is published, and every other one is marked as ours', () => {
    expect(new Set(published.filter(([, { isOurs }]) => isOurs !== true).map(([version]) => version))).toEqual(
      INTERFACE_VERSIONS,
    );
  });

  test('is published with its schemas', () => {
    const listed = published.flatMap(([version, it]) => it.schemas.map((name) => [name, version]));
    expect(listed.sort()).toEqual(versions.map((it) => [...it]).sort());
  });

  test('is served if a schema or the realtime service has it', () => {
    const served = new Set([
      ...versions.map(([, version]) => version),
      JSON.parse(JSON.stringify(asyncApiDocument())).info.version,
    ]);
    expect(
      published
        .filter(([, { isServed }]) => isServed)
        .map(([version]) => version)
        .sort(),
    ).toEqual([...served].sort());
  });
});
