/** The operator's commands for accounts and their keys, on a running venue. */
import { describe, expect, test } from 'vitest';
import { parseRendered } from '#reads/resource-reads.ts';
import { operatedVenue } from './testing/operated-venue.ts';

const operated = operatedVenue();
const { run, data, get } = operated;

describe('the operator’s commands for accounts', () => {
  test('create an account that can trade, with its key', async () => {
    const { accountId, apiKey, cash } = await data('account create --label bot --credit 2500.5');
    expect(cash).toBe('2500.5');
    expect((await get(`/v1/accounts/${accountId}`, apiKey!)).body).toMatchObject({ accountId, cashBalance: '2500.5' });
    expect((await get(`/v1/accounts/${accountId}/party`, apiKey!)).body).toMatchObject({ status: 'active' });
    expect((await get('/v1/api-keys/current', apiKey!)).body).toMatchObject({ scopes: ['read', 'trade'], label: 'bot' });
    expect(await run(`account credit ${accountId} 0.000001`)).toBe(`accountId  ${accountId}\ncash       2500.500001`);
  });

  test('create keys that expire in the future', async () => {
    const { accountId } = await data('account create');
    const { apiKey, expiresAtEpochMs } = await data(`api-key create ${accountId} --expires-at 2100-01-31T12:00:00+01:00`);
    expect(expiresAtEpochMs).toBe(Date.parse('2100-01-31T11:00:00Z'));
    expect((await get('/v1/api-keys/current', apiKey!)).body).toMatchObject({ accountId, expiresAtEpochMs });
    expect(await data('account create --expires-at 2100-01-31T12:00:00Z')).toHaveProperty('expiresAtEpochMs');
    for (const [time, message] of [
      ['2001-01-31T12:00:00Z', /^the key would have expired already: give a future time, or no time$/],
      ['2100-01-31', /^--expires-at 2100-01-31 must be a time such as 2030-01-31T12:00:00Z; see/],
      ['tomorrow', /^--expires-at tomorrow must be a time such as/],
    ] as const)
      await expect(run(`api-key create ${accountId} --expires-at ${time}`)).rejects.toThrow(message);
  });

  test('create no account with a key that has already expired', async () => {
    const number = async () => Number(/^acct-([0-9]+)$/.exec(String((await data('account create')).accountId))![1]);
    const before = await number();
    const late = run('account create --credit 10 --expires-at 2001-01-31T12:00:00Z');
    await expect(late).rejects.toThrow(/the key would have expired already/);
    expect(await number()).toBe(before + 1);
  });

  test('take effect once per idempotency key', async () => {
    const first = await data('account create --credit 10 --key make-1');
    const credit = `account credit ${first.accountId} 5 --key pay-1`;
    expect(await Promise.all([data(credit), data(credit)])).toEqual(Array(2).fill({ accountId: first.accountId, cash: '15' }));
    expect(await data(`account credit ${first.accountId} 5`)).toMatchObject({ cash: '20' });
    await expect(run(`account credit ${first.accountId} 6 --key pay-1`)).rejects.toMatchObject({ code: 'idempotency_conflict' });

    const second = await data('account create --credit 10 --key make-1');
    expect(second).toMatchObject({ accountId: first.accountId, cash: '10' });
    const third = await data('account create --credit 10 --key make-1');
    const status = async ({ apiKey }: Record<string, string>) => (await get('/v1/api-keys/current', apiKey!)).status;
    expect([await status(first), await status(second), await status(third)]).toEqual([401, 401, 200]);
    expect((await get(`/v1/accounts/${first.accountId}`, third.apiKey!)).body).toMatchObject({ cashBalance: '20' });

    const key = await data(`api-key create ${first.accountId} --key eyes-1`);
    const again = await data(`api-key create ${first.accountId} --key eyes-1`);
    expect([await status(key), await status(again), await status(third)]).toEqual([401, 200, 200]);
  });

  test('create an account that cannot trade: without a party, or with fewer scopes', async () => {
    const { accountId, apiKey } = await data('account create --no-party --scopes read,agents');
    expect((await get(`/v1/accounts/${accountId}/party`, apiKey!)).body).toMatchObject({ status: 'absent' });
    expect((await get('/v1/api-keys/current', apiKey!)).body).toMatchObject({ scopes: ['read', 'agents'] });
  });

  test('create and revoke keys', async () => {
    const { accountId, apiKey } = await data('account create');
    const second = await data(`api-key create ${accountId} --scopes read --label eyes`);
    expect((await get('/v1/api-keys/current', second.apiKey!)).status).toBe(200);
    await run(`api-key revoke ${accountId} ${second.keyId}`);
    expect((await get('/v1/api-keys/current', second.apiKey!)).status).toBe(401);
    expect((await get('/v1/api-keys/current', apiKey!)).status).toBe(200);
    await expect(run(`api-key revoke ${accountId} 0123456789abcdef`)).rejects.toThrow(/no such API key/);
  });

  test('withdraw available cash from an account, once per key, as a settled withdrawal', async () => {
    const { accountId, apiKey } = await data('account create --credit 1000');
    const { indexPrice } = (await get('/v1/markets/BTC-USD-PERP/stats', apiKey!)).body;
    const price = String(Math.round(Number(indexPrice) * 0.95));
    const order = { marketId: 'BTC-USD-PERP', clientOrderId: 'o', side: 'buy', quantity: '0.1', price };
    await operated.place({ accountId: accountId!, apiKey: apiKey! }, order);
    const { availableForOrders } = (await get(`/v1/accounts/${accountId}`, apiKey!)).body;
    expect(Number(availableForOrders)).toBeLessThan(900);
    const before = operated.venue.directory.sequence();
    await expect(run(`account debit ${accountId} 1000`)).rejects.toMatchObject({
      code: 'insufficient_cash',
      message: `${accountId} has ${availableForOrders} USD.E available (cash less what its open orders reserve), less than 1000: debit at most that; positions and orders must be closed before their money can leave`,
    });
    const debit = `account debit ${accountId} 250.5 --reference bank --key out-1`;
    const responses = await Promise.all([data(debit), data(debit)]);
    expect(responses).toEqual(
      Array(2).fill({ accountId, cash: '749.5', transferId: expect.stringMatching(/^withdrawal-[0-9]+$/) }),
    );
    await expect(run(`account debit ${accountId} 251 --reference bank --key out-1`)).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
    const { transfers } = (await get(`/v1/accounts/${accountId}/transfers?kind=withdrawal`, apiKey!)).body;
    expect(transfers).toMatchObject([{ transferId: responses[0].transferId, amount: '250.5', status: 'settled' }]);
    expect(await data('venue status')).toMatchObject({ withdrawals: '0', deficit: '0' });
    expect(parseRendered(await operated.venue.reads.conservation())).toMatchObject({ imbalance: '0' });
    expect(operated.venue.directory.sequence()).toBeGreaterThan(before);
  });

  test('list accounts page by page, and show one of them', async () => {
    const { accountId, apiKey, keyId } = await data('account create --label shown --credit 5000');
    const { accountId: bare } = await data('account create --no-party');
    await run(`account retire ${bare}`);
    type AccountPage = { accounts: Record<string, unknown>[]; nextAfter: string | null };
    const page = async (options: string) => (await data(`account list ${options}`)) as unknown as AccountPage;
    const all = (await page('--limit 500')).accounts;
    const paged: object[] = [];
    for (let after = ''; ; ) {
      const { accounts, nextAfter } = await page(`--limit 2 ${after}`.trim());
      paged.push(...accounts);
      if (nextAfter === null) break;
      expect([accounts.length, nextAfter]).toEqual([2, accounts[1]!.accountId]);
      after = `--after ${nextAfter}`;
    }
    expect(paged).toEqual(all);
    expect(all.slice(-2)).toEqual([
      { accountId, label: 'shown', status: 'active', cash: '5000', reserved: '0', positions: 0 },
      { accountId: bare, label: '', status: 'retired', cash: '0', reserved: '0', positions: 0 },
    ]);
    expect(await run(`account list --after ${accountId}`)).toMatch(
      new RegExp(
        `^accounts\n  accountId +label +status +cash +reserved +positions\n  ${bare} +- +retired +0 +0 +0\nnextAfter +-$`,
      ),
    );

    const seller = await data('account create --credit 5000');
    const { indexPrice } = (await get('/v1/markets/BTC-USD-PERP/stats', apiKey!)).body;
    const price = String(Math.round(Number(indexPrice)));
    for (const [side, owner] of [['sell', seller] as const, ['buy', { accountId, apiKey }] as const]) {
      const order = { marketId: 'BTC-USD-PERP', clientOrderId: side, side, quantity: '0.01', price };
      const placed = await operated.place({ accountId: owner.accountId!, apiKey: owner.apiKey! }, order);
      expect(placed.status).toBe(202);
    }
    const account = await data(`account show ${accountId}`);
    const rest = (await get(`/v1/accounts/${accountId}`, apiKey!)).body;
    expect(account).toMatchObject({
      accountId,
      label: 'shown',
      status: 'active',
      partyId: expect.stringMatching(/^party-/),
      cash: rest.cashBalance,
      available: rest.availableForOrders,
      positionMargin: rest.positionMargin,
      openOrders: 0,
      positions: [{ marketId: 'BTC-USD-PERP', side: 'long', quantity: '0.01', entryPrice: price }],
    });
    expect(await run(`account show ${accountId}`)).toMatch(
      new RegExp(
        `^accountId +${accountId}\nlabel +shown\n[^]+\npositions\n  marketId +side +quantity +entryPrice [^]+ BTC-USD-PERP +long +0\\.01`,
      ),
    );
    const { apiKeys } = (await data(`api-key list ${accountId}`)) as unknown as { apiKeys: object[] };
    expect(apiKeys).toEqual([
      {
        keyId,
        label: 'shown',
        scopes: ['read', 'trade'],
        status: 'active',
        createdAtEpochMs: expect.any(Number),
        expiresAtEpochMs: null,
      },
    ]);
    expect(JSON.stringify(apiKeys)).not.toContain(apiKey);
    await run(`api-key create ${accountId} --label later --scopes read --expires-at 2100-01-31T12:00:00Z`);
    await run(`api-key revoke ${accountId} ${keyId}`);
    expect(await run(`api-key list ${accountId}`)).toMatch(
      /\napiKeys\n {2}keyId +label +scopes +status +createdAt +expiresAt\n {2}[0-9a-f]+ +later +read +active +[0-9T:.-]+Z +2100-01-31T12:00:00\.000Z$/,
    );
  });
});
