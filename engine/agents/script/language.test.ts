import { describe, expect, test } from 'vitest';
import { actionsOn, barsOf, barsWhere, openRun, reviewOf, scriptOf } from './testing/script-runs.ts';

const RISING = [1, 2, 3, 4, 5, 6];
const ALL = [0, 1, 2, 3, 4, 5];

describe('values and operators', () => {
  test.each([
    ['2 + 3 * 4 == 14'],
    ['(2 + 3) * 4 == 20'],
    ['7 % 3 == 1 and -7 % 3 == -1'],
    ['7 / 2 == 3.5'],
    ['1 / 3 * 3 == 1'],
    ['1e3 == 1000 and .5 == 0.5 and 1. == 1'],
    ['-2 * -3 == 6 and +4 == 4'],
    ['not (1 > 2) and 1 != 2'],
    ['0.1 + 0.2 == 0.3'],
    ['(close > 0 ? 1 : close > 10 ? 2 : 3) == 1'],
    ['math.round(2.5) == 3 and math.round(-2.5) == -2'],
    ['math.round(1.2345, 2) == 1.23'],
    ['math.max(1, 3, 2) == 3 and math.min(4, 2) == 2 and math.avg(1, 2, 6) == 3'],
    ['math.floor(-1.5) == -2 and math.ceil(-1.5) == -1 and math.abs(-3) == 3 and math.sign(-2) == -1'],
    ['math.sqrt(16) == 4 and math.pow(2, 10) == 1024 and math.pow(2, -1) == 0.5'],
    ['int(-1.9) == -1 and float(2) == 2 and bool(3) and not bool(0)'],
    ['"a" + "b" == "ab" and "a" != "b"'],
    ['strategy.long != strategy.short'],
    ['syminfo.mintick == 0.5 and barstate.isconfirmed'],
  ])('%s', (condition) => {
    expect(barsWhere(condition, RISING)).toEqual(ALL);
  });

  test('computes hl2, hlc3, ohlc4 and hlcc4', () => {
    const run = openRun(
      scriptOf(
        'if hl2 == 2.5 and hlc3 == 3 and ohlc4 == 3 and hlcc4 == 3.25 and volume == 7\n    strategy.entry("yes", strategy.long)',
      ),
    );
    const bar = { openAtoms: 300, highAtoms: 400, lowAtoms: 100, closeAtoms: 400, volumeAtoms: 7000 };
    expect(actionsOn(run, bar)).toHaveLength(1);
  });

  test('cuts the fraction of a quotient of constants in version 5 only', () => {
    expect(barsWhere('7 / 2 == 3', RISING, '', 5)).toEqual(ALL);
    expect(barsWhere('n / 2 == 3.5', RISING, 'n = input.int(7)', 5)).toEqual(ALL);
  });

  test('takes a number as a condition in version 5', () => {
    expect(barsWhere('close - 3', RISING, '', 5)).toEqual([0, 1, 3, 4, 5]);
    expect(barsWhere('close[2]', RISING, '', 5)).toEqual([2, 3, 4, 5]);
  });
});

describe('na', () => {
  test.each(['close > x', 'close < x', 'close >= x', 'close == x', 'close != x', 'x + 1 > 0', 'math.max(x, 1) > 0'])(
    'makes %s false',
    (condition) => {
      expect(barsWhere(condition, RISING, 'float x = close > 100 ? 1 : na')).toEqual([]);
    },
  );

  test('is found by na() and replaced by nz() and fixnan()', () => {
    expect(barsWhere('na(close[1]) and nz(close[1]) == 0 and nz(close[1], 7) == 7', RISING)).toEqual([0]);
    expect(barsWhere('fixnan(close % 2 == 1 ? close : na) == 3', RISING)).toEqual([2, 3]);
  });

  test('is the result of a division by zero and of an overflow', () => {
    expect(barsWhere('na(close / (close - close)) and na(close * 1e300 * 1e300)', RISING)).toEqual(ALL);
  });
});

