/** The operator's commands for markets, the insurance fund and the switches, on a running venue. */
import { describe, expect, test } from 'vitest';
import { operatedVenue } from './testing/operated-venue.ts';

const operated = operatedVenue();
const { run, data, get } = operated;

describe('the operator’s commands for markets and the venue', () => {
  test('retire an account, change a market’s status, show the venue’s', async () => {
    const { accountId } = await data('account create');
    expect(await run(`account retire ${accountId}`)).toBe(`accountId  ${accountId}\nstatus     retired`);
    expect(await run('market status SOL-USD-PERP cancel_only')).toBe('marketId  SOL-USD-PERP\nstatus    cancel_only');
    const status = await data('venue status');
    expect(status).toMatchObject({
      url: operated.venue.url,
      realtimeUrl: operated.venue.realtimeUrl,
      isReady: true,
      prices: operated.venue.prices,
    });
    expect(status).toMatchObject({ snapshotSequence: 0 });
    expect(JSON.stringify(status.markets)).toContain('"marketId":"SOL-USD-PERP","status":"cancel_only"');
    expect(await run('venue status')).toMatch(
      /\nmarkets\n {2}marketId +status +indexStatus +indexPrice +markPrice +openInterest\n {2}BTC-USD-PERP +open /,
    );
    expect(await run('venue status')).toMatch(/\nexternalLedger\n {2}\w+ .*\n {2}\w+ /);
    expect(status.deployments).toEqual({ running: 0, pending: 0, behind: 0, lagMs: 0 });
    expect(await run('venue status')).toMatch(/\ndeployments\n {2}running +pending +behind +lagMs\n {2}0 +0 +0 +0\n/);
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
    const order = { marketId: 'ETH-USD-PERP', clientOrderId: 'o', side: 'buy', quantity: '0.1', price };
    const placed = await operated.place({ accountId: accountId!, apiKey: apiKey! }, order);
    const { orderId } = (await placed.json()) as { orderId: string };
    await status('cancel_only');
    await expect(status('closed')).rejects.toMatchObject({
      code: 'market_busy',
      message: expect.stringMatching(/still has open orders/),
    });
    await fetch(`${operated.venue.url}/v1/orders/${orderId}/cancel`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}` },
    });
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
});

describe('the operator’s switches, on a running venue', () => {
  const ready = async () => {
    const response = await fetch(`${operated.venue.url}/ready`);
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
