/**
 * How a checkout's Python tests are run and judged, with a planted tree of the same shape and an exchange of its own, like
 * `suite.test.ts` for JavaScript. Needs only python3.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mendTests, PYTHON_FAULTS } from './python-faults.ts';
import { runPython } from './suite.ts';
import type { PythonPart } from './suite-order.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;

/** The exchange responds as its constructor arguments say. */
const HELPERS = `
import importlib, os, re, types

class Argv: pass
argv = Argv()
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'exchange')

def convert_to_snake_case(name):
    return re.sub(r'(?<!^)(?=[A-Z])', '_', name).lower()

class Exchange:
    id = 'openperp'
    currencies = {}
    def __init__(self, config): self.config = config
    @property
    def has(self): return {name: True for name in self.config['answers']}
    def __getattr__(self, name):
        for method, answer in self.config['answers'].items():
            if name == convert_to_snake_case(method): return lambda *args: self.answer(answer)
        raise AttributeError(name)
    def answer(self, answer):
        if isinstance(answer, str): raise ValueError(answer)
        return answer

class AsyncExchange(Exchange):
    async def answer(self, answer): return super().answer(answer)
    async def close(self): pass

ccxt_sync = types.SimpleNamespace(openperp=Exchange)
ccxt = ccxtpro = types.SimpleNamespace(openperp=AsyncExchange)

def load_tests():
    names = [name[5:-3] for name in sorted(os.listdir(FOLDER)) if name.startswith('test_')]
    methods = {convert_to_snake_case(method): method for method in MENTIONED}
    return {methods[name]: importlib.import_module('exchange.test_' + name) for name in names}
`;

/** The shape of both runners: they swallow exceptions of tests, and always end with status 0. */
const RUNNER = (async: string, wait: string) => `
import tests_helpers as helpers

class testMainClass:
    def __init__(self): self.checked_public_tests, self.skipped_methods, self.test_files = {}, {}, {}
    ${async}def init(self, exchange_id, symbol, method):
        exchange = helpers.init_exchange(exchange_id, {}, False)
        self.test_files = helpers.load_tests()
        self.expand_settings(exchange)
        ${wait}self.start_test(exchange, symbol)
        exit(0)
    def expand_settings(self, exchange): pass
    ${async}def start_test(self, exchange, symbol):
        for method in self.listed(): ${wait}self.test_safe(method, exchange, [symbol], True)
    def listed(self): return [method for method in self.test_files if method != 'fetchTime']
    ${async}def test_safe(self, method, exchange, args, is_public):
        try: ${wait}self.test_method(method, exchange, args, is_public)
        except Exception: pass
    ${async}def test_method(self, method, exchange, args, is_public):
        test = getattr(self.test_files[method], 'test_' + helpers.convert_to_snake_case(method))
        ${wait}test(exchange, {}, *args)
`;

let tree: string;

beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'openperp-python-'));
});

afterEach(() => rmSync(tree, { recursive: true }));