describe('history', () => {
  test('of prices, variables and expressions starts with na', () => {
    expect(barsWhere('close[2] == 2', RISING)).toEqual([3]);
    expect(barsWhere('double[1] == 4', RISING, 'double = close * 2')).toEqual([2]);
    expect(barsWhere('(close * 2)[1] == 4', RISING)).toEqual([2]);
    expect(barsWhere('ta.sma(close, 2)[1] == 1.5', RISING)).toEqual([2]);
  });

  test('of a bool is false before the first bar', () => {
    expect(barsWhere('not wasHigh', RISING, 'isHigh = close > 2\nwasHigh = isHigh[1]')).toEqual([0, 1, 2]);
  });

  test('of a variable is its last value of the bar', () => {
    expect(barsWhere('x[1] == 20', RISING, 'x = close\nx := x * 10')).toEqual([2]);
  });

  test('of a variable at 0 is its current value, and its depth that of its oldest use', () => {
    expect(barsWhere('x[0] == 20 and x[close - close] == 20', RISING, 'x = close * 10')).toEqual([1]);
    expect(barsWhere('x[3] == 1 and x[1] == 3', RISING, 'x = close + 0')).toEqual([3]);
  });

  test('takes an age that changes, rounded down', () => {
    expect(barsWhere('close[bar_index] == 1 and close[0.9] == close', RISING)).toEqual(ALL);
  });

  test('of a chosen source is that of the price', () => {
    const run = openRun(scriptOf('src = input.source(close)\nif src[1] == 3\n    strategy.entry("yes", strategy.long)'), {
      src: 'high',
    });
    const bar = { openAtoms: 100, highAtoms: 300, lowAtoms: 100, closeAtoms: 100, volumeAtoms: 0 };
    expect([actionsOn(run, bar).length, actionsOn(run, bar).length]).toEqual([0, 1]);
  });
});

describe('variables', () => {
  test('are set again on each bar, unless they are var', () => {
    expect(barsWhere('count == 3', RISING, 'var count = 0\ncount += 1')).toEqual([2]);
    expect(barsWhere('count == 1', RISING, 'count = 0\ncount += 1')).toEqual(ALL);
    expect(barsWhere('first == 1', RISING, 'var first = close')).toEqual(ALL);
  });

  test('take every assignment', () => {
    expect(barsWhere('x == 1', RISING, 'x = 10.0\nx -= 2\nx *= 3\nx /= 4\nx += 1\nx %= 6')).toEqual(ALL);
  });

  test('of a block end with it, and hide outer ones of their name', () => {
    expect(barsWhere('x == 1', RISING, 'x = 1\nif close > 0\n    x = 2\n    y = x')).toEqual(ALL);
  });

  test('count on when they refer to their own past', () => {
    expect(barsWhere('n == 4', RISING, 'n = 0.0\nn := nz(n[1]) + 1')).toEqual([3]);
  });

  test('have declared types', () => {
    const lines = 'int a = 1\nfloat b = na\nbool c = true\nstring d = "x"\nseries float e = close\nvar float f = na\nf := close';
    expect(barsWhere('a == 1 and na(b) and c and d == "x" and e == f', RISING, lines)).toEqual(ALL);
  });
});

