/** What a call throws, in tests of refusals. */
import { expect } from 'vitest';

/** Resolves with what the call throws. Fails if the call succeeds. */
export function refusalOf(call: () => Promise<unknown>): Promise<Error> {
  return call().then(
    () => expect.fail('the call succeeded'),
    (reason: Error) => reason,
  );
}
