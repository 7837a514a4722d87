/** Prose and names use the words of the field (docs/glossary.md): finds words that the project has replaced, with what to write. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = [
  'src',
  'engine',
  'oracle',
  'gateway',
  'adapter/src',
  'owner-page/src',
  'compat-tests',
  'examples',
  'docs',
  '.ci',
];
const FILES = ['*.md', '{adapter,owner-page}/*.{md,mjs,ts}', ...FOLDERS.map((folder) => `${folder}/**/*.{ts,mjs,md,py}`)];
const THIS_FILE = '.ci/wording.test.ts';

/** Words with a private meaning. `unless` names the interfaces that contain the word. */
const REPLACED: readonly { readonly word: RegExp; readonly write: string; readonly unless?: RegExp }[] = [
  { word: /\b(tells?|told|hears?|heard)\b/i, write: 'publish, notify, emit; subscriber, listener' },
  { word: /\b(whoever|nobody)\b/i, write: 'the caller, no account, no order' },
  { word: /\b(anew|spared?|stretch|stretches)\b/i, write: 'again; conflated; replay range' },
  { word: /\b(comes?|came) to\b/i, write: 'equals, results in' },
  { word: /\b(goes|go|went) by\b/i, write: 'follows, uses' },
  {
    word: /\bhouse\b/i,
    write: 'built-in market makers',
    unless: /--(?:no-)?house|'no-house'|house\\*\.json|values\.house|house: \{|`house /,
  },
  { word: /\b(doors?|let in|lets in|letting in|passe[sd] over)\b/i, write: 'upgrade, authentication; skipped' },
  { word: /\b(beginnings?|begins? with|began with)\b/i, write: 'bootstrap snapshot, initial state; starts with' },
  { word: /\bdefects?\b/i, write: 'internal error; in prose, bug' },
  { word: /\b(is|are|was|were) away\b/i, write: 'unavailable' },
  { word: /\basked\b/i, write: 'read, query, request' },
  { word: /\b(refusalOf|tellOf)[A-Z]\w*/, write: '`check…`, `emit…`' },
  { word: /\b(MOST_\w+|most[A-Z]\w*)\b/, write: '`MAX_…`, `max…`' },
];

const lines = globSync(FILES, { cwd: ROOT })
  .filter((path) => path !== THIS_FILE && !path.includes('node_modules') && !path.startsWith('adapter/dist'))
  .flatMap((path) =>
    readFileSync(join(ROOT, path), 'utf8')
      .split('\n')
      .map((text, index) => ({ text, place: `${path}:${index + 1}` })),
  );

test('reads the whole tree', () => {
  expect(lines.length).toBeGreaterThan(100_000);
});

test.each(REPLACED)('writes "$write" instead of $word', ({ word, unless }) => {
  const found = lines.filter(({ text }) => word.test(text) && !(unless?.test(text) ?? false));
  expect(found.map(({ place, text }) => `${place}: ${text.trim()}`)).toEqual([]);
});
