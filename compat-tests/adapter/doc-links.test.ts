/**
 * The links of the classes resolve: `@see` to the operations that a method calls, and to channels; `urls` to pages of a venue.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { staticData } from '#compat/fixtures/files.ts';
import { openApiDocument } from '#contract/openapi.ts';
import { CHANNEL_NAMES } from '#contract/realtime-channels.ts';
import { EXPLORER_PATH } from '#http/server/explorer-files.ts';

const SOURCE = join(dirname(createRequire(import.meta.url).resolve('#adapter/package.json')), 'src');
const VENUE = 'http://localhost:8080';
/** Methods without a request. */
const WITHOUT_REQUEST = ['fetchL3OrderBook', 'fetchPositionMode', 'setMarginMode', 'setPositionMode'];

interface PublishedOperation {
  readonly operationId: string;
  readonly tags: readonly [string];
}
const paths = openApiDocument().paths as Record<string, Record<string, PublishedOperation>>;
/** The operation of each link into the explorer. */
const operations = new Map(
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).map(({ operationId, tags: [tag] }) => [
      `${VENUE}${EXPLORER_PATH}#/${encodeURIComponent(tag)}/${operationId}`,
      new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
    ]),
  ) as [string, RegExp][],
);
const channels = CHANNEL_NAMES.map((name) => `${VENUE}/asyncapi.json#/channels/${name}`);

/** The links of each method that has a description. */
function linksIn(file: string): ReadonlyMap<string, readonly string[]> {
  const blocks = readFileSync(join(SOURCE, file), 'utf8').match(/\/\*\*\n {5}\* @method\n[\s\S]*?\*\//g) ?? [];
  return new Map(
    blocks.map((block) => [
      /@name openperp#(\w+)/.exec(block)?.[1] ?? '',
      Array.from(block.matchAll(/@see (\S+)/g), ([, link = '']) => link),
    ]),
  );
}

describe('@see', () => {
  const ofRest = linksIn('openperp.ts');
  const ofSockets = linksIn('pro/openperp.ts');

  test('names existing operations and channels', () => {
    const known = [...operations.keys(), ...channels];
    const links = [...ofRest.values(), ...ofSockets.values()].flat();
    expect(links.length).toBeGreaterThan(50);
    expect(links.filter((link) => !known.includes(link))).toEqual([]);
  });

  test('exists for every method that sends a request', () => {
    const without = [...ofRest, ...ofSockets].filter(([, links]) => links.length === 0).map(([method]) => method);
    expect(without.sort()).toEqual(WITHOUT_REQUEST);
  });

  const recorded = Object.entries(staticData('request').methods).filter(([method]) => ofRest.has(method));
  test.each(recorded)('%s links to the operation that it calls', (method, fixtures) => {
    const patterns = (ofRest.get(method) ?? []).map((link) => operations.get(link) as RegExp);
    for (const { pathname } of fixtures.map(({ url }) => new URL(url)))
      expect(
        patterns.filter((pattern) => pattern.test(pathname)),
        `${pathname} in ${patterns.join(', ')}`,
      ).toHaveLength(1);
  });
});

test('links urls to a venue, and the logo to a picture', () => {
  const { logo, www, doc, fees } = new OpenPerp().urls as unknown as Record<string, string>;
  expect([www, doc]).toEqual([VENUE, VENUE + EXPLORER_PATH]);
  expect(operations.has(fees ?? '')).toBe(true);
  const [type, picture = ''] = logo?.split(',') ?? [];
  expect(type).toBe('data:image/svg+xml');
  expect(decodeURIComponent(picture)).toMatch(/^<svg xmlns="[^"]+" [^>]+>.*OpenPerp.*<\/svg>$/);
});
