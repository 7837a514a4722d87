/** The affiliate program over HTTP: hidden while it is off, registrations, and earnings from the fees of referred accounts. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OperationId } from '#contract/operations.ts';
import { registerOwner } from '#http/testing/owner-client.ts';
import { whilePlanted } from '#http/testing/provocations.ts';
import { sendRaw } from '#http/testing/raw-http.ts';
import { UNLIMITED } from '#http/testing/stage.ts';
import { type Bot, startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { quoteAtoms } from '#units/money.ts';

const POLICY = 'x-venue-runtime-policy-version';
const HIDDEN = ['getAffiliateProfile', 'registerAffiliate', 'getAffiliateEarnings'] as const satisfies OperationId[];

let venue: VenueUnderTest;
let affiliate: Bot;
let session: Bot;

beforeAll(async () => {
  venue = await startVenue(UNLIMITED);
});
beforeEach(async () => {
  await turn(true);
  affiliate = await venue.bot();
  session = await venue.signIn(affiliate);
});
afterAll(() => venue.close());

const turn = (isOn: boolean) => venue.operate({ type: 'SetCapability', capability: 'affiliate', isOn }, 'CapabilitySet');
const own = (bot: Bot) => ({ bot, params: { accountId: bot.accountId } });
const register = async (bot = session) => (await venue.call('registerAffiliate', own(bot))).body;
const earningsOf = async (bot: Bot, query = {}) => (await venue.call('getAffiliateEarnings', { ...own(bot), query })).body;

/** An owner who registers with a code over HTTP, and then may trade. */
async function referred(referralCode: string): Promise<Bot> {
  const { account, accountId } = await registerOwner(venue, { referralCode });
  await venue.operate({ type: 'StartParty', account, ledgerKey: `key-${account}` }, 'PartyChanged');
  await venue.operate({ type: 'AllocateParty', account, partyId: `party::${account}` }, 'PartyChanged').catch(() => undefined);
  await venue.operate({ type: 'ActivateParty', account }, 'PartyChanged');
  const amountAtoms = quoteAtoms(100_000_000_000);
  await venue.operate({ type: 'CreditCash', account, amountAtoms, reference: 'test' }, 'CashPosted');
  return venue.keyOf({ account, accountId, keyId: '', key: '' }, ['read', 'trade']);
}

let orders = 0;
async function place(bot: Bot, side: 'buy' | 'sell', quantity: string, price = '65000'): Promise<void> {
  orders += 1;
  const terms = { marketId: 'BTC-USD-PERP', side, orderType: 'limit', price, quantity, leverageX: 10 };
  const body = { accountId: bot.accountId, clientOrderId: `order-${orders}`, ...terms };
  expect((await venue.call('placeOrder', { bot, idempotencyKey: `key-${orders}`, body })).status).toBe(202);
}

describe('while the program is off', () => {
  test.each(HIDDEN)('%s answers as an unknown path does, with and without a bearer', async (id) => {
    const { sequence } = await turn(false).then(() => ({ sequence: venue.sequence() }));
    for (const bot of [session, affiliate, undefined]) {
      const { status, body, headers } = await venue.call(id, { ...own(session), bot: bot as Bot });
      expect([status, body.code, headers.get(POLICY)]).toEqual([404, 'path_not_found', String(sequence)]);
    }
    expect(venue.sequence()).toBe(sequence);
  });

  test('another method and a preflight answer as for an unknown path too', async () => {
    const path = `/v1/accounts/${affiliate.accountId}/affiliate/profile`;
    const statusOf = async (method: string) =>
      (await sendRaw(venue.port, `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`))[0]!.status;
    expect([await statusOf('DELETE'), await statusOf('OPTIONS')]).toEqual([405, 204]);
    await turn(false);
    expect([await statusOf('DELETE'), await statusOf('OPTIONS')]).toEqual([404, 404]);
  });

  test('the availability is public, and every switch changes the version of the policy', async () => {
    const availability = async () => (await venue.call('getAffiliateAvailability')).body;
    expect(await availability()).toEqual({ version: 'external-affiliate-availability/v1', available: true, shareBps: 2_000 });
    const version = async () => (await venue.call('getAffiliateProfile', own(affiliate))).headers.get(POLICY);
    const versions = [await version()];
    await turn(false);
    expect((await availability()).available).toBe(false);
    versions.push(await version());
    await turn(true);
    versions.push(await version());
    expect(new Set(versions).size).toBe(3);
  });

  test('a registration that it meets in progress is hidden as well, and the venue keeps no trace', async () => {
    const planted = {
      beforeSubmit: ({ type }: { readonly type: string }) => (type === 'RegisterAffiliate' ? turn(false) : undefined),
    };
    const { status, body, headers } = await whilePlanted(venue.planted, planted, () =>
      venue.call('registerAffiliate', own(session)),
    );
    expect([status, body.code, headers.get(POLICY)]).toEqual([404, 'path_not_found', String(venue.sequence())]);
    await turn(true);
    expect((await venue.call('getAffiliateProfile', own(affiliate))).body).toMatchObject({
      registered: false,
      affiliateId: null,
      referralCode: null,
      registeredAtEpochMs: null,
      shareBps: null,
    });
  });
});

