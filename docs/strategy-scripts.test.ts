/** The page on strategy scripts shows what the interpreter does: its examples trade, its tables are complete. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { INDICATORS } from '#agents/indicators/catalog.ts';
import { MATH_FUNCTIONS } from '#agents/script/arithmetic.ts';
import { LIMITS } from '#agents/script/limits.ts';
import { EXIT_LEVELS } from '#agents/script/program.ts';
import { GENERATED_BARS } from '#agents/script/testing/digest.ts';
import { actionsOver, openRun, reviewOf } from '#agents/script/testing/script-runs.ts';

const page = readFileSync(join(import.meta.dirname, 'strategy-scripts.md'), 'utf8');
const examples = Array.from(page.matchAll(/^```pine\n([\s\S]*?)^```$/gm), ([, source = '']) => source);

test('has an example that the review accepts as described, and that trades', () => {
  expect(examples.length).toBeGreaterThan(0);
  for (const source of examples) {
    const shown = Array.from(page.matchAll(/`(Line \d+ enters .*?)`/g), ([, sentence]) => sentence);
    expect(shown.length).toBeGreaterThan(0);
    expect(reviewOf(source).review.sentences).toEqual(expect.arrayContaining(shown));
    const actions = actionsOver(openRun(source), GENERATED_BARS).flat();
    expect(new Set(actions.map((action) => (action.kind === 'entry' ? action.direction : action.cause)))).toEqual(
      new Set(['long', 'short', 'loss', 'trail', 'profit']),
    );
  }
});

test('has every limit with its value, and no other', () => {
  const limits = page.slice(page.indexOf('## Limits'));
  const rows = Array.from(limits.matchAll(/^\| `(\w+)` \| ([\d,]+) \|/gm), ([, name = '', value = '']) => [
    name,
    Number(value.replaceAll(',', '')),
  ]);
  expect(Object.fromEntries(rows)).toEqual(LIMITS);
});

test('names every function', () => {
  const names = [...Object.keys(INDICATORS), ...Object.keys(MATH_FUNCTIONS), ...EXIT_LEVELS];
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test('names no function that does not exist', () => {
  const language = page.slice(page.indexOf('## Language'), page.indexOf('## Orders'));
  const named = Array.from(language.matchAll(/`((?:ta|math)\.\w+)`/g), ([, name]) => name!);
  expect(named.filter((name) => !Object.hasOwn(INDICATORS, name) && !Object.hasOwn(MATH_FUNCTIONS, name))).toEqual([]);
});
