import { beforeEach, expect, test } from 'vitest';
import { OwnerOperations } from '#owner-page/src/venue/owner-operations.ts';
import { challengeOf, RecordedPage, ScriptedAuthenticator, ScriptedVenue } from '#owner-page/testing/scripted-venue.ts';
import { ConnectPanel } from './connect.ts';

const APPROVE = 'POST /v1/accounts/acct-7/agent-connect/approve';
const GRANT = {
  status: 'pending',
  label: 'bot',
  scopes: ['read'],
  startedAtEpochMs: 0,
  expiresAtEpochMs: 1,
  keyLifetimeDays: 90,
  challenge: null,
};

let venue: ScriptedVenue;
let page: RecordedPage;
let connect: ConnectPanel;
let authenticator: ScriptedAuthenticator;

beforeEach(() => {
  venue = new ScriptedVenue();
  page = new RecordedPage();
  authenticator = new ScriptedAuthenticator();
  connect = new ConnectPanel(page, new OwnerOperations(venue.client, 'acct-7'), authenticator);
});

test('a link shows the request and approves nothing', async () => {
  venue.on(APPROVE, GRANT);
  await connect.open('WDJB-MJHT');
  expect(venue.bodiesOf(APPROVE)).toEqual([{ userCode: 'WDJB-MJHT', decision: 'describe' }]);
  expect([connect.request?.grant.status, page.focused]).toEqual(['pending', ['device-request']]);
});

test.each(['approve', 'deny'] as const)('the owner decides: %s', async (decision) => {
  const due = { ...GRANT, status: 'approval_required', challenge: challengeOf('grant') };
  if (decision === 'approve') venue.on(APPROVE, GRANT, due, { ...GRANT, status: 'approved' });
  else venue.on(APPROVE, GRANT, { ...GRANT, status: 'denied' });
  let approved = 0;
  connect.onApproved = () => {
    approved += 1;
  };
  connect.typed = 'wdjb mjht';
  await connect.describe();
  await connect.decide(decision);
  const approval = { challengeIdentifier: 'grant', firstFactor: expect.anything() };
  expect(venue.bodiesOf(APPROVE).at(-1)).toEqual({
    userCode: 'WDJB-MJHT',
    decision,
    ...(decision === 'approve' && { approval }),
  });
  expect(authenticator.prompts).toBe(decision === 'approve' ? 1 : 0);
  expect([approved, connect.typed]).toEqual([decision === 'approve' ? 1 : 0, '']);
});

test('what cannot be a code is not sent', async () => {
  connect.typed = 'hello';
  await connect.describe();
  expect([venue.sent, connect.inputFailure, page.focused]).toEqual([[], expect.stringMatching(/WDJB-MJHT/), ['user-code']]);
});

test.each([
  ['user_code_not_found', /^No program waits with this code/],
  ['expired_token', /^This code has expired/],
  ['device_grant_decided', /^This code was answered before/],
])('a code that is refused with %s is a failure of its field, and nothing can be approved', async (code, text) => {
  venue.on(APPROVE, GRANT, { status: 404, code });
  await connect.open('WDJB-MJHT');
  await connect.open('WDJB-MJHX');
  await connect.decide('approve');
  expect([connect.failure, connect.request, venue.sent.length]).toEqual([undefined, undefined, 2]);
  expect([connect.inputFailure, page.focused.at(-1)]).toEqual([expect.stringMatching(text), 'user-code']);
});

test('any other refusal is a failure of the panel', async () => {
  venue.on(APPROVE, { status: 429, code: 'rate_limited' });
  await connect.open('WDJB-MJHT');
  expect([connect.failure, connect.inputFailure, connect.request]).toEqual(['refused: rate_limited', undefined, undefined]);
});