describe('blocks', () => {
  test('if chooses the first true branch', () => {
    const lines = 'x = 0\nif close < 3\n    x := 1\nelse if close < 5\n    x := 2\nelse\n    x := 3';
    expect(barsWhere('x == 2', RISING, lines)).toEqual([2, 3]);
    expect(barsWhere('x == 3', RISING, lines)).toEqual([4, 5]);
  });

  test('if is a value, na without a branch', () => {
    expect(barsWhere('x == 5', RISING, 'x = if close > 3\n    y = 4\n    y + 1\nelse\n    6')).toEqual([3, 4, 5]);
    expect(barsWhere('na(x)', RISING, 'float x = if close > 3\n    1.5')).toEqual([0, 1, 2]);
  });

  test('switch compares a value, or takes the first true arm', () => {
    expect(barsWhere('x == 2', RISING, 'x = switch close\n    1 => 1\n    3 => 2\n    => 3')).toEqual([2]);
    expect(barsWhere('x == 2', RISING, 'x = switch\n    close < 3 => 1\n    close < 5 => 2\n    => 3')).toEqual([2, 3]);
    const typed =
      'kind = input.string("B", options = ["A", "B"])\nx = switch kind\n    "A" => ta.sma(close, 2)\n    "B" => ta.ema(close, 1)';
    expect(barsWhere('x == close', RISING, typed)).toEqual(ALL);
  });

  test('for counts up and down, with steps, break and continue', () => {
    expect(barsWhere('sum == 10', RISING, 'sum = 0\nfor i = 1 to 4\n    sum += i')).toEqual(ALL);
    expect(barsWhere('sum == 9', RISING, 'sum = 0\nfor i = 5 to 1 by 2\n    sum += i')).toEqual(ALL);
    expect(
      barsWhere(
        'sum == 4',
        RISING,
        'sum = 0\nfor i = 1 to 9\n    if i == 2\n        continue\n    if i == 4\n        break\n    sum += i',
      ),
    ).toEqual(ALL);
    expect(barsWhere('sum == 6', RISING, 'sum = 0.0\nfor i = 0 to 2\n    sum += nz(close[i])')).toEqual([2]);
  });

  test('and and or evaluate both sides in version 5, and only what decides in version 6', () => {
    // An indicator that runs on odd bars only sees every second close.
    const strict = barsWhere('close % 2 == 1 and ta.change(close) == 2', RISING, '', 5);
    const lazy = barsWhere('close % 2 == 1 and ta.change(close) == 2', RISING, '', 6);
    expect([strict, lazy]).toEqual([[], [2, 4]]);
  });

  test('advance an indicator in a branch only when it is reached, and the review says so', () => {
    const lines = 'x = close % 2 == 1 ? ta.change(close) : 0';
    expect(barsWhere('x == 2', RISING, lines)).toEqual([2, 4]);
    const { review } = reviewOf(scriptOf(`${lines}\nif x > 0\n    strategy.entry("yes", strategy.long)`));
    expect(review.warnings.join()).toContain('ta.change(close) advances only on bars that reach it');
  });
});

describe('layout', () => {
  test('continues a line whose indentation is no multiple of four, and inside of parentheses', () => {
    expect(barsWhere('close > 2\n  and close < 5', RISING)).toEqual([2, 3]);
    expect(barsWhere('math.max(\n    close,\n    3) == 3', RISING)).toEqual([0, 1, 2]);
  });

  test('takes comments, empty lines, tabs, Windows line ends and several statements on a line', () => {
    const lines = '// comment\r\n\r\na = 1, b = 2 // more\r\nvar c = 0\r\nif close > 2\r\n\tc := a + b\r\n';
    expect(barsWhere('c == 3', RISING, lines)).toEqual([2, 3, 4, 5]);
  });
});

describe('drawings', () => {
  test('have no effect, and the review lists them', () => {
    const lines = [
      'up = close > open ? color.green : #FF0000AA',
      'p = plot(close, "Close", color = up, style = plot.style_linebr)',
      'fill(p, hline(3), color.new(up, 80))',
      'note = close > 3 ? "high" : "low"',
      'var label tag = na',
      'if close > 2',
      '    tag := label.new(bar_index, high, str.tostring(close) + note)',
      'alertcondition(close > 3, "title", "message")',
    ].join('\n');
    expect(barsWhere('close > 4', RISING, lines)).toEqual([4, 5]);
    const { review } = reviewOf(scriptOf(`${lines}\nif close > 4\n    strategy.entry("yes", strategy.long)`));
    expect(review.ignored.map(({ name }) => name)).toEqual(['plot()', 'fill()', 'label.new()', 'alertcondition()']);
  });

  test('keep the assignments of a branch that ends with one', () => {
    const lines = 'x = 0\ntint = if close > 3\n    x := 1\n    color.red\nelse\n    color.blue\nplot(x, color = tint)';
    expect(barsWhere('x == 1', RISING, lines)).toEqual([3, 4, 5]);
  });
});

test('reads prices as the nearest doubles', () => {
  const run = openRun(scriptOf('if close == 0.07\n    strategy.entry("yes", strategy.long, qty = 0.29)'));
  expect(actionsOn(run, barsOf([0.07])[0]!)).toEqual([{ kind: 'entry', id: 'yes', direction: 'long', quantityAtoms: 290 }]);
});
