/**
 * Every operation that takes a new passkey, with every creation that is wrong in one respect: it is refused for its reason, its
 * challenge is used up, and nothing is stored. Then 64 uses of one right creation at once count once.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Operation } from '#contract/operation.ts';
import { OPERATIONS, type OperationId } from '#contract/operations.ts';
import { registerOwner, SITE } from '#http/testing/owner-client.ts';
import { whilePlanted } from '#http/testing/provocations.ts';
import { OPERATION_IDS, UNLIMITED } from '#http/testing/stage.ts';
import { type Bot, startVenue, type VenueResponse, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { CHALLENGE_LIFETIME_MS } from '#identity/challenges.ts';
import { approvalRefusal } from '#identity/sign-in/approval-refusal.ts';
import { ceremonyMessage } from '#identity/sign-in/ceremony-message.ts';
import type { CeremonyRejection } from '#identity/webauthn/rejection.ts';
import { FLAGS, SoftwareAuthenticator } from '#identity/webauthn/testing/software-authenticator.ts';
import type { Command } from '#venue/command.ts';

type Registration = ReturnType<SoftwareAuthenticator['register']>;
type Ceremony = Parameters<SoftwareAuthenticator['register']>[0];

/** A creation challenge, and the operation that takes what was made for it. */
interface Due {
  readonly challenge: string;
  readonly challengeIdentifier: string;
  complete(credential: object, challengeIdentifier?: string): Promise<VenueResponse>;
}

interface CreatingOperation {
  /** The commands of one creation. A passkey beside others is stored after it was approved. */
  readonly commands: readonly Command['type'][];
  /** For another owner or attempt each time, unless one is given. */
  due(venue: VenueUnderTest, by?: Bot): Promise<Due>;
}

let names = 0;

const CREATING: { readonly [Id in OperationId]?: CreatingOperation } = {
  completeRegistration: {
    commands: ['RegisterOwner'],
    due: async (venue) => {
      names += 1;
      const local = { name: `creator-${names}`, passphrase: 'correct horse' };
      const started = await venue.call('registerWithProvider', { body: { provider: 'local', action: 'initiate', local } });
      const { attempt, creation } = started.body;
      const passkeyName = 'laptop';
      return {
        ...creation,
        complete: (credential, challengeIdentifier = creation.challengeIdentifier) =>
          venue.call('completeRegistration', { body: { attempt, challengeIdentifier, passkeyName, credential } }),
      };
    },
  },
  addPasskey: {
    commands: [],
    due: async (venue, by) => {
      const bot = by ?? (await registerOwner(venue));
      const add = (body: object) => venue.call('addPasskey', { bot, params: { accountId: bot.accountId }, body });
      const { creation } = (await add({ action: 'initiate' })).body;
      return {
        ...creation,
        complete: (credential, challengeIdentifier = creation.challengeIdentifier) =>
          add({ action: 'approve', challengeIdentifier, passkeyName: 'phone', credential }),
      };
    },
  },
};

const CREATED = FLAGS.present | FLAGS.verified | FLAGS.attested;

function made(challenge: string, ceremony: Partial<Ceremony> = {}): Registration {
  return new SoftwareAuthenticator().register({ challenge, ...SITE, ...ceremony });
}

const ceremony = (parts: Partial<Ceremony>) => (challenge: string) => made(challenge, parts);

const MUTATED: readonly [name: string, CeremonyRejection, make: (challenge: string) => Registration][] = [
  ['the origin of another site', 'origin_mismatch', ceremony({ origin: 'https://evil.example' })],
  ['the origin of another port', 'origin_mismatch', ceremony({ origin: 'http://localhost:8081' })],
  ['the rpIdHash of another site', 'relying_party_mismatch', ceremony({ rpId: 'evil.example' })],
  ['the type of a sign-in', 'type_mismatch', ceremony({ type: 'webauthn.get' })],
  ['an answer to another challenge', 'challenge_mismatch', ceremony({ challenge: 'A'.repeat(43) })],
  ['no user verification', 'user_not_verified', ceremony({ flags: CREATED & ~FLAGS.verified })],
  ['no user presence', 'user_not_present', ceremony({ flags: CREATED & ~FLAGS.present })],
  ['a frame of another origin', 'cross_origin', ceremony({ more: { crossOrigin: true } })],
  ['a top origin', 'cross_origin', ceremony({ more: { topOrigin: SITE.origin } })],
  ['bytes after the authenticator data', 'malformed', ceremony({ tail: Buffer.from('more') })],
  ['no credential in the authenticator data', 'malformed', ceremony({ flags: FLAGS.present | FLAGS.verified })],
  ['another credential id than was made', 'credential_mismatch', (challenge) => ({ ...made(challenge), credId: 'AAAA' })],
  ['client data that is not JSON', 'malformed', (challenge) => ({ ...made(challenge), clientData: 'AAAA' })],
  [
    'the credential id of a setup key',
    'credential_id_not_allowed',
    (challenge) => {
      const id = Buffer.from(`venue-setup-key-${'A'.repeat(16)}`, 'base64url');
      return new SoftwareAuthenticator('ES256', id).register({ challenge, ...SITE });
    },
  ],
  [
    'the attestation of another key',
    'signature_invalid',
    (challenge) => {
      const { signature } = new SoftwareAuthenticator().assert({ challenge, ...SITE }).credentialAssertion;
      const statement = new Map([['sig', Buffer.from(signature, 'base64url')]]);
      return new SoftwareAuthenticator().register({ challenge, ...SITE }, { format: 'packed', statement });
    },
  ],
  [
    'the attestation of a maker',
    'attestation_not_allowed',
    (challenge) => new SoftwareAuthenticator().register({ challenge, ...SITE }, { format: 'apple' }),
  ],
];

