import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestVenue, type TestVenue, temporaryDirectory, testConfig } from '#app/testing/test-venue.ts';
import { parseRendered } from '#reads/resource-reads.ts';
import { runOperatorCommand } from './operator-command.ts';
import { COMMANDS, HELP } from './operator-commands.ts';

const { path: dataDirectory, remove } = temporaryDirectory();
let venue: TestVenue;
beforeAll(async () => {
  venue = await startTestVenue(testConfig(dataDirectory));
});
afterAll(async () => {
  await venue.stop();
  remove();
});

const run = (line: string) => runOperatorCommand([...line.split(' '), '--data-dir', dataDirectory]);

async function data(line: string): Promise<Record<string, string>> {
  return JSON.parse(await run(`${line} --json`)) as Record<string, string>;
}

async function get(path: string, apiKey: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(venue.url + path, { headers: { authorization: `Bearer ${apiKey}` } });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe('the operator’s commands, on a running venue', () => {
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

  test('without a response name the key to repeat them with', async () => {
    const { path: silent, remove: removeSilent } = temporaryDirectory();
    const requests: string[] = [];
    const silentServer = createServer((socket) => socket.on('data', (bytes) => requests.push(String(bytes)))).listen(
      join(silent, 'operator.sock'),
    );
    try {
      const run = (line: string) => runOperatorCommand([...line.split(' '), '--data-dir', silent], 100);
      await expect(run('account credit acct-1 5')).rejects.toThrow(
        /^the venue did not respond within 0\.1 s; it may have been carried out: to repeat it safely, add --key [0-9a-f-]{36}$/,
      );
      await expect(run('account credit acct-1 5 --key mine')).rejects.toThrow(/add --key mine$/);
      await expect(run('venue status')).rejects.toThrow(/^the venue did not respond within 0\.1 s$/);
      const keys = requests.map((line) => JSON.parse(line).key);
      expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), 'mine', undefined]);
    } finally {
      silentServer.close();
      removeSilent();
    }
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

  test('retire an account, change a market’s status, show the venue’s', async () => {
    const { accountId } = await data('account create');
    expect(await run(`account retire ${accountId}`)).toBe(`accountId  ${accountId}`);
    expect(await run('market status SOL-USD-PERP cancel_only')).toBe('marketId  SOL-USD-PERP\nstatus    cancel_only');
    const status = await data('venue status');
    expect(status).toMatchObject({ url: venue.url, realtimeUrl: venue.realtimeUrl, isReady: true, prices: venue.prices });
    expect(status).toMatchObject({ snapshotSequence: 0 });
    expect(JSON.stringify(status.markets)).toContain('"marketId":"SOL-USD-PERP","status":"cancel_only"');
    expect(await run('venue status')).toMatch(
      /\nmarkets\n {2}marketId +status +indexStatus +indexPrice +markPrice +openInterest\n {2}BTC-USD-PERP +open /,
    );
    expect(status).toMatchObject({ fees: expect.stringMatching(/^[0-9.]+$/), deficit: '0' });
  });

  test('open, restrict and close a market, and name a status change that is not allowed', async () => {
    const status = (next: string) => run(`market status ETH-USD-PERP ${next}`);
    expect(await status('reduce_only')).toBe('marketId  ETH-USD-PERP\nstatus    reduce_only');
    await expect(status('closed')).rejects.toMatchObject({
      code: 'market_transition_invalid',
      message: expect.stringMatching(
        /^The market cannot change from its status to the requested one\. Read its status\. Allowed: draft to open/,
      ),
    });
    await status('open');
    const { apiKey, accountId } = await data('account create --credit 1000');
    const { indexPrice } = (await get('/v1/markets/ETH-USD-PERP/stats', apiKey!)).body;
    const price = String(Math.round(Number(indexPrice) * 0.95));
    const order = { marketId: 'ETH-USD-PERP', clientOrderId: 'o', side: 'buy', orderType: 'limit', quantity: '0.1' };
    const placed = await fetch(`${venue.url}/v1/orders`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': 'k' },
      body: JSON.stringify({ ...order, accountId, price }),
    });
    const { orderId } = (await placed.json()) as { orderId: string };
    await status('cancel_only');
    await expect(status('closed')).rejects.toMatchObject({
      code: 'market_busy',
      message: expect.stringMatching(/still has open orders/),
    });
    await fetch(`${venue.url}/v1/orders/${orderId}/cancel`, { method: 'POST', headers: { authorization: `Bearer ${apiKey}` } });
    expect(await status('closed')).toBe('marketId  ETH-USD-PERP\nstatus    closed');
    await expect(status('open')).rejects.toMatchObject({ code: 'market_transition_invalid' });
  });

  test('add to the insurance fund, once for a key, and show it with the venue’s other ledgers', async () => {
    const { insurance } = await data('venue status');
    const before = Number(insurance);
    expect(await run('insurance credit 2500.5')).toBe(`insurance  ${before + 2500.5}`);
    const credit = 'insurance credit 100 --reference treasury --key fund-1';
    expect(await Promise.all([data(credit), data(credit)])).toEqual(Array(2).fill({ insurance: String(before + 2600.5) }));
    await expect(run('insurance credit 101 --reference treasury --key fund-1')).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
    const status = await data('venue status');
    expect(status).toMatchObject({ insurance: String(before + 2600.5), deficit: '0', funding: '0', withdrawals: '0' });
    expect(status.markets).toContainEqual({
      marketId: 'BTC-USD-PERP',
      status: 'open',
      indexStatus: 'current',
      indexPrice: expect.stringMatching(/^[0-9.]+$/),
      markPrice: expect.stringMatching(/^[0-9.]+$/),
      openInterest: '0',
    });
    expect(await run('venue status')).toMatch(/\n {2}BTC-USD-PERP +open +current +[0-9.]+ +[0-9.]+ +0(?:\n|$)/);
  });

  test('withdraw available cash from an account, once per key, as a settled withdrawal', async () => {
    const { accountId, apiKey } = await data('account create --credit 1000');
    const { indexPrice } = (await get('/v1/markets/BTC-USD-PERP/stats', apiKey!)).body;
    const price = String(Math.round(Number(indexPrice) * 0.95));
    const order = { marketId: 'BTC-USD-PERP', clientOrderId: 'o', side: 'buy', orderType: 'limit', quantity: '0.1', price };
    await fetch(`${venue.url}/v1/orders`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': 'debit' },
      body: JSON.stringify({ ...order, accountId }),
    });
    const { availableForOrders } = (await get(`/v1/accounts/${accountId}`, apiKey!)).body;
    expect(Number(availableForOrders)).toBeLessThan(900);
    const before = venue.directory.sequence();
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
    expect(parseRendered(await venue.reads.conservation())).toMatchObject({ imbalance: '0' });
    expect(venue.directory.sequence()).toBeGreaterThan(before);
  });

  test('list accounts page by page, and show one of them', async () => {
    const { accountId, apiKey, keyId } = await data('account create --label shown --credit 5000');
    const { accountId: bare } = await data('account create --no-party');
    await run(`account retire ${bare}`);
    type Listed = { accounts: Record<string, unknown>[]; nextAfter: string | null };
    const page = async (options: string) => (await data(`account list ${options}`)) as unknown as Listed;
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
    const order = { marketId: 'BTC-USD-PERP', orderType: 'limit', quantity: '0.01' };
    const { indexPrice } = (await get('/v1/markets/BTC-USD-PERP/stats', apiKey!)).body;
    const price = String(Math.round(Number(indexPrice)));
    for (const [side, owner] of [['sell', seller] as const, ['buy', { accountId, apiKey }] as const]) {
      const placed = await fetch(`${venue.url}/v1/orders`, {
        method: 'POST',
        headers: { authorization: `Bearer ${owner.apiKey}`, 'content-type': 'application/json', 'idempotency-key': side },
        body: JSON.stringify({ ...order, price, side, clientOrderId: side, accountId: owner.accountId }),
      });
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

  test.each([
    ['account credit acct-999 5', /The account does not exist/],
    ['account credit unknown 5', /there is no account unknown/],
    ['account credit acct-1 0', /0 is no amount of USD\.E/],
    [
      'account credit acct-8 -5',
      /^<amount> -5 must be a plain decimal string .+, without sign or exponent: use account debit to take money from an account; see .+ account credit --help$/,
    ],
    ['account credit acct-8 -.5', /^<amount> -\.5 must be a plain decimal string/],
    ['account create --credit -5', /^--credit -5 must be a plain decimal string .+ exponent; see .+ account create --help$/],
    ['account debit acct-1 -5', /^<amount> -5 must be a plain decimal string .+ exponent; see .+ account debit --help$/],
    ['account debit acct-1 0', /0 is no amount of USD\.E/],
    ['account debit acct-999 5', /The account does not exist/],
    ['account show acct-999', /^there is no account acct-999$/],
    ['account show unknown', /^there is no account unknown$/],
    ['account list --limit 0', /^--limit 0 must be at least 1; see .+ account list --help$/],
    ['account list --limit -5', /^--limit -5 must be a whole number from 1 to 500; see/],
    ['account list --after unknown', /^there is no account unknown$/],
    ['api-key list acct-999', /^there is no account acct-999$/],
    ['account credit acct-1 0.0000001', /at most 6 digits/],
    [
      'account create --credit ten',
      /^--credit ten must be a plain decimal string such as "0\.25", .+; see .+ account create --help$/,
    ],
    ['account create --scopes fly', /^--scopes fly must be one of read, trade, funding, agents; see .+ account create --help$/],
    ['account create --scopes=', /^--scopes "" must be one of read, trade, funding, agents; see/],
    [
      'api-key create acct-1 --scopes read,read',
      /^--scopes read,read is invalid: it names a scope twice; see .+ api-key create --help$/,
    ],
    ['account create --label a\u0007b', /^--label "a\\u0007b" must be well-formed Unicode without control characters/],
    [`account create --label ${'x'.repeat(65)}`, /^--label x{64}… must have at most 64 characters; see/],
    ['account credit acct-1 5 --reference a\u2028b', /^--reference "a\\u\{2028\}b" must be well-formed Unicode/],
    ['account credit acct-1 5 --reference=', /^--reference "" must not be empty; see/],
    ['account credit acct-1 5 --key clé', /^--key "clé" must be 1 to 128 visible ASCII characters; see/],
    ['account credit acct-1 five', /^<amount> five must be a plain decimal string/],
    ['account retire acct-1 --key k', /^account retire has no option --key; see/],
    ['market status DOGE-USD-PERP open', /there is no market DOGE-USD-PERP/],
    ['account credit acct-1', /^usage: account credit <accountId> <amount>; see/],
    ['insurance credit 0', /0 is no amount of USD\.E/],
    ['insurance credit', /^usage: insurance credit <amount>; see/],
    ['insurance credit 5 --label x', /^insurance credit has no option --label; see/],
    ['market status BTC-USD-PERP draft', /^<status> draft must be one of open, reduce_only, cancel_only, closed; see/],
    ['market status BTC-USD-PERP open', /^The market cannot change from its status to the requested one\./],
    ['account dance', /^unknown command: account dance; see/],
    ['toString', /^unknown command: toString; see/],
    ['constructor', /^unknown command: constructor; see/],
    ['venue status --label x', /^venue status has no option --label; see/],
    ['venue status --colour red', /^Unknown option '--colour'; see/],
  ])('refuse "%s" in one line', async (line, message) => {
    const before = venue.directory.sequence();
    const refusal = await run(line).catch((error: unknown) => error as Error);
    expect(refusal).toMatchObject({ message: expect.stringMatching(message) });
    expect((refusal as Error).message).not.toContain('\n');
    // At most the refused command itself and the prices of that moment.
    expect(venue.directory.sequence() - before).toBeLessThan(8);
  });

  test('report that no venue runs', async () => {
    await expect(runOperatorCommand(['venue', 'status', '--data-dir', '/nowhere'])).rejects.toThrow(
      /^no venue is running on \/nowhere/,
    );
  });

  test('all appear in the help', async () => {
    expect(await runOperatorCommand(['account', '--help'])).toBe(HELP);
    for (const command of [
      'account create',
      'account credit',
      'account debit',
      'account list',
      'account show',
      'account retire',
      'api-key create',
      'api-key list',
      'api-key revoke',
      'market status',
      'insurance credit',
      'venue status',
    ]) {
      expect(HELP).toContain(`  ${command}`);
      expect(COMMANDS).toHaveProperty([command]);
    }
  });

  test.each(Object.entries(COMMANDS))('print the help of %s without a venue', async (name, command) => {
    const help = await runOperatorCommand([...name.split(' '), '--help', '--data-dir', '/nowhere']);
    expect(help).toMatch(new RegExp(`^Usage: npm run openperp -- ${name}`));
    for (const operand of command.operands) expect(help.split('\n')[0]).toContain(`<${operand}>`);
    for (const option of command.options) expect(help).toContain(option === 'party' ? '  --no-party ' : `  --${option} `);
    for (const option of ['data-dir', 'json', 'help']) expect(help).toContain(`  --${option} `);
    for (const other of ['label', 'reference'] as const) expect(help.includes(other)).toBe(command.options.includes(other));
    for (const line of [...help.split('\n'), ...HELP.split('\n')]) expect(line.length).toBeLessThanOrEqual(120);
    expect(help).not.toMatch(/undefined|[ \t]$/m);
  });

  test('are refused with --help if they do not exist', async () => {
    await expect(runOperatorCommand(['account', 'dance', '--help'])).rejects.toThrow(/^unknown command: account dance; see/);
  });
});

describe('the operator’s switches, on a running venue', () => {
  const ready = async () => {
    const response = await fetch(`${venue.url}/ready`);
    const { venueStatus, capabilities } = (await response.json()) as Record<string, unknown>;
    return { status: response.status, venueStatus, capabilities };
  };

  test('halt and resume the venue, shown by its status and by /ready', async () => {
    expect(await data('venue halt')).toEqual({ venueStatus: 'halted' });
    expect(await data('venue status')).toMatchObject({
      environment: 'development',
      venueStatus: 'halted',
      isReady: false,
      reasons: [expect.stringMatching(/^venue_halted: the operator/)],
    });
    expect(await ready()).toMatchObject({ status: 503, venueStatus: 'halted' });
    expect(await data('venue pause-intake')).toEqual({ venueStatus: 'intake_paused' });
    expect(await ready()).toMatchObject({ status: 200, venueStatus: 'intake_paused' });
    expect(await data('venue resume')).toEqual({ venueStatus: 'open' });
    expect(await ready()).toMatchObject({ status: 200, venueStatus: 'open' });
  });

  test('turn capabilities on and off', async () => {
    expect(await data('venue capability transfers off')).toEqual({ capability: 'transfers', state: 'off' });
    await data('venue capability provider:google off');
    expect((await ready()).capabilities).toMatchObject({ trading: true, transfers: false, 'provider:google': false });
    await data('venue capability transfers on');
    expect((await ready()).capabilities).toMatchObject({ transfers: true });
    await expect(run('venue capability money on')).rejects.toThrow(/^<capability> money is invalid: expected trading, deposits/);
    await expect(run('venue capability trading maybe')).rejects.toThrow(/^<state> maybe /);
  });

  test('retire an account as legacy', async () => {
    const { accountId } = await data('account create');
    expect(await data(`account retire ${accountId} --legacy`)).toEqual({ accountId, status: 'legacy' });
    expect(await data(`account show ${accountId}`)).toMatchObject({ status: 'legacy' });
    await expect(run(`account credit ${accountId} 1`)).rejects.toThrow(/retired as a legacy account/);
  });
});