function plant(path: string, content: string): void {
  const file = join(tree, 'python', 'ccxt', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

const snake = (method: string) => method.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function plantAll(mode: 'sync' | 'async', bodies: Readonly<Record<string, string>>): void {
  const [async, wait] = mode === 'sync' ? ['', ''] : ['async ', 'await '];
  plant('test/tests_helpers.py', `${HELPERS}\nMENTIONED = ${JSON.stringify(Object.keys(bodies))}\n`);
  plant(`test/tests_${mode}.py`, RUNNER(async, wait));
  for (const [method, body] of Object.entries(bodies)) {
    const symbol = method === 'fetchTime' ? '' : ', symbol';
    plant(
      `test/exchange/test_${snake(method)}.py`,
      `${async}def test_${snake(method)}(exchange, skipped${symbol}):\n    ${body}\n`,
    );
  }
}

function run(part: PythonPart, responses: object, lacks: Readonly<Record<string, string>> = {}) {
  const setup = { settings: { answers: responses }, symbol: 'X', funded: 'X', code: 'USD.E' };
  return runPython('python3', { ...setup, tree, part, lacks, unmended: { createOrders: 'a fault of the test' } });
}

describe.runIf(hasPython).each(['sync', 'async'] as const)('%s', (mode) => {
  const part = mode === 'sync' ? 'pythonSync' : 'pythonAsync';
  const wait = mode === 'sync' ? '' : 'await ';
  const CORE = {
    fetchTicker: `${wait}exchange.fetch_ticker(symbol)`,
    fetchBalance: `${wait}exchange.fetch_balance()`,
  };
  const VALID = { fetchTicker: { last: 1 }, fetchBalance: { total: { 'USD.E': 1 } } };

  test('judges what the runner ignores', async () => {
    plantAll(mode, {
      ...CORE,
      fetchTime: `${wait}exchange.fetch_time()`,
      fetchStatus: 'pass',
      fetchTrades: `try: ${wait}exchange.fetch_trades(symbol)\n    except Exception: pass`,
      fetchOrders: `${wait}exchange.fetch_orders(symbol)`,
      fetchMyTrades: "raise AssertionError('a trade without an id')",
      fetchWithdrawals: "raise AssertionError('there are no withdrawals, so this is not reported')",
      createOrders: "raise AssertionError('skipped, so this is not reported')",
      transfer: "raise AssertionError('not claimed, so this is not reported')",
    });
    const responses = { fetchTime: 1, fetchStatus: {}, fetchTrades: 'gone', fetchOrders: [], fetchMyTrades: [1] };
    const { hasEnded, problems, skipped, lines } = await run(
      part,
      { ...VALID, ...responses, fetchWithdrawals: [], createOrders: [] },
      { fetchWithdrawals: 'the account has no withdrawals' },
    );
    expect(hasEnded, lines.join('\n')).toBe(true);
    expect(problems).toEqual({
      fetchTicker: [],
      fetchBalance: [],
      fetchTime: [],
      fetchStatus: ['the test never called fetchStatus'],
      fetchTrades: ['ValueError: gone'],
      fetchOrders: ['fetchOrders returned an empty list'],
      fetchMyTrades: ['AssertionError: a trade without an id'],
    });
    expect(skipped).toEqual({ fetchWithdrawals: 'the account has no withdrawals', createOrders: 'a fault of the test' });
  });

  test('fails a missing phase, and a suite that breaks off', async () => {
    plantAll(mode, { fetchTicker: CORE.fetchTicker });
    expect((await run(part, VALID)).problems).toEqual({ fetchTicker: [], fetchBalance: ['the runner ended without its test'] });
    plantAll(mode, { ...CORE, fetchTicker: '__import__("os").kill(__import__("os").getpid(), 15)' });
    const { hasEnded, problems } = await run(part, VALID);
    expect({ hasEnded, broken: problems.fetchTicker }).toEqual({ hasEnded: false, broken: ['the test did not finish'] });
  });
});

test('fixes a fault of a test in the copy and names its place, unless the fault is gone', async () => {
  const [fault] = PYTHON_FAULTS.filter(({ method }) => method === 'fetchLeverageTiers');
  const file = 'test/exchange/sync/test_fetch_leverage_tiers.py';
  plant(file, `first\n    tiers = exchange.${fault?.code}\n`);
  expect(await mendTests(tree)).toEqual([
    { method: 'fetchLeverageTiers', mode: 'sync', isMended: true, reason: `the test ${fault?.reason} (python/ccxt/${file}:2)` },
  ]);
  expect(readFileSync(join(tree, 'python', 'ccxt', file), 'utf8')).toContain(fault?.mended);
  expect(await mendTests(tree)).toEqual([]);
});

test('passes nothing without Python', async () => {
  await expect(
    runPython('/nowhere/python3', {
      tree,
      part: 'pythonSync',
      lacks: {},
      unmended: {},
      settings: {},
      symbol: 'X',
      funded: 'X',
      code: 'X',
    }),
  ).rejects.toThrow(/ENOENT/);
});
