/** Drafts of agents over HTTP: what is stored and what is refused, the review and its confirmation. */
import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { STRATEGY_CATALOGUE } from '#agents/catalogue/catalogue.ts';
import { MAX_SCRIPT_LENGTH } from '#contract/agent-drafts.ts';
import { deploymentOf } from '#http/testing/deployment-requests.ts';
import { UNLIMITED } from '#http/testing/stage.ts';
import { type Bot, startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import type { AgentDraftOrdinal } from '#units/ids.ts';

const SCRIPT = `//@version=6
strategy("All kinds")
length = input.int(20, "Length", minval = 2, maxval = 100)
factor = input.float(1.5, "Factor", minval = 0.5)
both = input.bool(true, "Both sides")
name = input.string("a", "Name", options = ["a", "b"])
price = input.source(close, "Price")
if both and name == "a" and price > ta.sma(price, length) * factor
    strategy.entry("Long", strategy.long)
`;

let venue: VenueUnderTest;
let owner: Bot;
let session: Bot;

beforeAll(async () => {
  venue = await startVenue(UNLIMITED);
  owner = await venue.bot();
  session = await venue.signIn(owner);
});
afterAll(async () => {
  expect(venue.internalErrors).toEqual([]);
  await venue.close();
});

let keys = 0;
const own = (draftId?: string, bot = session) => ({
  bot,
  params: { accountId: bot.accountId, ...(draftId === undefined ? {} : { draftId }) },
});
const draft = (body: object, bot = session) => {
  keys += 1;
  return venue.call('draftAgentScript', {
    ...own(undefined, bot),
    idempotencyKey: `key-${keys}`,
    body: { name: 'one', ...body },
  });
};
const confirm = (draftId: string, reviewDigest: string, bot = session) =>
  venue.call('confirmAgentReview', { ...own(draftId, bot), body: { reviewDigest } });

describe('a draft', () => {
  test('has its script and review, and is listed without them until it is removed', async () => {
    const { status, body } = await draft({ text: SCRIPT });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      version: 'external-agent-draft/v1',
      ownerAccountId: owner.accountId,
      name: 'one',
      text: SCRIPT,
      textDigest: hash('sha256', SCRIPT),
      confirmedReviewDigest: null,
      scriptRefusals: [],
      reviewDigest: hash('sha256', JSON.stringify(body.review)),
    });
    expect(body.review).toMatchObject({ title: 'All kinds', languageVersion: 6, interpreterVersion: 'script-1', warmUpBars: 19 });
    expect(body.review.parameters).toMatchObject([
      { kind: 'int', name: 'length', default: 20, min: 2, max: 100 },
      { kind: 'float', name: 'factor', default: 1.5, min: 0.5, max: null },
      { kind: 'bool', name: 'both', default: true },
      { kind: 'text', name: 'name', default: 'a', options: ['a', 'b'] },
      { kind: 'source', name: 'price', default: 'close' },
    ]);
    expect(body.review.sentences.length).toBeGreaterThan(2);
    const { text: _, review: __, reviewDigest: ___, scriptRefusals: ____, version: _____, ...listed } = body;
    expect((await venue.call('getAgentDraft', own(body.draftId))).body).toEqual(body);
    expect((await venue.call('listAgentDrafts', own())).body.drafts).toContainEqual(listed);
    expect((await venue.call('removeAgentDraft', own(body.draftId))).status).toBe(204);
    expect((await venue.call('listAgentDrafts', own())).body.drafts).not.toContainEqual(listed);
    for (const id of ['getAgentDraft', 'removeAgentDraft'] as const)
      expect((await venue.call(id, own(body.draftId))).body.code).toBe('agent_draft_not_found');
  });

  test('starts from every strategy of the catalogue with a script', async () => {
    const strangers = await venue.signIn(await venue.bot());
    for (const { id, script } of STRATEGY_CATALOGUE.strategies) {
      const { status, body } = await draft({ strategyId: id }, strangers);
      if (script === null) expect(body.code, id).toBe('unknown_strategy');
      else expect([status, body.text, body.review.ignored], id).toEqual([200, script, expect.any(Array)]);
    }
    expect((await draft({ strategyId: 'nothing' })).body.code).toBe('unknown_strategy');
  });

  test('of a script that does not fit is refused with every place, and leaves nothing', async () => {
    const before = venue.sequence();
    const { status, body } = await draft({
      text: '//@version=6\nstrategy("x")\nx = request.security("A", "D", close)\ny = ta.nothing(close)\n',
    });
    expect([status, body.code]).toEqual([400, 'agent_script_refused']);
    expect(body.scriptRefusals.length).toBeGreaterThan(1);
    expect(body.scriptRefusals[0]).toEqual({
      line: 3,
      column: expect.any(Number),
      reason: expect.any(String),
      remedy: expect.any(String),
    });
    expect(body.safeMessage).toContain('Line 3');
    expect(venue.sequence()).toBe(before);
  });

  test.each([
    ['neither a text nor a strategy', {}],
    ['both', { text: SCRIPT, strategyId: 'donchian-breakout' }],
    ['an empty text', { text: '' }],
    ['half of a surrogate pair', { text: `${SCRIPT}// \ud800` }],
    ['a text that is too long', { text: 'x'.repeat(MAX_SCRIPT_LENGTH + 1) }],
    ['a name without a visible character', { text: SCRIPT, name: ' ' }],
  ])('with %s is refused', async (_, body) => {
    expect((await draft(body)).body.code).toBe('invalid_request');
  });

  test('that is too long in UTF-16 units alone is refused by the venue', async () => {
    const padding = '-'.repeat(MAX_SCRIPT_LENGTH - 100 - SCRIPT.length);
    const { body } = await draft({ text: `${SCRIPT}// ${padding}${'\u{1f600}'.repeat(90)}` });
    expect(body.code).toBe('agent_script_invalid');
  });

  test('is stored once under a key, and the response to a repetition is the same, also after its removal', async () => {
    const request = { ...own(), idempotencyKey: 'once', body: { name: 'one', text: SCRIPT } };
    const first = await venue.call('draftAgentScript', request);
    await venue.call('removeAgentDraft', own(first.body.draftId));
    const again = await venue.call('draftAgentScript', request);
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
    const other = await venue.call('draftAgentScript', { ...request, body: { name: 'two', text: SCRIPT } });
    expect(other.body.code).toBe('idempotency_conflict');
  });

  test('needs an owner, and agents that are on', async () => {
    const operated = await venue.bot(0, ['agents'], 'party::operated');
    expect((await draft({ text: SCRIPT }, operated)).body.code).toBe('owner_not_found');
    await venue.operate({ type: 'SetCapability', capability: 'agents', isOn: false }, 'CapabilitySet');
    const off = await draft({ text: SCRIPT });
    await venue.operate({ type: 'SetCapability', capability: 'agents', isOn: true }, 'CapabilitySet');
    expect([off.status, off.body.code]).toEqual([503, 'capability_unavailable']);
    await venue.operate({ type: 'SetVenueStatus', status: 'intake_paused' }, 'VenueStatusChanged');
    const paused = await draft({ text: SCRIPT });
    await venue.operate({ type: 'SetVenueStatus', status: 'open' }, 'VenueStatusChanged');
    expect([paused.status, paused.body.code]).toEqual([503, 'intake_paused']);
  });

  test('of another owner is unknown', async () => {
    const { draftId, reviewDigest } = (await draft({ text: SCRIPT })).body;
    const stranger = await venue.signIn(await venue.bot());
    const before = venue.sequence();
    for (const id of ['getAgentDraft', 'removeAgentDraft'] as const)
      expect((await venue.call(id, own(draftId, stranger))).body.code).toBe('agent_draft_not_found');
    expect(venue.sequence()).toBe(before);
    expect((await confirm(draftId, reviewDigest, stranger)).body.code).toBe('agent_draft_not_found');
    expect((await venue.call('listAgentDrafts', own(undefined, stranger))).body.drafts).toEqual([]);
    expect((await venue.call('getAgentDraft', own('x'))).body.code).toBe('agent_draft_not_found');
  });

  test('is one of at most 100 of an owner', async () => {
    const busy = await venue.bot();
    const text = 'strategy("x")';
    for (let count = 0; count < 100; count += 1)
      await venue.operate(
        { type: 'DraftAgentScript', account: busy.account, name: 'x', text, textDigest: hash('sha256', text) },
        'AgentScriptDrafted',
      );
    expect((await draft({ text: SCRIPT }, await venue.signIn(busy))).body.code).toBe('too_many_agent_drafts');
  });

  test('that an open deployment runs is not removed', async () => {
    const params = await deploymentOf(venue, owner);
    const { deployment } = (await venue.call('getAgentDeployment', { bot: session, params })).body;
    expect((await venue.call('removeAgentDraft', own(deployment.draftId))).body.code).toBe('agent_draft_in_use');
    await venue.call('stopAgentDeployment', { bot: session, params });
    expect((await venue.call('removeAgentDraft', own(deployment.draftId))).status).toBe(204);
  });

  test('that this release refuses has no review, and cannot be confirmed', async () => {
    const text = 'x = nothing(1)';
    const stored = {
      type: 'DraftAgentScript',
      account: owner.account,
      name: 'old',
      text,
      textDigest: hash('sha256', text),
    } as const;
    const draftId = String((await venue.operate(stored, 'AgentScriptDrafted')).draft);
    const { body } = await venue.call('getAgentDraft', own(draftId));
    expect(body).toMatchObject({ review: null, reviewDigest: null });
    expect(body.scriptRefusals.length).toBeGreaterThan(0);
    expect((await confirm(draftId, 'a'.repeat(64))).body.code).toBe('agent_review_changed');
  });
});

