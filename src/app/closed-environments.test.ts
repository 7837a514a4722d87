/**
 * Trading and funding on testnet and mainnet: present and closed until the operator opens them. After that the same request goes as far
 * as the environment permits: neither has an external ledger, and mainnet has no prices.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runOperatorCommand } from '#cli/operator-command.ts';
import type { Bot } from '#http/testing/driven-venue.ts';
import { readConfig } from './config.ts';
import { callerWith, startTestVenue, type TestVenue, temporaryDirectory, testConfig } from './testing/test-venue.ts';
import { startInThreads, type VenueInThreads } from './testing/venue-in-threads.ts';

const CLOSED = { status: 503, body: { code: 'capability_unavailable', retryable: true } };
const ENVIRONMENTS = ['testnet', 'mainnet'] as const;

describe.each(ENVIRONMENTS)('trading on %s', (environment) => {
  let directory: ReturnType<typeof temporaryDirectory>;
  let venue: TestVenue;
  beforeEach(async () => {
    directory = temporaryDirectory();
    const { prices } = readConfig(['--environment', environment]) as Exclude<ReturnType<typeof readConfig>, 'help'>;
    venue = await startTestVenue(testConfig(directory.path, { environment, prices }));
  });
  afterEach(async () => {
    await venue.stop();
    directory.remove();
    expect(venue.internalErrors).toEqual([]);
  });

  test('is closed until the operator opens it, and then takes the same request', async () => {
    const operate = (line: string) => runOperatorCommand([...line.split(' '), '--data-dir', directory.path, '--json']);
    const { accountId, apiKey } = JSON.parse(await operate('account create --label bot --credit 10000'));
    const order = {
      marketId: 'BTC-USD-PERP',
      clientOrderId: 'first',
      side: 'buy',
      orderType: 'limit',
      quantity: '0.01',
      price: '20000',
    };
    const place = () =>
      callerWith(apiKey)(venue, '/v1/orders', {
        method: 'POST',
        headers: { 'idempotency-key': 'same' },
        body: JSON.stringify({ ...order, accountId }),
      });
    expect(await place()).toMatchObject(CLOSED);
    await operate('venue capability trading on');
    const opened = await place();
    if (environment === 'testnet') expect(opened).toMatchObject({ status: 202, body: { status: 'open' } });
    else expect(opened).toMatchObject({ status: 503, body: { code: expect.stringMatching(/^(?:mark_price|index)_/) } });
  });
});

describe.each(ENVIRONMENTS)('funding on %s', (environment) => {
  let venue: VenueInThreads;
  let owner: Bot;
  beforeEach(async () => {
    venue = await startInThreads(environment);
    owner = await venue.signIn(await venue.bot());
  });
  afterEach(async () => {
    expect(venue.internalErrors).toEqual([]);
    await venue.close();
  });

  test('is closed until the operator opens it, and then names the missing ledger', async () => {
    const { accountId } = owner;
    const { partyId: destination } = (await venue.call('getParty', { bot: owner, params: { accountId } })).body;
    const withdrawal = { accountId, asset: 'USD.E', amount: '10', destination };
    const requests = {
      prepareDeposit: { params: { accountId }, body: { fundingIntentId: 'intent-1' } },
      confirmDeposit: { params: { accountId }, body: { action: 'initiate', depositId: 'dep-1' } },
      requestWithdrawal: { idempotencyKey: 'same', body: withdrawal },
    } as const;
    const responses = async () => {
      const answered = Object.entries(requests).map(([id, request]) =>
        venue.call(id as keyof typeof requests, { bot: owner, ...request }),
      );
      return (await Promise.all(answered)).map(({ status, body }) => ({ status, body }));
    };
    const closed = { ...CLOSED, body: { ...CLOSED.body, agentRefusal: 'account_transfer_unavailable' } };
    expect(await responses()).toMatchObject([closed, closed, closed]);
    for (const capability of ['deposits', 'withdrawals', 'transfers'] as const)
      await venue.operate({ type: 'SetCapability', capability, isOn: true }, 'CapabilitySet');
    const missing = { status: 503, body: { code: 'dependency_unavailable', dependency: 'external_ledger', retryable: true } };
    expect(await responses()).toMatchObject([missing, missing, missing]);
    expect((await venue.call('startParty', { bot: owner, params: { accountId } })).body).toMatchObject(missing.body);
    const account = await venue.call('getAccount', { bot: owner, params: { accountId } });
    expect(account.body).toMatchObject({ cashBalance: '100000' });
  });
});
