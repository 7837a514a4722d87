import { describe, expect, test } from 'vitest';
import { LIMITS } from './limits.ts';
import { resolveParameters } from './parameters.ts';
import { ScriptRun } from './run.ts';
import { refusalsOf, reviewOf, scriptOf, TEST_MARKET } from './testing/script-runs.ts';

const ENTRY = '\nif close > open\n    strategy.entry("Long", strategy.long)';

describe('refuses with place, reason and remedy', () => {
  // The line and column are those of the whole script: two lines come before.
  test.each<[lines: string, place: string, reason: RegExp]>([
    ['x = math.exp(1)', '3:5', /math\.exp: is not the same on every machine/],
    ['x = math.log(close)', '3:5', /math\.log: is not the same on every machine/],
    ['x = math.sin(close)', '3:5', /math\.sin: is not the same on every machine/],
    ['x = math.pow(close, 0.5)', '3:21', /exponent of math\.pow is not an integer/],
    ['x = math.random()', '3:5', /no randomness/],
    ['x = request.security(syminfo.tickerid, "D", close)', '3:5', /one market and one timeframe/],
    ['a = array.new_float(3)', '3:5', /collections are not available/],
    ['while close > 1\n    x = 1', '3:1', /"while" has no bound/],
    ['import a/b/1', '3:1', /libraries cannot be imported/],
    ['type Point\n    float x', '3:1', /types of your own/],
    ['varip x = 0', '3:1', /"varip" changes inside of a bar/],
    ['twice(x) => x * 2', '3:1', /functions of your own are not available, such as twice/],
    ['twice(float x, simple int y) =>\n    x', '3:1', /functions of your own/],
    ['x = time > 3', '3:5', /no calendar/],
    ['x = strategy.equity', '3:5', /results of trading are not available/],
    ['strategy.order("a", strategy.long)', '3:1', /only entries, closes and exits/],
    ['strategy.entry("a", strategy.long, stop = high)', '3:43', /no entry rests in the book/],
    ['strategy.entry("a", strategy.long, when = close > 1)', '3:43', /no argument "when" in version 6/],
    ['strategy.entry("a", true)', '3:21', /a direction is expected/],
    ['strategy.close("a", qty_percent = 50)', '3:35', /closed as a whole/],
    ['strategy.exit("x", "a")', '3:1', /the exit has no price/],
    ['strategy.exit("x", "a", trail_points = 5)', '3:1', /needs a start and a distance/],
    ['strategy.exit("x", "a", trail_offset = 5)', '3:1', /needs a start and a distance/],
    ['strategy.entry(close > 1 ? "a" : "b", strategy.long)', '3:16', /text that does not change/],
    ['x = ta.sma(close, close)', '3:19', /changes from bar to bar/],
    ['x = ta.sma(close, 0)', '3:5', /a setting of ta\.sma is 0/],
    ['x = ta.sma(close, 501)', '3:5', /a setting of ta\.sma is 501/],
    ['x = ta.sma(close, 2.5)', '3:19', /is a fraction/],
    ['x = ta.sma(close)', '3:5', /lacks the argument "length"/],
    ['x = ta.sma(close, 3, 4)', '3:22', /takes 2 arguments/],
    ['x = ta.sma(close, len = 3)', '3:25', /has no argument "len"/],
    ['x = ta.sma(close, 3, length = 3)', '3:31', /given twice/],
    ['x = ta.sma(source = close, 3)', '3:28', /without a name follows one with a name/],
    ['x = ta.macd(close, 1, 2, 3)', '3:5', /has 3 results/],
    ['[a, b] = ta.macd(close, 1, 2, 3)', '3:1', /has 3 results, the tuple 2 names/],
    ['[a, b] = [1, 2]', '3:10', /only an indicator with several results/],
    ['x = ta.vwap(close)', '3:5', /ta\.vwap: is not available here/],
    ['x = ta.unknown(close)', '3:5', /"ta\.unknown" is not known/],
    ['x = constructor + __proto__', '3:5', /"constructor" is not known/],
    ['x = hasOwnProperty(1)', '3:5', /"hasOwnProperty" is not known/],
    ['x = y\ny = 1', '3:5', /"y" is not known/],
    ['x = na', '3:1', /type of "x" is not known/],
    ['x = 1\nx = 2', '4:1', /"x" is already declared/],
    ['x := 1', '3:1', /"x" is not declared/],
    ['x = 1\nx := 1.5', '4:6', /expected a value of type int, got float/],
    ['var x = "a"\nx := "b"', '3:1', /the text "x" changes/],
    ['array<float> x = na', '3:1', /collections are not available/],
    ['box2 x = 1', '3:1', /type "box2" is not available/],
    ['x = close == na', '3:5', /comparison with na is always false/],
    ['x = close and true', '3:5', /a number is not a condition in version 6/],
    ['x = true + 1', '3:5', /expected a number, got a bool/],
    ['x = true ? 1 : "a"', '3:5', /the branches are int and text/],
    ['x = na(close > 1)', '3:8', /a bool is never na here/],
    ['if close > 1\n    y = close\n    z = y[1]', '5:9', /inside of a block has gaps/],
    ['for i = 0 to 3\n    y = ta.sma(close, 3)', '4:9', /would run several times on one bar/],
    ['x = close[-1]', '3:5', /the history goes back -1 bars/],
    ['x = close[501]', '3:5', /the history goes back 501 bars/],
    ['break', '3:1', /outside of a loop/],
    ['for i = 0 to 3\n    x = if close > 1\n        break\n        1\n    else\n        2', '5:9', /outside of a loop/],
    ['x = for i = 0 to 3\n    i', '3:5', /a loop has no value/],
    ['x = if close > 1\n    y = 2', '4:5', /does not end with a value/],
    ['x = [1, 2]', '3:5', /lists of values/],
    ['x = close.abs()', '3:5', /"close\.abs" is not known/],
    ['x = 1 +', '3:8', /expected a value, got the end of the line/],
    ['x = (1', '4:1', /inside of an expression|expected "\)"/],
    ['x = "open', '3:5', /no closing quote/],
    ['x = 1 ; y = 2', '3:7', /";" has no meaning/],
    ['x = 1é', '3:6', /"é" has no meaning/],
    ['if = 3', '3:4', /expected a value/],
    ['not = 3', '3:5', /expected a value/],
    ['    x = 1', '3:5', /indented without a block/],
    ['if close > 1\n        x = 1', '4:9', /more than one level/],
    ['x = 1e999', '3:5', /number is too large/],
    ['n = input.int(5, minval = 6)', '3:5', /outside of 6 to/],
    ['n = input.int(5, options = [1, 2])', '3:5', /is not an option/],
    ['n = input.string("A", options = ["B"])', '3:5', /is not an option/],
    ['n = input.int(close)', '3:15', /depends on something else/],
    ['n = input.int(2.5)', '3:5', /default is not of type int/],
    ['n = input.time(0)', '3:5', /kind of input is not available/],
    ['n = input.source(3)', '3:18', /default of a source is not a price/],
  ])('%s', (lines, place, reason) => {
    const [refusal] = refusalsOf(scriptOf(lines + ENTRY));
    expect(`${refusal?.line}:${refusal?.column} ${refusal?.reason}`).toMatch(reason);
    expect(`${refusal?.line}:${refusal?.column}`).toBe(place);
    expect(refusal?.remedy).toMatch(/^\S.*\.$|…$/);
  });

  test.each<[source: string, reason: RegExp]>([
    ['', /names no version/],
    [`//@version=4\nstrategy("x")${ENTRY}`, /version 4 is not supported/],
    [`//@version=6\nindicator("x")${ENTRY}`, /only strategies act/],
    [`//@version=6\nx = 1${ENTRY}`, /does not start with strategy/],
    [`//@version=6\nstrategy()${ENTRY}`, /has no title/],
    ['//@version=6\nstrategy("x")', /never enters a position/],
    [`//@version=6\nstrategy("x", pyramiding = 1)${ENTRY}`, /pyramiding would change/],
    [`//@version=6\nstrategy("x", calc_on_every_tick = true)${ENTRY}`, /calc_on_every_tick would change/],
    [`//@version=6\nstrategy("x", calc_on_order_fills = true)${ENTRY}`, /calc_on_order_fills would change/],
    [`//@version=6\nstrategy("x", unheard_of = true)${ENTRY}`, /no argument "unheard_of"/],
    [`//@version=6\nstrategy("x")\nstrategy("y")${ENTRY}`, /declared twice/],
  ])('%j', (source, reason) => {
    expect(refusalsOf(source)[0]?.reason).toMatch(reason);
  });

  test('every fault once, in order', () => {
    const refusals = refusalsOf(scriptOf(`x = math.exp(1)\ny = x + 1\nz = missing${ENTRY}`));
    expect(refusals.map(({ line }) => line)).toEqual([3, 5]);
  });
});

