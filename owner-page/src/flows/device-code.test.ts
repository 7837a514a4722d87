import { expect, test } from 'vitest';
import { scopeText, userCodeOf, userCodeOfHash } from './device-code.ts';

test.each(['WDJB-MJHT', 'wdjbmjht', ' wdjb mjht ', 'w-d-j-b-mjht'])('reads the user code in %j', (typed) => {
  expect(userCodeOf(typed)).toBe('WDJB-MJHT');
});

test.each(['', 'WDJB-MJH', 'WDJB-MJHTT', 'WDJB-MJHA', '1234-5678', '<b>WDJB-MJHT</b>'])('finds no user code in %j', (typed) => {
  expect(userCodeOf(typed)).toBeUndefined();
});

test('finds the user code of the link that a program prints', () => {
  expect(userCodeOfHash('#connect=WDJB-MJHT')).toBe('WDJB-MJHT');
  expect(userCodeOfHash('#connect')).toBeUndefined();
  expect(userCodeOfHash('#connect=%3Cscript%3E')).toBeUndefined();
});

test('names a scope that it does not know, so that the owner can deny it', () => {
  expect(scopeText('trade')).toMatch(/place and cancel orders/);
  expect(scopeText('everything')).toContain('“everything”');
});
