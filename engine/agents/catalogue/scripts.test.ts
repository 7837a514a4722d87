/** Each script of the catalogue is accepted, has the parameters of its entry, and trades by its rules. */
import { describe, expect, test } from 'vitest';
import { reviewScript } from '#agents/script/review.ts';
import type { AgentStrategy } from '#contract/agent-strategies.ts';
import { STRATEGY_CATALOGUE } from './catalogue.ts';
import { NAIVE_RULES, naiveSidesOf } from './testing/naive-rules.ts';
import { openRun, sidesOf, walkedBars } from './testing/script-run.ts';

const BARS = walkedBars(1, 5_000);
const scripted = STRATEGY_CATALOGUE.strategies.flatMap((strategy) =>
  strategy.script === null ? [] : [{ ...strategy, script: strategy.script }],
);

describe.each(scripted)('$id', ({ id, name, script, parameters }) => {
  test('is accepted, and nothing of it is ignored', () => {
    const result = reviewScript(script);
    expect(result).not.toHaveProperty('refusals');
    expect(result).toMatchObject({ review: { title: name, ignored: [], warnings: [] } });
  });

  test('has the parameters of its entry', () => {
    const { review } = reviewScript(script) as { review: { parameters: readonly AgentStrategy['parameters'][number][] } };
    const declared = review.parameters.map(({ name: of, default: value, min, max }) => ({ name: of, default: value, min, max }));
    expect(declared).toEqual(parameters);
  });

  test.each(['min', 'max'] as const)('is accepted with each parameter at its %s', (bound) => {
    expect(() =>
      openRun(script, Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter[bound]]))),
    ).not.toThrow();
  });

  test('trades, and closes or reverses', () => {
    const sides = sidesOf(script, BARS);
    const changes = sides.filter((side, index) => side !== (sides[index - 1] ?? 0));
    expect(changes.length).toBeGreaterThanOrEqual(4);
    expect(sides).toEqual(sidesOf(script, BARS));
    if (NAIVE_RULES[id] !== undefined) expect(sides).toEqual(naiveSidesOf(NAIVE_RULES[id], BARS));
  });
});

test('counts the simple rules again', () => {
  expect(Object.keys(NAIVE_RULES).filter((id) => !scripted.some((strategy) => strategy.id === id))).toEqual([]);
});

test.each(scripted.filter(({ rulesText }) => !/short/.test(rulesText)))('$id is long only', ({ script }) => {
  expect(new Set(sidesOf(script, BARS))).toEqual(new Set([0, 1]));
});