describe('refuses beyond the limits', () => {
  const many = (count: number, line: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => line(index)).join('\n');

  test.each<[what: string, lines: string, reason: RegExp]>([
    ['bytes', `// ${'é'.repeat(LIMITS.sourceBytes / 2)}`, /bytes, the limit is/],
    ['tokens', many(LIMITS.tokens / 2, () => 'close'), /more than 8000 words and signs/],
    ['parentheses', `x = ${'('.repeat(100)}1${')'.repeat(100)}`, /nested deeper/],
    ['a chain of operators', `x = ${'1 + '.repeat(100)}1`, /nested deeper/],
    ['signs', `x = ${'-'.repeat(100)}1`, /nested deeper/],
    ['conditions', `x = ${'true ? 1 : '.repeat(100)}1`, /nested deeper/],
    ['blocks', many(100, (level) => `${'    '.repeat(level)}if true`), /nested deeper/],
    ['variables', many(LIMITS.variables + 1, (index) => `v${index} = close + ${index}`), /more than 200 variables/],
    ['inputs', many(LIMITS.parameters + 1, (index) => `i${index} = input.int(1)`), /more than 40 inputs/],
    ['indicators', many(LIMITS.indicators + 1, () => 'ta.cum(close)'), /more than 100 indicators/],
    ['orders', many(LIMITS.orders + 1, () => 'strategy.close_all()'), /more than 50 orders/],
    ['cells', many(99, () => 'ta.bb(close, 500, 2)'), /need more than 20000 cells/],
    ['a text', `x = input.string("${'a'.repeat(LIMITS.textLength + 1)}")`, /at most 100 characters|longer than/],
    ['a factor', '[a, b, c] = ta.bb(close, 5, 1e9)', /a setting of ta\.bb is 1000000000/],
  ])('%s', (_, lines, reason) => {
    expect(refusalsOf(scriptOf(lines + ENTRY))[0]?.reason).toMatch(reason);
  });

  test('of refusals', () => {
    expect(refusalsOf(scriptOf(many(50, () => 'x = missing') + ENTRY))).toHaveLength(LIMITS.refusals);
  });
});

