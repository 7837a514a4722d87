import { describe, expect, test } from 'vitest';
import { LIMITS } from './limits.ts';
import type { ScriptPosition } from './run.ts';
import { actionsOn, actionsOver, barsOf, FLAT, openRun, refusalsOf, reviewOf, scriptOf } from './testing/script-runs.ts';

const LONG: ScriptPosition = { quantityAtoms: 2000, averagePriceAtoms: 10_000 };
const SHORT: ScriptPosition = { quantityAtoms: -2000, averagePriceAtoms: 10_000 };

/** The causes of the closes on each bar: enters on the first bar, then the position is as given. */
function causes(lines: string, closes: readonly number[], position = LONG, version: 5 | 6 = 6): string[] {
  const entry = `if bar_index == 0\n    strategy.entry("E", strategy.${position.quantityAtoms > 0 ? 'long' : 'short'})`;
  const run = openRun(scriptOf(`${entry}\n${lines}`, version));
  return barsOf(closes).map((bar, index) => {
    const actions = actionsOn(run, bar, index === 0 ? FLAT : position);
    return actions.map((action) => (action.kind === 'close' ? action.cause : action.kind)).join();
  });
}

describe('entries', () => {
  test('enter once in each direction, and reverse', () => {
    const run = openRun(scriptOf('strategy.entry("L", close > 2 ? strategy.long : strategy.short)'));
    const actions = actionsOver(run, barsOf([3, 4, 1, 1, 5]));
    expect(actions.map((of) => of.map((action) => (action.kind === 'entry' ? action.direction : action.kind)).join())).toEqual([
      'long',
      '',
      'short',
      '',
      'long',
    ]);
  });

  test('carry the quantity in atoms, or leave it to the deployment', () => {
    const run = openRun(scriptOf('strategy.entry("a", strategy.long, qty = close)'));
    const [first] = actionsOn(run, barsOf([1.23])[0]!);
    expect(first).toEqual({ kind: 'entry', id: 'a', direction: 'long', quantityAtoms: 1230 });
    const unsized = openRun(scriptOf('strategy.entry("a", strategy.long)\nstrategy.entry("b", strategy.short, na)'));
    expect(actionsOn(unsized, barsOf([1])[0]!)).toEqual([
      { kind: 'entry', id: 'a', direction: 'long', quantityAtoms: null },
      { kind: 'entry', id: 'b', direction: 'short', quantityAtoms: null },
    ]);
  });

  test('without a quantity above zero do nothing', () => {
    const run = openRun(scriptOf('strategy.entry("a", strategy.long, qty = close - 1)'));
    expect(actionsOn(run, barsOf([1])[0]!)).toEqual([]);
  });

  test('follow "when" in version 5', () => {
    const run = openRun(scriptOf('strategy.entry("a", strategy.long, when = close > 1)', 5));
    expect(barsOf([1, 2]).map((bar) => actionsOn(run, bar).length)).toEqual([0, 1]);
  });
});

describe('position', () => {
  test('is what the ledger has', () => {
    const run = openRun(
      scriptOf(
        'if strategy.position_size == -2 and strategy.position_avg_price == 100 and strategy.opentrades == 1\n    strategy.entry("a", strategy.long)',
      ),
    );
    const [bar] = barsOf([1]);
    expect([FLAT, LONG, SHORT].map((position) => actionsOn(run, bar!, position).length)).toEqual([0, 0, 1]);
  });

  test('has no average price while it is flat', () => {
    const run = openRun(scriptOf('if na(strategy.position_avg_price)\n    strategy.entry("a", strategy.long)'));
    expect(actionsOn(run, barsOf([1])[0]!, { quantityAtoms: 0, averagePriceAtoms: 5 })).toHaveLength(1);
  });
});

describe('closes', () => {
  test('close the entry of their id only', () => {
    expect(
      causes('if bar_index == 1\n    strategy.close("other")\nif bar_index == 2\n    strategy.close("E")', [1, 2, 3]),
    ).toEqual(['entry', '', 'close']);
  });

  test('close_all closes any position, once', () => {
    expect(causes('if bar_index >= 1\n    strategy.close_all()\n    strategy.close("E")', [1, 2], SHORT)).toEqual([
      'entry',
      'close_all',
    ]);
  });

  test('do nothing without a position', () => {
    const run = openRun(
      scriptOf('strategy.close("E")\nstrategy.close_all()\nif close > 100\n    strategy.entry("E", strategy.long)'),
    );
    expect(actionsOn(run, barsOf([1])[0]!)).toEqual([]);
  });
});

