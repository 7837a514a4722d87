/** Challenges: one suite, over this process and over Redis. */
import { beforeEach, describe, expect, test } from 'vitest';
import {
  ACCOUNT_CHALLENGES,
  CHALLENGE_LIFETIME_MS,
  type ChallengePurpose,
  Challenges,
  type IssuedChallenge,
  SIGN_IN_CHALLENGES,
  type StoredChallenge,
} from '#identity/challenges.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { storePlaces } from './testing/store-places.ts';

const { places } = storePlaces();
const purpose: ChallengePurpose = {
  account: 7 as AccountOrdinal,
  operation: 'deposit/owner_offer_acceptance',
  command: Buffer.from('accept offer 1'),
};

for (const { name, missing, make } of places) {
  describe.skipIf(missing !== undefined)(`a challenge ${name}`, () => {
    let time: ManualTime;
    let challenges: Challenges;

    beforeEach(() => {
      time = new ManualTime();
      challenges = new Challenges({ store: make<StoredChallenge>(ACCOUNT_CHALLENGES), clock: time });
    });

    async function issue(of = purpose, owner = 'acct-7', by = challenges): Promise<IssuedChallenge> {
      const issued = await by.issue(owner, of);
      if (issued === 'full') throw new Error('full');
      return issued;
    }

    test('is 32 random bytes, and is returned to its purpose', async () => {
      const issued = await issue();
      expect(issued.challenge).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect((await issue()).challenge).not.toBe(issued.challenge);
      expect(issued.expiresAtEpochMs).toBe(time.now() + CHALLENGE_LIFETIME_MS);
      expect(await challenges.consume(issued.challengeIdentifier, purpose)).toEqual({ challenge: issued.challenge });
    });

    test('is used once', async () => {
      const { challengeIdentifier } = await issue();
      expect(await challenges.consume(challengeIdentifier, purpose)).toHaveProperty('challenge');
      expect(await challenges.consume(challengeIdentifier, purpose)).toEqual({ failure: 'unknown' });
    });

    test('is used by one of 64 parallel uses', async () => {
      const { challengeIdentifier } = await issue();
      const uses = Array.from({ length: 64 }, () => challenges.consume(challengeIdentifier, purpose));
      const results = await Promise.all(uses);
      expect(results.filter((result) => 'challenge' in result)).toHaveLength(1);
      expect(results.filter((result) => 'failure' in result && result.failure === 'unknown')).toHaveLength(63);
    });

    test.each<[string, Partial<ChallengePurpose>]>([
      ['another account', { account: 8 as AccountOrdinal }],
      ['no account', { account: undefined }],
      ['another operation', { operation: 'withdrawal/owner_withdrawal_consent' }],
      ['another command', { command: Buffer.from('accept offer 2') }],
      ['no command', { command: Buffer.alloc(0) }],
    ])('is not for %s, and is consumed by the attempt', async (_name, other) => {
      const { challengeIdentifier } = await issue();
      expect(await challenges.consume(challengeIdentifier, { ...purpose, ...other })).toEqual({ failure: 'other_purpose' });
      expect(await challenges.consume(challengeIdentifier, purpose)).toEqual({ failure: 'unknown' });
    });

    test('expires, is reported as expired for a while, and is then unknown', async () => {
      const [first, second, third] = [await issue(), await issue(), await issue()];
      time.pass(CHALLENGE_LIFETIME_MS - 1);
      expect(await challenges.consume(first.challengeIdentifier, purpose)).toHaveProperty('challenge');
      time.pass(1);
      expect(await challenges.consume(second.challengeIdentifier, purpose)).toEqual({ failure: 'expired' });
      time.pass(CHALLENGE_LIFETIME_MS);
      expect(await challenges.consume(third.challengeIdentifier, purpose)).toEqual({ failure: 'unknown' });
    });

    test.each(['', 'x', 'A'.repeat(22), 'A'.repeat(100_000), '*'])('is unknown by the identifier %.30j', async (identifier) => {
      expect(await challenges.consume(identifier, purpose)).toEqual({ failure: 'unknown' });
    });

    test('of an account is replaced by newer ones of the same account only', async () => {
      const foreign = await issue({ ...purpose, account: 8 as AccountOrdinal }, 'acct-8');
      const first = await issue();
      for (let count = 0; count < ACCOUNT_CHALLENGES.maxPerOwner; count += 1) {
        time.pass(1);
        await issue();
      }
      expect(await challenges.consume(first.challengeIdentifier, purpose)).toEqual({ failure: 'unknown' });
      const other = { ...purpose, account: 8 as AccountOrdinal };
      expect(await challenges.consume(foreign.challengeIdentifier, other)).toHaveProperty('challenge');
    });

    test('of a sign-in is not replaced by others of the same network', async () => {
      const signIn = new Challenges({ store: make<StoredChallenge>(SIGN_IN_CHALLENGES), clock: time });
      const login: ChallengePurpose = { account: undefined, operation: 'login', command: Buffer.alloc(0) };
      const first = await issue(login, '192.0.2.1', signIn);
      for (let count = 1; count < SIGN_IN_CHALLENGES.maxPerOwner; count += 1) await issue(login, '192.0.2.1', signIn);
      expect(await signIn.issue('192.0.2.1', login)).toBe('full');
      expect(await signIn.issue('192.0.2.2', login)).toHaveProperty('challenge');
      expect(await signIn.consume(first.challengeIdentifier, login)).toEqual({ challenge: first.challenge });
    });
  });
}