describe('a review', () => {
  test('is confirmed by its exact digest, once', async () => {
    const { draftId, reviewDigest } = (await draft({ text: SCRIPT })).body;
    expect((await confirm(draftId, 'a'.repeat(64))).body.code).toBe('agent_review_changed');
    const before = venue.sequence();
    const confirmed = await confirm(draftId, reviewDigest);
    expect(confirmed.body.confirmedReviewDigest).toBe(reviewDigest);
    expect(await confirm(draftId, reviewDigest)).toMatchObject({ status: 200, body: confirmed.body });
    expect(venue.sequence()).toBe(before + 1);
  });

  test.each([
    ['agents are off', { type: 'SetCapability', capability: 'agents' }, 'capability_unavailable'],
    ['the intake is paused', { type: 'SetVenueStatus' }, 'intake_paused'],
  ] as const)('is not confirmed while %s', async (_, { type }, code) => {
    const switchTo = (isOn: boolean) =>
      type === 'SetCapability'
        ? venue.operate({ type, capability: 'agents', isOn }, 'CapabilitySet')
        : venue.operate({ type, status: isOn ? 'open' : 'intake_paused' }, 'VenueStatusChanged');
    const { draftId, reviewDigest } = (await draft({ text: SCRIPT })).body;
    await switchTo(false);
    const { status, body } = await confirm(draftId, reviewDigest);
    await switchTo(true);
    expect([status, body.code]).toEqual([503, code]);
  });

  test('of an earlier release does not count for this one', async () => {
    const { draftId, reviewDigest } = (await draft({ text: SCRIPT })).body;
    const earlier = { account: owner.account, draft: Number(draftId) as AgentDraftOrdinal, reviewDigest: 'b'.repeat(64) };
    await venue.operate({ type: 'ReviewAgentScript', ...earlier }, 'AgentScriptReviewed');
    expect((await confirm(draftId, 'b'.repeat(64))).body.code).toBe('agent_review_changed');
    expect((await confirm(draftId, reviewDigest)).body.confirmedReviewDigest).toBe(reviewDigest);
  });
});
