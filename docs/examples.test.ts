/**
 * Follows every page as a reader does: runs its examples in order, in a checkout with a running venue, and compares their output
 * with the page. `docs/testing/page.ts` says how examples are marked.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Checkout } from './testing/checkout.ts';
import { readPage } from './testing/page.ts';
import { differences } from './testing/shown.ts';
import { Terminal } from './testing/terminal.ts';

const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');
/** In the order of the index: one account follows them all. */
const names = [...new Set(Array.from(read('README.md').matchAll(/\]\(([\w-]+\.md)\)/g), ([, name = '']) => name))];
const pages = [...names, '../README.md'].map((name) => ({ name, page: readPage(name, read(name)) }));

const checkout = new Checkout();

beforeAll(async () => {
  for (const { page } of pages) for (const [name, text] of page.files) checkout.save(name, text);
  await checkout.start();
});
afterAll(async () => {
  await checkout.stop().finally(() => checkout.remove());
});

test('lists every page in the index', () => {
  const others = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.md') && name !== 'README.md');
  expect(names.toSorted()).toEqual(others.toSorted());
});

describe.each(pages.filter(({ page }) => page.steps.length > 0))('$name', ({ page }) => {
  let terminal: Terminal;
  beforeAll(() => {
    terminal = new Terminal(checkout.folder);
  });
  afterAll(() => terminal.close());

  test.each(page.steps)('$place', async ({ script, isStopped, shown }) => {
    if (isStopped) await checkout.stop();
    const printed = await terminal.run(script).finally(() => (isStopped ? checkout.start() : undefined));
    if (shown !== undefined) expect(differences(shown, printed)).toEqual([]);
  });
});