describe('parameters', () => {
  const lines = [
    'n = input.int(10, "Length", minval = 2, maxval = 50, step = 2)',
    'f = input.float(1.5, options = [1.5, 2.5])',
    'b = input.bool(true, tooltip = "…")',
    's = input.string("A", "Kind", options = ["A", "B"])',
    'p = input.source(hlc3, "Source")',
    'q = input(3)',
    'x = ta.sma(p, n * 10)',
  ].join('\n');

  test('have their titles, defaults, bounds and options', () => {
    const { review } = reviewOf(scriptOf(lines + ENTRY));
    expect(review.parameters.map(({ kind, name, title, default: preset }) => [kind, name, title, preset])).toEqual([
      ['int', 'n', 'Length', 10],
      ['float', 'f', 'f', 1.5],
      ['bool', 'b', 'b', true],
      ['text', 's', 'Kind', 'A'],
      ['source', 'p', 'Source', 'hlc3'],
      ['int', 'q', 'q', 3],
    ]);
    expect(review.parameters[0]).toMatchObject({ min: 2, max: 50, step: 2, options: null });
  });

  test.each<[chosen: Record<string, number | boolean | string>, reason: string]>([
    [{ n: 1 }, 'expected at least 2, got 1'],
    [{ n: 51 }, 'expected at most 50, got 51'],
    [{ n: 2.5 }, 'expected an integer, got 2.5'],
    [{ n: Number.NaN }, 'expected an integer, got NaN'],
    [{ f: 2 }, 'expected one of 1.5, 2.5, got 2'],
    [{ b: 1 }, 'expected true or false, got 1'],
    [{ s: 'C' }, 'expected one of A, B, got "C"'],
    [{ p: 'vwap' }, 'expected one of open, high, low, close, volume, hl2, hlc3, ohlc4, hlcc4, got "vwap"'],
    [{ toString: 1 }, 'the script has no such parameter'],
  ])('refuse %j', (chosen, reason) => {
    const { program } = reviewOf(scriptOf(lines + ENTRY));
    expect(resolveParameters(program.parameters, chosen)).toMatchObject({ faults: [{ reason }] });
  });

  test('that lead to a setting beyond its bounds refuse the run', () => {
    const { program } = reviewOf(scriptOf(`n = input.int(10)\nx = ta.sma(close, n * 10)${ENTRY}`));
    const resolved = resolveParameters(program.parameters, { n: 51 });
    const opened = ScriptRun.open(program, 'values' in resolved ? resolved.values : [], TEST_MARKET);
    expect(opened).toMatchObject({ refusals: [{ line: 4, column: 5, reason: 'a setting of ta.sma is 510' }] });
  });
});
