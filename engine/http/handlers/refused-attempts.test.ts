/** The memory of refused attempts: the last reason of each funding, bounded, and only reasons of the funding itself. */
import { expect, test } from 'vitest';
import { Refused } from '#contract/refused.ts';
import { RefusedAttempts } from './refused-attempts.ts';

const refused = (agentRefusal: 'owner_signature_invalid' | 'transfer_blocked' | 'account_transfer_unavailable') =>
  new Refused('venue_busy', undefined, { agentRefusal });

test('has the last reason of a funding until a new attempt begins', () => {
  const attempts = new RefusedAttempts();
  attempts.note('one', refused('owner_signature_invalid'));
  attempts.note('one', refused('transfer_blocked'));
  expect(attempts.of('one')).toBe('transfer_blocked');
  attempts.forget('one');
  expect(attempts.of('one')).toBeNull();
});

test('forgets the least recent of more than 10,000', () => {
  const attempts = new RefusedAttempts();
  for (let number = 0; number < 10_000; number += 1) attempts.note(`funding-${number}`, refused('transfer_blocked'));
  attempts.note('funding-0', refused('owner_signature_invalid'));
  attempts.note('another', refused('transfer_blocked'));
  expect([attempts.of('funding-0'), attempts.of('funding-1'), attempts.of('another')]).toEqual([
    'owner_signature_invalid',
    null,
    'transfer_blocked',
  ]);
});
