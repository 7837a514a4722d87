/** How checks become a count of methods: one entry each; a failure of any suite fails the method. */
import { expect, test } from 'vitest';
import { checkedMethod, renderReport, reportOf, unclaimedMethod } from './report.ts';

const METHODS = [
  checkedMethod('both', { upstream: [], own: [] }),
  checkedMethod('oursAlone', { own: [] }),
  checkedMethod('theirsAlone', { upstream: [], own: undefined }),
  checkedMethod('oursFails', { upstream: [], own: ['no order', 'no fill'] }),
  checkedMethod('theirsFails', { upstream: ['an empty list'], own: [] }),
  checkedMethod('neverChecked', {}),
  unclaimedMethod('unclaimed'),
  unclaimedMethod('refusedByV2', { v2Own: [] }),
  unclaimedMethod('notRefused', { own: ['not claimed, but it works'] }),
  checkedMethod('skipped', { modern: 'skipped', own: [] }),
  checkedMethod('onlySkipped', { modern: 'skipped' }),
  checkedMethod('onlyRecorded', { fixtures: [], v2Own: [], differential: [] }),
  checkedMethod('nothingThere', { upstream: 'skipped', own: 'skipped', fixtures: [] }),
];

const FAULTS = [{ suite: 'modern', method: 'skipped', handling: 'skipped', reason: 'the test wants a list' }] as const;
const RUN = { url: 'http://venue', symbol: 'BTC/USD.E:USD.E', methods: METHODS, faults: FAULTS, names: { modern: 'ccxt 9.9.9' } };

test('fails a method when either check fails, or when no check covers it', () => {
  expect(METHODS).toEqual([
    { method: 'both', result: 'pass', checks: { upstream: 'pass', own: 'pass' } },
    { method: 'oursAlone', result: 'pass', checks: { own: 'pass' } },
    { method: 'theirsAlone', result: 'pass', checks: { upstream: 'pass' } },
    { method: 'oursFails', result: 'fail', checks: { upstream: 'pass', own: 'fail' }, reason: 'ours: no order\nours: no fill' },
    { method: 'theirsFails', result: 'fail', checks: { upstream: 'fail', own: 'pass' }, reason: 'ccxt 2.9.8: an empty list' },
    { method: 'neverChecked', result: 'fail', checks: { own: 'fail' }, reason: 'ours: claimed, but nothing checks it' },
    { method: 'unclaimed', result: 'notClaimed', checks: {} },
    { method: 'refusedByV2', result: 'notClaimed', checks: { v2Own: 'pass' } },
    { method: 'notRefused', result: 'fail', checks: { own: 'fail' }, reason: 'ours: not claimed, but it works' },
    { method: 'skipped', result: 'pass', checks: { modern: 'skip', own: 'pass' } },
    {
      method: 'onlySkipped',
      result: 'fail',
      checks: { modern: 'skip', own: 'fail' },
      reason: 'ours: claimed, but nothing checks it',
    },
    {
      method: 'onlyRecorded',
      result: 'fail',
      checks: { own: 'fail', fixtures: 'pass', v2Own: 'pass', differential: 'pass' },
      reason: 'ours: claimed, but nothing checks it',
    },
    { method: 'nothingThere', result: 'skip', checks: { upstream: 'skip', own: 'skip', fixtures: 'pass' } },
  ]);
});

test('counts methods once, and each suite separately', () => {
  expect(reportOf(RUN)).toMatchObject({
    passed: 4,
    failed: 6,
    skipped: 1,
    notClaimed: 2,
    suites: {
      upstream: { name: 'ccxt 2.9.8', passed: 3, failed: 1, skipped: 1 },
      own: { name: 'ours', passed: 4, failed: 5, skipped: 1 },
      modern: { name: 'ccxt 9.9.9', passed: 0, failed: 0, skipped: 2 },
      v2Own: { name: '/v2 ours', passed: 2, failed: 0, skipped: 0 },
    },
    faults: FAULTS,
  });
});

test('renders a row per claimed method, a column per suite, and problems beneath', () => {
  expect(renderReport(reportOf(RUN)).split('\n')).toEqual([
    'ccxt unified methods of the class openperp, on http://venue with BTC/USD.E:USD.E',
    '',
    'method        ccxt 2.9.8  ours  ccxt 9.9.9  fixtures  /v2 ours  /v1=/v2  result',
    'both          pass        pass  no module   –         –         –        pass',
    'oursAlone     no module   pass  no module   –         –         –        pass',
    'theirsAlone   pass        –     no module   –         –         –        pass',
    'oursFails     pass        FAIL  no module   –         –         –        FAIL',
    '    ours: no order',
    '    ours: no fill',
    'theirsFails   FAIL        pass  no module   –         –         –        FAIL',
    '    ccxt 2.9.8: an empty list',
    'neverChecked  no module   FAIL  no module   –         –         –        FAIL',
    '    ours: claimed, but nothing checks it',
    'notRefused    no module   FAIL  no module   –         –         –        FAIL',
    '    ours: not claimed, but it works',
    'skipped       no module   pass  skip        –         –         –        pass',
    'onlySkipped   no module   FAIL  skip        –         –         –        FAIL',
    '    ours: claimed, but nothing checks it',
    'onlyRecorded  no module   FAIL  no module   pass      pass      pass     FAIL',
    '    ours: claimed, but nothing checks it',
    'nothingThere  skip        skip  no module   pass      –         –        skip',
    '',
    'not claimed, and refused with NotSupported before any request:',
    '  unclaimed refusedByV2',
    '',
    'faults outside of the class, and their workarounds:',
    '  ccxt 9.9.9, skipped: skipped: the test wants a list',
    '',
    "4 methods passed (2 of them by ccxt 2.9.8's own tests, 0 of them by ccxt 9.9.9's own tests), 6 failed, 1 skipped, 2 not claimed",
  ]);
});

test('renders Python tests in their own columns, counts them once, and lists languages below', () => {
  const languages = [
    { language: 'Python', result: 'pass' },
    { language: 'PHP', result: 'skip', reason: 'php is not installed' },
  ] as const;
  const methods = [
    checkedMethod('inBoth', { own: [], pythonSync: [], pythonAsync: [] }),
    checkedMethod('fails', { own: [], pythonSockets: ['no update'] }),
    checkedMethod('onlyPython', { pythonSync: [] }),
  ];
  const report = reportOf({ url: '', symbol: '', methods, faults: [], languages });
  expect(report.languages).toEqual(languages);
  expect(report.methods.map(({ result }) => result)).toEqual(['pass', 'fail', 'fail']);
  const lines = renderReport(report).split('\n');
  expect(lines[2]).toBe('method      ours  python sync  python async  python sockets  result');
  expect(lines.slice(-5)).toEqual([
    'transpiled by the checkout, and linted:',
    '  Python: pass',
    '  PHP: skip: php is not installed',
    '',
    '1 methods passed (1 of them in Python too), 2 failed, 0 not claimed',
  ]);
});
