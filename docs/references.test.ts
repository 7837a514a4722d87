/** What pages refer to exists: the files and headings that they link to, and the operations that they name. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '#contract/operations.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGES = [
  'README.md',
  'adapter/README.md',
  ...readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const operations = new Set(Object.values(OPERATIONS).map(({ method, path }) => `${method} ${path}`));

describe.each(PAGES)('%s', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');

  test('links to what there is', () => {
    for (const [, target = ''] of text.matchAll(/\]\((?!\w+:)([^)]+)\)/g)) {
      const [path = '', heading] = target.split('#');
      const file = path === '' ? join(ROOT, page) : join(ROOT, dirname(page), path);
      expect(existsSync(file), target).toBe(true);
      if (heading !== undefined) expect(anchorsOf(readFileSync(file, 'utf8')), target).toContain(heading);
    }
  });

  test('names operations that there are', () => {
    for (const [, operation = ''] of text.matchAll(/`((?:GET|POST|PUT|DELETE) \/[^`\s?]*)[^`]*`/g)) {
      expect(operations, operation).toContain(operation);
    }
  });
});

/** As GitHub makes them of headings. */
function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
