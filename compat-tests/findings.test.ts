/** Collects the findings of the suites without loss. */
import { expect, test } from 'vitest';
import { Findings } from './findings.ts';

test('adds findings of a suite to its earlier ones', () => {
  const findings = new Findings({ isBooted: true });
  findings.note('modern', 'fetchTicker', ['no bid']);
  findings.note('modern', 'fetchTicker', []);
  findings.note('modern', 'fetchTicker', ['no ask']);
  expect(findings.of('fetchTicker')).toEqual({ modern: ['no bid', 'no ask'] });
});

test('keeps findings before and after a skip', () => {
  const findings = new Findings({ isBooted: false });
  findings.note('modern', 'fetchTicker', ['no bid']);
  findings.skipped('modern', 'fetchTicker', 'a fault of the test');
  findings.skipped('modern', 'fetchTrades', 'a fault of the test');
  findings.note('modern', 'fetchTrades', ['no trade']);
  expect(findings.of('fetchTicker')).toEqual({ modern: ['no bid'] });
  expect(findings.of('fetchTrades')).toEqual({ modern: ['no trade'] });
});

test('skips with a reason what the venue lacks, and fails for a booted venue', () => {
  const found = (isBooted: boolean) => {
    const findings = new Findings({ isBooted });
    findings.lacking('own', 'fetchWithdrawals', 'the account has no withdrawals');
    const { faults } = findings.report({ url: '', symbol: '', methods: [] });
    return { ...findings.of('fetchWithdrawals'), faults };
  };
  const fault = { suite: 'own', method: 'fetchWithdrawals', handling: 'skipped', reason: 'the account has no withdrawals' };
  expect(found(false)).toEqual({ own: 'skipped', faults: [fault] });
  expect(found(true)).toEqual({ own: ['no data to check it with: the account has no withdrawals'], faults: [] });
});
