/**
 * Checks the references of the pages: linked files and headings, named files, operations and ccxt methods. A page that
 * explains a closed list must have all of its values.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OpenPerpPro } from '#adapter/dist/openperp.js';
import { RECOVERY_ACTIONS } from '#contract/error-entry.ts';
import { API_KEY_REJECTIONS } from '#contract/error-envelope.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { CANCEL_REASONS } from '#contract/orders.ts';
import type { Channel } from '#contract/realtime-channel.ts';
import { CHANNEL_NAMES, CHANNELS } from '#contract/realtime-channels.ts';
import { REALTIME_ERROR_CODES, REALTIME_TICKET_FAILURE_NAMES } from '#contract/realtime-errors.ts';
import { CLOSE_CODES } from '#contract/realtime-limits.ts';
import { DEVNET_MARKETS } from '#devnet/markets.ts';
import { DEADLINE_REASONS } from '#settlement/coordinator/withdrawal-pass.ts';
import { OFFER_NOT_ACCEPTED } from '#venue/transfer/withdrawal-steps.ts';

const ROOT = join(import.meta.dirname, '..');
const PART_PAGES = ['writer', 'projection', 'realtime', 'http', 'settlement', 'settlement/coordinator'].map(
  (part) => `engine/${part}/README.md`,
);
const PAGES = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'adapter/README.md',
  'engine/ARCHITECTURE.md',
  ...PART_PAGES,
  ...pagesIn('docs'),
  ...pagesIn('docs/decisions'),
];
/** In backticks: a path from the root, or from the page's folder. */
const TREE_PATH = /`((?:src|engine|gateway|docs|examples|adapter|compat-tests)\/[\w./-]+)`/g;
/** In backticks on the page of a part: a file in its folder, or what its test command runs. */
const PART_FILE = /`([\w./-]+\.ts)`/g;
const PART_TESTS = /`npx vitest run ([^`]+)`/g;
/** A variable that a test reads. */
const TEST_VARIABLE = /process\.env\.(OPENPERP_\w+)/g;
const ANY_VARIABLE = /\b(OPENPERP_\w+)/g;
const { has } = new OpenPerpPro() as { has: Record<string, unknown> };
const operations = new Set(Object.values(OPERATIONS).map(({ method, path }) => `${method} ${path}`));

describe.each(PAGES)('%s', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');

  test('links to existing files and headings', () => {
    for (const [, target = ''] of text.matchAll(/\]\((?!\w+:)([^)]+)\)/g)) {
      const [path = '', heading] = target.split('#');
      const file = path === '' ? join(ROOT, page) : join(ROOT, dirname(page), path);
      expect(existsSync(file), target).toBe(true);
      if (heading !== undefined) expect(anchorsOf(readFileSync(file, 'utf8')), target).toContain(heading);
    }
  });

  test('names existing files and folders', () => {
    expect(matchesOf(TREE_PATH, text).filter((path) => !isInTree(page, path))).toEqual([]);
  });

  test('names declared operations', () => {
    for (const [, operation = ''] of text.matchAll(/`((?:GET|POST|PUT|DELETE) \/[^`\s?]*)[^`]*`/g)) {
      expect(operations, operation).toContain(operation);
    }
  });

  test('names methods that the ccxt class has', () => {
    for (const [, method = ''] of text.matchAll(/`((?:fetch|create|watch)[A-Z]\w*|cancel(?:Order|All)\w*)`/g))
      expect(has[method], method).toBeTruthy();
  });
});

test.each(PART_PAGES)('%s names existing files and tests', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const files = matchesOf(PART_FILE, text);
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter((file) => !isInTree(page, file))).toEqual([]);
  const tests = matchesOf(PART_TESTS, text).flatMap((paths) => paths.split(' '));
  expect(tests.length).toBeGreaterThan(0);
  expect(tests.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

describe('testing.md', () => {
  const text = readFileSync(join(import.meta.dirname, 'testing.md'), 'utf8');
  const sizes = readFileSync(join(ROOT, '.ci', 'full-sizes.ts'), 'utf8');
  const fullSizes = matchesOf(/^ {2}(OPENPERP_\w+): /gm, sizes);

  test('names every variable that a test reads, and no other', () => {
    const sources = ['engine', 'oracle', 'src', 'gateway', 'compat-tests', 'owner-page'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => /\.test\.ts$|(^|\/)testing\/[^/]+\.ts$|-run\.ts$/.test(path) && !path.includes('node_modules'))
        .map((path) => readFileSync(join(ROOT, folder, path), 'utf8')),
    );
    const read = new Set(sources.flatMap((source) => matchesOf(TEST_VARIABLE, source)));
    const known = new Set([...sources, sizes].flatMap((source) => matchesOf(ANY_VARIABLE, source)));
    const named = new Set(matchesOf(ANY_VARIABLE, text));
    expect([...read].filter((variable) => !named.has(variable) && variable !== 'OPENPERP_OBSERVED')).toEqual([]);
    expect([...named].filter((variable) => !known.has(variable))).toEqual([]);
    expect(fullSizes.filter((variable) => !read.has(variable))).toEqual([]);
  });

  test.each(fullSizes)('has the full size of %s', (variable) => {
    const row = text
      .split('\n')
      .find((line) => line.startsWith('|') && line.includes(`\`${variable}\``) && !line.includes('npx'));
    expect(row).toMatch(/; full: /);
  });

  test('names existing files and folders in its commands', () => {
    const paths = matchesOf(/npx vitest run ([^`]+)`/g, text).flatMap((command) => command.split(' '));
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

test.each([
  ['errors.md', RECOVERY_ACTIONS],
  ['authentication.md', API_KEY_REJECTIONS],
  ['orders.md', CANCEL_REASONS],
  ['deposits-and-withdrawals.md', [...DEADLINE_REASONS, OFFER_NOT_ACCEPTED]],
  ['realtime.md', [...CHANNEL_NAMES, ...REALTIME_ERROR_CODES, ...REALTIME_TICKET_FAILURE_NAMES, ...Object.keys(CLOSE_CODES)]],
])('%s explains every value', (page, values) => {
  const text = readFileSync(join(import.meta.dirname, page), 'utf8');
  expect(values.filter((value) => !text.includes(`\`${value}\``))).toEqual([]);
});

test.each(['README.md', 'CHANGELOG.md'])('%s names every market of a devnet', (page) => {
  const words = readFileSync(join(ROOT, page), 'utf8').split(/[^A-Z0-9]+/);
  const symbols = DEVNET_MARKETS.map(({ specification }) => specification.underlyingSymbol);
  expect(
    symbols.filter((symbol) => !words.includes(symbol)),
    `add these to ${page}`,
  ).toEqual([]);
});

test('realtime.md names the bootstrap snapshot of each channel, and its sequence', () => {
  const rows = readFileSync(join(import.meta.dirname, 'realtime.md'), 'utf8').split('\n');
  for (const { name, snapshotSource, snapshotSequence, data, delivery } of Object.values<Channel>(CHANNELS)) {
    if (data === undefined) continue;
    const cells = rows.find((row) => row.startsWith(`| \`${name}\` |`))?.split('|');
    const begin = delivery === 'newest' ? ['nothing', ''] : [snapshotSource, snapshotSequence].map((it) => it && `\`${it}\``);
    expect(
      cells?.slice(4, 6).map((cell) => cell.trim()),
      name,
    ).toEqual(begin.map((it) => it ?? ''));
  }
});

function pagesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);
}

test('the index of decisions links to each of them, numbered without a gap', () => {
  const index = readFileSync(join(ROOT, 'docs/decisions/README.md'), 'utf8');
  const linked = [...index.matchAll(/\]\((\d{4}-[^)]+)\)/g)].map(([, file]) => `docs/decisions/${file}`);
  const decisions = pagesIn('docs/decisions').filter((page) => !page.endsWith('README.md'));
  expect(linked.sort()).toEqual(decisions.sort());
  expect(decisions.map((page) => Number(/(\d{4})-[^/]+$/.exec(page)?.[1]))).toEqual(decisions.map((_, place) => place + 1));
});

function isInTree(page: string, path: string): boolean {
  return existsSync(join(ROOT, path)) || existsSync(join(ROOT, dirname(page), path));
}

/** What the pattern's group matches in a text. */
function matchesOf(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].map(([, match = '']) => match);
}

/** The anchors that GitHub derives from headings. */
function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test.each(['README.md', 'adapter/README.md', 'src/cli/banner.ts', 'examples/first-trade.mjs'])(
  '%s opens its position with a leverage of 5',
  (file) => {
    const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
    const buys = lines.filter((line) => line.includes('createOrder(') && line.includes("'buy'"));
    expect(buys).not.toEqual([]);
    expect(buys.filter((line) => !line.includes('{ leverage: 5 }'))).toEqual([]);
  },
);
