/** What the suites find is put together: nothing that was found is lost on the way. */
import { expect, test } from 'vitest';
import { Findings } from './findings.ts';

test('what a suite says of a method is added to what it said before', () => {
  const findings = new Findings({ isBooted: true });
  findings.note('modern', 'fetchTicker', ['no bid']);
  findings.note('modern', 'fetchTicker', []);
  findings.note('modern', 'fetchTicker', ['no ask']);
  expect(findings.of('fetchTicker')).toEqual({ modern: ['no bid', 'no ask'] });
});

test('a skip takes nothing back, and what comes after it counts', () => {
  const findings = new Findings({ isBooted: false });
  findings.note('modern', 'fetchTicker', ['no bid']);
  findings.skipped('modern', 'fetchTicker', 'a fault of the test');
  findings.skipped('modern', 'fetchTrades', 'a fault of the test');
  findings.note('modern', 'fetchTrades', ['no trade']);
  expect(findings.of('fetchTicker')).toEqual({ modern: ['no bid'] });
  expect(findings.of('fetchTrades')).toEqual({ modern: ['no trade'] });
});

test('what the venue lacks is a skip with its reason, and of a booted venue a failure', () => {
  const found = (isBooted: boolean) => {
    const findings = new Findings({ isBooted });
    findings.lacking('own', 'fetchWithdrawals', 'the account has none');
    const { faults } = findings.report({ url: '', symbol: '', methods: [] });
    return { ...findings.of('fetchWithdrawals'), faults };
  };
  const fault = { suite: 'own', method: 'fetchWithdrawals', handling: 'skipped', reason: 'the account has none' };
  expect(found(false)).toEqual({ own: 'skipped', faults: [fault] });
  expect(found(true)).toEqual({ own: ['nothing to check it by: the account has none'], faults: [] });
});
