import { expect, test } from 'vitest';
import { requestIdOf } from './request-id.ts';

const SECRET = 'A'.repeat(43);

test.each([
  ['an API key', `opk_${'0'.repeat(16)}_AAAA`],
  ['a session', `ops_${'0'.repeat(16)}_${SECRET}`],
  ['a sign-in attempt', `opr_${'0'.repeat(16)}_${SECRET}`],
  ['a device code', `opd_${SECRET}`],
  ['a user code', 'WDJB-MJHT'],
  ['a ticket', SECRET],
])('replaces %s', (_, given) => {
  expect(requestIdOf({ headers: { 'x-request-id': given } })).not.toContain(given);
});

test('keeps an id of the caller', () => {
  for (const given of ['request-1', `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`])
    expect(requestIdOf({ headers: { 'x-request-id': given } })).toBe(given);
});