describe('a registration', () => {
  test('gives a random code once; repeated, also at once, it returns the same profile', async () => {
    const before = venue.sequence();
    const [first, second] = await Promise.all([register(), register()]);
    expect(second).toEqual(first);
    expect(first).toEqual({
      version: 'external-affiliate-profile/v1',
      accountId: affiliate.accountId,
      registered: true,
      affiliateId: expect.stringMatching(/^aff-[1-9]/),
      referralCode: expect.stringMatching(/^[0-9a-f]{16}$/),
      registeredAtEpochMs: expect.any(Number),
      shareBps: 2_000,
    });
    const registered = venue.sequence();
    expect(registered - before).toBeLessThanOrEqual(2);
    expect(await register()).toEqual(first);
    expect((await venue.call('getAffiliateProfile', own(affiliate))).body).toEqual(first);
    expect(venue.sequence()).toBe(registered);
    const other = await register(await venue.signIn(await venue.bot()));
    expect([other.referralCode, other.affiliateId]).not.toContain(first.referralCode);
    expect(other.affiliateId).not.toBe(first.affiliateId);
  });

  test('is refused while the intake is paused, and for another account', async () => {
    await venue.operate({ type: 'SetVenueStatus', status: 'intake_paused' }, 'VenueStatusChanged');
    const paused = await venue.call('registerAffiliate', own(session));
    await venue.operate({ type: 'SetVenueStatus', status: 'open' }, 'VenueStatusChanged');
    expect([paused.status, paused.body.code]).toEqual([503, 'intake_paused']);
    const stranger = await venue.signIn(await venue.bot());
    const { body } = await venue.call('registerAffiliate', { ...own(session), bot: stranger });
    expect(body.code).toBe('account_forbidden');
  });
});

describe('earnings', () => {
  const NOTHING = { fills: 0, feesAtoms: '0', fees: '0', earnedAtoms: '0', earned: '0' };

  test('are a fifth of the fees of referred accounts, rounded down for each fill, without their names', async () => {
    expect(await earningsOf(affiliate)).toMatchObject({
      registered: false,
      total: { referredAccounts: 0, ...NOTHING },
      days: [],
    });
    const { referralCode } = await register();
    const [friend, silent] = [await referred(referralCode), await referred(referralCode)];
    const stranger = await referred('no-such-code');
    await place(stranger, 'sell', '0.2', '64999.9');
    // Fees of 5 bps, rounded down: 3,249,995 atoms of 6,499.99, and twice 35,749 of 71.49989. A fifth of them: 649,999 and twice 7,149.
    for (const quantity of ['0.1', '0.0011', '0.0011']) await place(friend, 'buy', quantity);
    // A rebate of the friend, as a maker, earns nothing.
    await place(friend, 'sell', '0.1');
    await place(await venue.bot(), 'buy', '0.2');
    const earned = { fills: 3, feesAtoms: '3321493', fees: '3.321493', earnedAtoms: '664297', earned: '0.664297' };
    const body = await earningsOf(affiliate);
    expect(body).toMatchObject({
      version: 'external-affiliate-earnings/v1',
      accountId: affiliate.accountId,
      registered: true,
      asset: 'USD.E',
      basis: 'projected',
      total: { referredAccounts: 2, payingAccounts: 1, ...earned },
      days: [{ dayEpochMs: expect.any(Number), ...earned }],
      nextCursor: null,
    });
    expect(body.days[0].dayEpochMs % 86_400_000).toBe(0);
    for (const { accountId } of [friend, silent, stranger]) expect(JSON.stringify(body)).not.toContain(accountId);
    const { cashBalance } = (await venue.call('getAccount', own(affiliate))).body;
    expect(cashBalance, 'no cash moves').toBe('100000');
    expect(await earningsOf(await venue.bot())).toMatchObject({ total: NOTHING });
  });

  test('go on while the program is off, and end when the affiliate is retired', async () => {
    const { referralCode } = await register();
    const [friend, other] = [await referred(referralCode), await referred('no-such-code')];
    await turn(false);
    await place(other, 'sell', '0.5');
    await place(friend, 'buy', '0.1');
    await turn(true);
    expect((await earningsOf(affiliate)).total).toMatchObject({ fills: 1, earned: '0.65' });
    await venue.operate({ type: 'RetireAccount', account: affiliate.account }, 'AccountRetired');
    await place(friend, 'buy', '0.1');
    expect((await earningsOf(session)).total).toMatchObject({ referredAccounts: 1, fills: 1, earned: '0.65' });
    const late = await referred(referralCode);
    await place(late, 'buy', '0.1');
    expect((await earningsOf(session)).total.referredAccounts).toBe(1);
  });

  test('are paged by day', async () => {
    const { referralCode } = await register();
    const [friend, other] = [await referred(referralCode), await referred('no-such-code')];
    const days: number[] = [];
    await place(other, 'sell', '5');
    for (let day = 0; day < 3; day += 1) {
      await place(friend, 'buy', '0.1');
      days.push((await earningsOf(affiliate)).days[0].dayEpochMs);
      venue.pass(86_400_000);
      await venue.publishIndex(65_000);
    }
    expect((await earningsOf(affiliate)).days.map(({ dayEpochMs }: { dayEpochMs: number }) => dayEpochMs)).toEqual(
      [...days].reverse(),
    );
    const first = await earningsOf(affiliate, { limit: '2', since: String(days[0]) });
    const second = await earningsOf(affiliate, { limit: '2', since: String(days[0]), cursor: first.nextCursor });
    const seen = [...first.days, ...second.days].map(({ dayEpochMs, earned }) => [dayEpochMs, earned]);
    expect(seen).toEqual(days.map((day) => [day, '0.65']));
    expect(second.nextCursor).toBeNull();
    expect((await earningsOf(affiliate, { since: String(days[1]), until: String(days[1]) })).days).toHaveLength(1);
    expect((await earningsOf(affiliate)).total).toMatchObject({ payingAccounts: 1, earned: '1.95' });
  });
});