let venue: VenueUnderTest;
beforeAll(async () => {
  venue = await startVenue(UNLIMITED);
});
afterAll(async () => {
  expect(venue.internalErrors).toEqual([]);
  await venue.close();
});

const state = () => ({ sequence: venue.sequence(), digest: venue.stateDigest() });

/** Expects the refusal of a challenge that leaves nothing. */
async function expectOtherChallenge(response: () => Promise<VenueResponse>, failure: Parameters<typeof approvalRefusal>[0]) {
  const before = state();
  const { message } = approvalRefusal(failure);
  expect((await response()).body).toMatchObject({ code: 'challenge_rejected', safeMessage: message });
  expect(state()).toEqual(before);
}

const UNKNOWN = { failure: 'challenge_unknown' } as const;
const OF_ANOTHER = { failure: 'challenge_of_another_request' } as const;

describe.each(Object.entries(CREATING) as [OperationId, CreatingOperation][])('%s', (id, { commands, due: dueOf }) => {
  test.each(MUTATED)('refuses %s, which is used up', async (_name, rejection, make) => {
    const due = await dueOf(venue);
    const before = state();
    const safeMessage = ceremonyMessage(rejection);
    expect((await due.complete(make(due.challenge))).body).toMatchObject({ code: 'passkey_rejected', safeMessage });
    expect(state()).toEqual(before);
    await expectOtherChallenge(() => due.complete(made(due.challenge)), UNKNOWN);
  });

  test('refuses a challenge that was never issued', async () => {
    const due = await dueOf(venue);
    await expectOtherChallenge(() => due.complete(made(due.challenge), 'A'.repeat(22)), UNKNOWN);
  });

  test('refuses an expired challenge', async () => {
    const due = await dueOf(venue);
    venue.pass(CHALLENGE_LIFETIME_MS);
    await expectOtherChallenge(() => due.complete(made(due.challenge)), { failure: 'challenge_expired' });
  });

  test('refuses the challenge of another owner', async () => {
    const [due, other] = [await dueOf(venue), await dueOf(venue)];
    await expectOtherChallenge(() => due.complete(made(other.challenge), other.challengeIdentifier), OF_ANOTHER);
  });

  test('refuses an answer to the challenge of another creation', async () => {
    const [due, other] = [await dueOf(venue), await dueOf(venue)];
    const { body } = await due.complete(made(other.challenge));
    expect(body).toMatchObject({ code: 'passkey_rejected', safeMessage: ceremonyMessage('challenge_mismatch') });
  });

  test('refuses the challenge of a sign-in', async () => {
    const { challenge, challengeIdentifier } = (await venue.call('startPasskeyLogin', { body: {} })).body.challenge;
    const due = await dueOf(venue);
    // Those of accounts are in another store.
    const failure = id === 'addPasskey' ? UNKNOWN : OF_ANOTHER;
    await expectOtherChallenge(() => due.complete(made(challenge), challengeIdentifier), failure);
  });

  test('counts one of 64 uses of a challenge at once', async () => {
    const due = await dueOf(venue);
    const credential = made(due.challenge);
    const submitted: Command['type'][] = [];
    const beforeSubmit = ({ type }: Command) => submitted.push(type);
    const used = () => Promise.all(Array.from({ length: 64 }, () => due.complete(credential)));
    const responses = await whilePlanted(venue.planted, { beforeSubmit }, used);
    expect(submitted).toEqual(commands);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

test('the challenge of a setup key does not create a passkey', async () => {
  const bot = await registerOwner(venue);
  const params = { accountId: bot.accountId };
  const { creation } = (await venue.call('setUpKey', { bot, params, body: { action: 'initiate' } })).body;
  const due = await CREATING.addPasskey!.due(venue, bot);
  await expectOtherChallenge(() => due.complete(made(creation.challenge), creation.challengeIdentifier), OF_ANOTHER);
});

test('the table has every operation that takes a new passkey', () => {
  const takesPasskey = ({ body }: Operation) =>
    body !== undefined && JSON.stringify(z.toJSONSchema(body, { io: 'input' })).includes('"attestationObject"');
  expect(Object.keys(CREATING).sort()).toEqual(OPERATION_IDS.filter((id) => takesPasskey(OPERATIONS[id])).sort());
});