describe('exits', () => {
  // The average price is 100, a tick 0.5.
  test.each<[arguments_: string, closes: readonly number[], position: ScriptPosition, expected: string]>([
    ['stop = 90', [100, 91, 90], LONG, 'entry,,stop'],
    ['stop = 110', [100, 109, 110], SHORT, 'entry,,stop'],
    ['limit = 110', [100, 109, 110], LONG, 'entry,,limit'],
    ['limit = 90', [100, 91, 90], SHORT, 'entry,,limit'],
    ['loss = 4', [100, 98.5, 98], LONG, 'entry,,loss'],
    ['profit = 4', [100, 101.5, 102], LONG, 'entry,,profit'],
    ['profit = 4', [100, 98.5, 98], SHORT, 'entry,,profit'],
    ['stop = 90, limit = 110', [100, 105, 110], LONG, 'entry,,limit'],
    ['trail_points = 10, trail_offset = 4', [100, 104, 105, 108, 106.5, 106], LONG, 'entry,,,,,trail'],
    ['trail_price = 95, trail_offset = 4', [100, 96, 95, 90, 91.5, 92], SHORT, 'entry,,,,,trail'],
    ['stop = na', [100, 1, 1], LONG, 'entry,,'],
  ])('%s at closes %j', (levels, closes, position, expected) => {
    const causesOfBars = causes(
      `strategy.exit("X", "E", ${levels.replace('stop = na', 'stop = close > 1000 ? 1.0 : na')})`,
      closes,
      position,
    );
    expect(causesOfBars.join()).toBe(expected);
  });

  // The average price is 100: profit and loss are reached at 102 and 98.
  test.each<[arguments_: string, closes: readonly number[], version6: string, version5: string]>([
    ['profit = 4, limit = 110', [100, 102, 110], 'entry,profit,profit', 'entry,,limit'],
    ['loss = 4, stop = 90', [100, 98, 90], 'entry,loss,loss', 'entry,,stop'],
    ['profit = 20, limit = 102', [100, 102], 'entry,limit', 'entry,limit'],
    ['profit = 4, limit = close > 1000 ? 1.0 : na', [100, 102], 'entry,profit', 'entry,profit'],
    ['trail_points = 4, trail_price = 110, trail_offset = 2', [100, 102, 101], 'entry,,trail', 'entry,,'],
  ])('%s at closes %j is, in version 6 and version 5, %s and %s', (levels, closes, version6, version5) => {
    const exit = `strategy.exit("X", "E", ${levels})`;
    expect([causes(exit, closes, LONG).join(), causes(exit, closes, LONG, 5).join()]).toEqual([version6, version5]);
  });

  test('are evaluated from the bar after their call', () => {
    expect(causes('strategy.exit("X", "E", stop = close + 1)', [100, 100.5])).toEqual(['entry', 'stop']);
  });

  test('of another entry do not fire, and those of a closed position are gone', () => {
    expect(causes('strategy.exit("X", "other", stop = 1000)', [100, 100, 100])).toEqual(['entry', '', '']);
    const run = openRun(
      scriptOf('if bar_index == 0\n    strategy.entry("E", strategy.long)\n    strategy.exit("X", "E", stop = 90)'),
    );
    const bars = barsOf([100, 80, 80]);
    // The entry of the first bar was not filled.
    const positions = [FLAT, FLAT, LONG];
    expect(bars.map((bar, index) => actionsOn(run, bar, positions[index]!).length)).toEqual([1, 0, 0]);
  });

  test('fire again while the position is not closed, and not for the next one', () => {
    expect(causes('if bar_index == 0\n    strategy.exit("X", "E", stop = 90)', [100, 80, 80, 95])).toEqual([
      'entry',
      'stop',
      'stop',
      '',
    ]);
    const again =
      'if bar_index == 0\n    strategy.exit("X", "E", stop = 90)\nif bar_index == 1\n    strategy.entry("E", strategy.long)';
    expect(causes(again, [100, 80, 80])).toEqual(['entry', 'stop,entry', '']);
  });

  test('of one id protect each entry by its own prices', () => {
    const exits = 'strategy.exit("X", "E", stop = 90)\nstrategy.exit("X", "other", stop = 110)';
    expect(causes(exits, [100, 95, 90])).toEqual(['entry', '', 'stop']);
  });

  test('stay with a position that a reversal did not close, and end with it', () => {
    const lines = [
      'if bar_index == 0',
      '    strategy.entry("S", strategy.short)',
      '    strategy.exit("Stop", "S", stop = 110)',
      'if bar_index == 1 or bar_index == 4',
      '    strategy.entry("L", strategy.long)',
    ];
    const run = openRun(scriptOf(lines.join('\n')));
    // The first reversal is refused, the second one fills: then a short position has no stop.
    const positions = [FLAT, SHORT, SHORT, SHORT, SHORT, LONG, SHORT];
    const kinds = barsOf([100, 105, 109, 111, 100, 100, 120]).map((bar, index) =>
      actionsOn(run, bar, positions[index]).map((action) => (action.kind === 'close' ? action.cause : action.kind)),
    );
    expect(kinds).toEqual([['entry'], ['entry'], [], ['stop'], ['entry'], [], []]);
  });

  test('name the entry and themselves, and permit a new entry on the same bar', () => {
    const run = openRun(scriptOf('strategy.entry("E", strategy.long)\nstrategy.exit("X", "E", stop = 90)'));
    const [first, second] = barsOf([100, 80]);
    actionsOn(run, first!);
    expect(actionsOn(run, second!, LONG)).toEqual([
      { kind: 'close', entryId: 'E', cause: 'stop', orderId: 'X' },
      { kind: 'entry', id: 'E', direction: 'long', quantityAtoms: null },
    ]);
  });
});

