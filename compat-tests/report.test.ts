/** How checks become a count of methods: one entry each, and a failure of either suite is one of the method. */
import { expect, test } from 'vitest';
import { checkedMethod, renderReport, reportOf, unclaimedMethod } from './report.ts';

const METHODS = [
  checkedMethod('both', { upstream: [], own: [] }),
  checkedMethod('oursAlone', { own: [] }),
  checkedMethod('theirsAlone', { upstream: [], own: undefined }),
  checkedMethod('oursFails', { upstream: [], own: ['no order', 'no fill'] }),
  checkedMethod('theirsFails', { upstream: ['an empty list'], own: [] }),
  checkedMethod('nobodyLooked', {}),
  unclaimedMethod('unclaimed'),
];

test('a method fails when either check fails, or when there is none', () => {
  expect(METHODS).toEqual([
    { method: 'both', result: 'pass', checks: { upstream: 'pass', own: 'pass' } },
    { method: 'oursAlone', result: 'pass', checks: { own: 'pass' } },
    { method: 'theirsAlone', result: 'pass', checks: { upstream: 'pass' } },
    { method: 'oursFails', result: 'fail', checks: { upstream: 'pass', own: 'fail' }, reason: 'ours: no order\nours: no fill' },
    { method: 'theirsFails', result: 'fail', checks: { upstream: 'fail', own: 'pass' }, reason: 'ccxt 2.9.8: an empty list' },
    { method: 'nobodyLooked', result: 'fail', checks: { own: 'fail' }, reason: 'ours: claimed, but nothing checks it' },
    { method: 'unclaimed', result: 'notClaimed', checks: {} },
  ]);
});

test('methods are counted once, and each suite for itself', () => {
  expect(reportOf('http://venue', 'BTC/USD.E:USD.E', METHODS)).toMatchObject({
    passed: 3,
    failed: 3,
    notClaimed: 1,
    suites: { upstream: { name: 'ccxt 2.9.8', passed: 3, failed: 1 }, own: { name: 'ours', passed: 3, failed: 2 } },
  });
});

test('the table has a row for each claimed method, and what is wrong beneath it', () => {
  expect(renderReport(reportOf('http://venue', 'BTC/USD.E:USD.E', METHODS)).split('\n')).toEqual([
    'ccxt unified methods of the class openperp, on http://venue with BTC/USD.E:USD.E',
    '',
    'method        ccxt 2.9.8  ours  result',
    'both          pass        pass  pass',
    'oursAlone     no module   pass  pass',
    'theirsAlone   pass        –     pass',
    'oursFails     pass        FAIL  FAIL',
    '    ours: no order',
    '    ours: no fill',
    'theirsFails   FAIL        pass  FAIL',
    '    ccxt 2.9.8: an empty list',
    'nobodyLooked  no module   FAIL  FAIL',
    '    ours: claimed, but nothing checks it',
    '',
    'not claimed, and refused with NotSupported before any request:',
    '  unclaimed',
    '',
    "3 methods passed (2 of them by ccxt 2.9.8's own tests), 3 failed, 1 not claimed",
  ]);
});
