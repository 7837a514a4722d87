/** The channel account.earnings: what it publishes, and that it ends while the operator has the affiliate program off. */
import { describe, expect, test } from 'vitest';
import { History } from '#simulation/history.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import { owned } from '#venue/owner/testing/owners.ts';
import { ALICE, aliceOn, updatesAfterPublishing } from './testing/alice.ts';
import { RecordedService } from './testing/recorded-service.ts';

const CHANNEL = 'account.earnings';
const CODE = 'code-of-alice';
const alice = 1 as AccountOrdinal;

function turn(history: History, isOn: boolean): void {
  history.run({ type: 'SetCapability', capability: 'affiliate', isOn });
}

/** Alice is an affiliate. */
function begun(isOn = true): History {
  const history = History.begin(3);
  turn(history, true);
  history.run({ type: 'RegisterAffiliate', account: alice, referralCode: CODE });
  if (!isOn) turn(history, false);
  return history;
}

let identities = 0;
/** A referred account that may trade. */
function friendOf(history: History): AccountOrdinal {
  identities += 1;
  const account = owned(history, identities, 'activate', { referralCode: CODE });
  history.run({ type: 'CreditCash', account, amountAtoms: 10_000_000_000 as QuoteAtoms, reference: 'test' });
  return account;
}

describe('account.earnings', () => {
  test('publishes the totals after each turn that changes them, as REST shows them, and nothing of other accounts', async () => {
    const service = await RecordedService.start(begun());
    const { history } = service;
    const client = await aliceOn(service, CHANNEL);
    const from = history.records.length;
    const stranger = await service.connectAs(2);
    await stranger.subscribed(CHANNEL, { accountId: 'acct-2' });
    const friend = friendOf(history);
    history.limit(2, 'sell', 10_000, 300);
    history.market(friend, 'buy', 100);
    // Of accounts that no one referred.
    history.market(3, 'buy', 100);
    history.market(friend, 'buy', 100);
    const updates = (await updatesAfterPublishing(service, client, CHANNEL)).map(({ data }) => data);
    expect(
      updates.map(({ total, day }) => [total.referredAccounts, total.payingAccounts, total.fills, day?.fills ?? null]),
    ).toEqual([
      [1, 0, 0, null],
      [1, 1, 1, 1],
      [1, 1, 2, 2],
    ]);
    const { total, days } = service.projection.reads.affiliateEarnings({ account: alice, direction: 'newest_first', limit: 10 });
    expect(total.earnedAtoms).toMatch(/^[1-9]/);
    expect(updates.at(-1)).toEqual({ total, day: days.entries[0] });
    await stranger.drained();
    expect(stranger.updates(CHANNEL)).toEqual([]);
    const late = await service.connectAs(1);
    await late.subscribed(CHANNEL, ALICE, from);
    await late.drained();
    expect(late.updates(CHANNEL).map(({ data }) => data)).toEqual(updates);
  });

  test('is refused with source_unavailable while the program is off, and served when it is on', async () => {
    const service = await RecordedService.start(begun(false));
    const { history } = service;
    service.publish();
    const client = await service.connectAs(1);
    for (const from of [undefined, 0, history.records.length]) {
      const subscribe = { op: 'subscribe', channel: CHANNEL, ...ALICE, ...(from !== undefined && { fromSequence: from }) };
      expect(await client.request(subscribe)).toMatchObject({ type: 'error', code: 'source_unavailable', channel: CHANNEL });
    }
    turn(history, true);
    service.publish();
    await client.subscribed(CHANNEL, ALICE);
    friendOf(history);
    expect(await updatesAfterPublishing(service, client, CHANNEL)).toHaveLength(1);
  });

  test('ends with source_unavailable when the program is switched off, after what precedes that', async () => {
    const service = await RecordedService.start(begun());
    const { history } = service;
    const client = await aliceOn(service, CHANNEL, 'account.balance');
    friendOf(history);
    turn(history, false);
    friendOf(history);
    history.run({ type: 'CreditCash', account: alice, amountAtoms: 7 as QuoteAtoms, reference: 'more' });
    const updates = await updatesAfterPublishing(service, client, CHANNEL);
    expect(updates.map(({ data }) => data.total.referredAccounts)).toEqual([1]);
    const types = client.frames.filter(({ channel }) => channel === CHANNEL).map(({ type, code }) => code ?? type);
    expect(types).toEqual(['subscribed', 'update', 'source_unavailable']);
    expect(client.updates('account.balance'), 'other channels go on').toHaveLength(1);
    turn(history, true);
    service.publish();
    // Resumes from its last update: what was earned meanwhile is in the replay.
    await client.subscribed(CHANNEL, ALICE, updates[0]!.sequence);
    await client.drained();
    expect(client.updates(CHANNEL).map(({ data }) => data.total.referredAccounts)).toEqual([1, 2]);
  });

  test('is refused if the program is switched off during its replay', async () => {
    // A replay reads one record at a time.
    const service = await RecordedService.start(begun(), { replaySliceMs: 0 });
    const { history } = service;
    const fromSequence = history.records.length;
    for (let credit = 0; credit < 200; credit += 1)
      history.run({ type: 'CreditCash', account: alice, amountAtoms: 7 as QuoteAtoms, reference: `${credit}` });
    service.publish();
    const client = await service.connectAs(1);
    client.send({ op: 'subscribe', channel: CHANNEL, ...ALICE, fromSequence, id: 'late' });
    while (service.service.counts().waitingReplays === 0) await new Promise((resolve) => setImmediate(resolve));
    turn(history, false);
    service.publish();
    const responses = () => client.frames.filter(({ id }) => id === 'late');
    while (responses().length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(responses()).toMatchObject([{ type: 'error', code: 'source_unavailable' }]);
  });

  test('is refused if the program is switched off before the subscription begins', async () => {
    const service = await RecordedService.start(begun());
    const { history } = service;
    service.publish();
    const client = await service.connectAs(1);
    client.send({ op: 'subscribe', channel: CHANNEL, ...ALICE, fromSequence: history.records.length + 1, id: 'early' });
    turn(history, false);
    await client.drained();
    service.publish();
    await client.drained();
    const [refusal] = client.frames.filter(({ id }) => id === 'early');
    expect(refusal).toMatchObject({ type: 'error', code: 'source_unavailable', channel: CHANNEL });
  });
});