describe('ends the run', () => {
  test.each<[lines: string, reason: string, detail: RegExp]>([
    ['for i = 0 to 1000000\n    x = close * i', 'fuel', /more than 100000 units of work/],
    ['for i = 0 to 10 by close - close\n    x = i', 'loop', /step of the loop in line 3 is not above zero/],
    ['x = close[close * 1000]', 'history', /line 3 reads 1000 bars back/],
    ['x = close[ta.sma(close, 5)]', 'history', /line 3 reads na bars back/],
    [
      'for i = 0 to 20\n    strategy.entry("a", i % 2 == 0 ? strategy.long : strategy.short)',
      'actions',
      /more than 8 times on one bar/,
    ],
    ['strategy.entry("a", strategy.long, qty = 1e30)', 'quantity', /quantity 1e\+30 .* too large/],
  ])('%s', (lines, reason, detail) => {
    const run = openRun(scriptOf(`${lines}\nif close > 100\n    strategy.entry("E", strategy.long)`));
    const [bar] = barsOf([1]);
    const outcome = run.onBar(bar!, FLAT);
    expect(outcome).toMatchObject({ end: { reason } });
    expect('end' in outcome ? outcome.end.detail : '').toMatch(detail);
    expect(run.onBar(bar!, FLAT)).toEqual(outcome);
    const restored = openRun(scriptOf(`${lines}\nif close > 100\n    strategy.entry("E", strategy.long)`));
    expect(restored.restore(run.save())).toBe(true);
    // A bar on which most of these scripts would go on.
    expect(restored.onBar({ ...bar!, closeAtoms: 0 }, FLAT)).toEqual(outcome);
  });

  test('not while an endless loop ends by itself', () => {
    const run = openRun(scriptOf(`for i = 0 to ${LIMITS.fuelPerBar}\n    break\nstrategy.entry("E", strategy.long)`));
    expect(actionsOn(run, barsOf([1])[0]!)).toHaveLength(1);
  });
});

test('refuses amounts that are no safe integers before it changes', () => {
  const run = openRun(scriptOf('if bar_index == 0\n    strategy.entry("E", strategy.long)'));
  const [bar] = barsOf([1]);
  expect(() => run.onBar({ ...bar!, volumeAtoms: 0.5 }, FLAT)).toThrow('expected a safe integer of atoms, got 0.5');
  expect(() => run.onBar(bar!, { ...LONG, averagePriceAtoms: 2 ** 53 })).toThrow(RangeError);
  expect(actionsOn(run, bar!)).toHaveLength(1);
});

