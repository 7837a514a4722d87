import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { barsOfColumns, MONTHS, readMonth } from '#agents/indicators/testing/candle-columns.ts';
import { seededRandom } from '#simulation/seeded-random.ts';
import { INTERPRETER_VERSION, type ScriptState } from './run.ts';
import { CLASSIC_SCRIPTS } from './testing/classic-scripts.ts';
import { CLASSIC_NAMES, digestOfClassics, GENERATED_BARS } from './testing/digest.ts';
import { actionsOn, actionsOver, FilledPosition, openRun, reviewOf } from './testing/script-runs.ts';

test('runs every classic strategy, and each one trades', () => {
  for (const name of CLASSIC_NAMES) {
    const actions = actionsOver(openRun(CLASSIC_SCRIPTS[name]!), GENERATED_BARS).flat();
    expect(actions.length, name).toBeGreaterThan(5);
  }
});

test('gives the same actions, byte for byte', () => {
  // A change of this digest changes what running strategies do: INTERPRETER_VERSION changes with it.
  expect([INTERPRETER_VERSION, digestOfClassics()]).toMatchInlineSnapshot(`
    [
      "script-1",
      "6e2f801be08f204029a0cd07c6a54a1bc1d390380cb28eec06e6a5dbc8a7d453",
    ]
  `);
});

test.each([
  { LC_ALL: 'tr_TR.UTF-8', TZ: 'Pacific/Kiritimati' },
  { LC_ALL: 'C', TZ: 'America/St_Johns' },
])('gives the same actions under $LC_ALL in $TZ', (environment) => {
  const program = new URL('testing/print-digest.ts', import.meta.url).pathname;
  const { stdout, stderr } = spawnSync(process.execPath, [program], {
    encoding: 'utf8',
    env: { ...process.env, ...environment },
  });
  expect(stderr).toBe('');
  expect(stdout.trim()).toBe(digestOfClassics());
});

describe('continues from a saved state with the same actions', () => {
  test.each(CLASSIC_NAMES)('%s', (name) => {
    const random = seededRandom(CLASSIC_NAMES.indexOf(name) + 7);
    const source = CLASSIC_SCRIPTS[name]!;
    const whole = actionsOver(openRun(source), GENERATED_BARS);
    let run = openRun(source);
    const ledger = new FilledPosition();
    const parts = GENERATED_BARS.map((bar) => {
      if (random() < 0.03) {
        const state = JSON.parse(JSON.stringify(run.save())) as ScriptState;
        run = openRun(source);
        expect(run.restore(state)).toBe(true);
        expect(run.save()).toEqual(state);
      }
      const actions = actionsOn(run, bar, ledger.position);
      ledger.apply(actions, bar);
      return actions;
    });
    expect(parts).toEqual(whole);
  });
});

test('refuses a state of another script, version or content', () => {
  const state = openRun(CLASSIC_SCRIPTS.donchian!).save();
  const run = openRun(CLASSIC_SCRIPTS.macd!);
  const before = run.save();
  expect(run.restore(state)).toBe(false);
  expect(run.restore({ ...before, version: 'script-0' })).toBe(false);
  expect(run.restore({ ...before, cells: before.cells.map(() => Number.NaN) })).toBe(false);
  expect(run.save()).toEqual(before);
});

test.each(MONTHS)('%s: every classic strategy runs over the month and trades', (month) => {
  const bars = barsOfColumns(readMonth(month));
  for (const name of CLASSIC_NAMES) {
    const count = actionsOver(openRun(CLASSIC_SCRIPTS[name]!), bars).flat().length;
    expect(count, name).toBeGreaterThan(100);
  }
});

test('has its values after the warm-up that the review estimates', () => {
  for (const name of CLASSIC_NAMES) {
    const { warmUpBars } = reviewOf(CLASSIC_SCRIPTS[name]!).review;
    expect(warmUpBars, name).toBeGreaterThan(0);
    expect(warmUpBars, name).toBeLessThan(120);
  }
});
