/** What the error catalogue publishes about stored refusals equals what the venue and its writer do. */
import { expect, test } from 'vitest';
import { ERROR_CODES, ERRORS } from '#contract/errors.ts';
import { isPlacementRefusal } from '#contract/orders.ts';
import { REFUSAL_CODES, type RefusalCode, UNSTORED_REFUSALS } from '#venue/refusal.ts';

const isOfVenue = (code: string): code is RefusalCode => (REFUSAL_CODES as readonly string[]).includes(code);

test('does not store a refusal of the venue whose code is retryable, nor one that more money or another price ends', () => {
  const mayPass: readonly string[] = ['insufficient_margin', 'margin_required'];
  const unstored = REFUSAL_CODES.filter((code) => ERRORS[code].retryable || mayPass.includes(code));
  expect(unstored.length).toBeGreaterThan(1);
  expect(new Set(unstored)).toEqual(UNSTORED_REFUSALS);
});

test.each(ERROR_CODES)('publishes whether %s is stored', (code) => {
  expect(
    ERRORS[code].stored,
    'make it a verdict in src/contract/errors.ts if it is a final refusal of an order, which PLACEMENT_REFUSALS lists; else an entry',
  ).toBe(isPlacementRefusal(code) && isOfVenue(code) && !UNSTORED_REFUSALS.has(code));
});