describe('review', () => {
  const source = [
    '//@version=5',
    'strategy("Breakout", overlay = true, default_qty_type = strategy.percent_of_equity, commission_value = 0.1)',
    'length = input.int(20, "Length", minval = 1)',
    'upper = ta.highest(length)[1]',
    'sum = 0.0',
    'for i = 0 to 9',
    '    sum += close[i]',
    'if close > upper',
    '    if sum > 0',
    '        strategy.entry("Long", strategy.long)',
    '    else',
    '        strategy.close_all("done")',
    'strategy.exit("Stop", "Long", loss = 100)',
    'plot(upper)',
  ].join('\n');

  test('says what the script does', () => {
    const { review } = reviewOf(source);
    expect(review.title).toBe('Breakout');
    expect(review.sentences).toEqual([
      'Runs once for each closed bar; every order is a market order.',
      'Reads high, close.',
      'Calculates ta.highest(length).',
      'Line 10 enters by strategy.entry("Long", strategy.long), when close > upper and sum > 0.',
      'Line 12 exits by strategy.close_all("done"), when close > upper and not (sum > 0).',
      'Line 13 exits by strategy.exit("Stop", "Long", loss = 100), on every bar.',
    ]);
    expect(review.ignored).toEqual([
      { name: 'overlay', reason: 'has no effect here' },
      { name: 'default_qty_type', reason: 'the deployment and its market decide it' },
      { name: 'commission_value', reason: 'the deployment and its market decide it' },
      { name: 'comment of strategy.close_all', reason: 'is a message' },
      { name: 'plot()', reason: 'draws or notifies' },
    ]);
    expect(review.warnings).toEqual([]);
  });

  test('shows the first conditions of a long chain', () => {
    const branches = Array.from(
      { length: 12 },
      (_, index) => `${index === 0 ? 'if' : 'else if'} close > ${index}\n    x := ${index}`,
    );
    const { review } = reviewOf(scriptOf(`x = 0\n${branches.join('\n')}\nelse\n    strategy.entry("E", strategy.long)`));
    expect(review.sentences.join()).toMatch(/when not \(close > 0\) and .*not \(close > 7\) and 4 more conditions\./);
  });

  test('estimates warm-up, work and memory', () => {
    const { review } = reviewOf(source);
    expect(review.warmUpBars).toBe(20);
    const run = openRun(source);
    const outcome = run.onBar(barsOf([5])[0]!, FLAT);
    const fuel = 'fuel' in outcome ? outcome.fuel : Number.NaN;
    expect(review.fuelPerBar).toBeGreaterThanOrEqual(fuel);
    expect(review.fuelPerBar).toBeLessThan(2 * fuel);
    expect(review.cells).toBe(run.cells);
    expect(reviewOf(scriptOf('for i = 0 to bar_index\n    strategy.entry("E", strategy.long)')).review.fuelPerBar).toBeNull();
  });

  test('charges an exit and a remainder for what they cost, as the run does', () => {
    const costs = (statement: string) => {
      const text = scriptOf(`x = 0.0\nfor i = 1 to 10\n    ${statement}\nstrategy.entry("E", strategy.long)`);
      const outcome = openRun(text).onBar(barsOf([5])[0]!, FLAT);
      return [reviewOf(text).review.fuelPerBar, 'fuel' in outcome && outcome.fuel];
    };
    const [[review, run], remainder, exit] = [
      costs('x := close + 2'),
      costs('x := close % 2'),
      costs('x := close + 2\n    strategy.exit("X", stop = 1)'),
    ];
    expect(remainder).toEqual([Number(review) + 10 * 29, Number(run) + 10 * 29]);
    expect(exit).toEqual([Number(review) + 10 * 21, Number(run) + 10 * 21]);
  });

  test('estimates the work of a loop exactly if every branch runs', () => {
    const script = scriptOf('sum = 0.0\nfor i = 2 to 8 by 3\n    sum += close * i\nstrategy.entry("E", strategy.long)');
    const outcome = openRun(script).onBar(barsOf([5])[0]!, FLAT);
    expect(outcome).toMatchObject({ fuel: reviewOf(script).review.fuelPerBar });
  });

  test('refuses what it cannot open', () => {
    expect(refusalsOf(scriptOf('n = 5\nx = close[n - 6]\nstrategy.entry("E", strategy.long)'))[0]?.reason).toBe(
      'the history goes back -1 bars',
    );
  });
});
