/** Guessing at one operation without a bearer neither continues at another one nor keeps people from using it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RateLimitName } from '#contract/limits.ts';
import type { OperationId } from '#contract/operations.ts';
import { startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';

const LIMITS: readonly (readonly [OperationId, RateLimitName])[] = [
  ['startPasskeyLogin', 'loginStarts'],
  ['completePasskeyLogin', 'logins'],
  ['loginWithProvider', 'providerLogins'],
  ['registerWithProvider', 'registrationStarts'],
  ['recoverRegistration', 'registrationRecoveries'],
  ['completeRegistration', 'registrations'],
  ['startDeviceGrant', 'deviceGrants'],
  ['collectDeviceGrant', 'deviceCodes'],
];

let venue: VenueUnderTest;
beforeAll(async () => {
  const few = { burst: 2, perSecond: 0.001 };
  venue = await startVenue({ rates: Object.fromEntries(LIMITS.map(([, name]) => [name, few])) });
});
afterAll(() => venue.close());

test.each(LIMITS)('%s has the limit %s, whatever was sent to others before', async (id, name) => {
  const answers = [];
  for (let count = 0; count < 3; count += 1) answers.push(await venue.call(id, { body: { guess: count } }));
  expect(answers.map(({ body }) => body.code)).toEqual(['invalid_request', 'invalid_request', 'rate_limited']);
  expect(answers[2]!.headers.get('ratelimit-policy')).toContain(`"${name}-per-network";q=2`);
});
