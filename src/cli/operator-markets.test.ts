/** The operator's commands that list, create and update markets, on a running venue. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '#app/testing/test-venue.ts';
import { operatedVenue } from './testing/operated-venue.ts';

const operated = operatedVenue();
const { run, data, get } = operated;

describe('market create', () => {
  test('lists any symbol with terms from its price, and trades it at once', async () => {
    const created = await data('market create DOGE-USD-PERP 0.15 --set maxLeverageX=10,initialMarginBps=1000');
    expect(created).toMatchObject({
      marketId: 'DOGE-USD-PERP',
      priceScale: 5,
      maxLeverageX: 10,
      status: 'open',
      index: 'generated',
    });
    const { apiKey, accountId } = await data('account create --credit 1000');
    await expect.poll(() => indexOf('DOGE-USD-PERP', apiKey!), { timeout: 10_000 }).toMatch(/^0\.1/);
    const { body } = await get('/v1/markets/DOGE-USD-PERP', apiKey!);
    expect(body.market).toMatchObject({ maxLeverageX: 10, baseAsset: 'DOGE' });
    const order = { marketId: 'DOGE-USD-PERP', clientOrderId: 'o', side: 'buy', quantity: '100', price: '0.14' };
    expect((await operated.place({ accountId: accountId!, apiKey: apiKey! }, order)).status).toBe(202);
    await expect(run('market create DOGE-USD-PERP 0.15')).rejects.toMatchObject({ code: 'market_exists' });
  });

  test('names the rule that the terms break, and what to correct', async () => {
    await expect(run('market create ADA-USD-PERP 0.45 --set markBandBps=51')).rejects.toMatchObject({
      code: 'market_invalid',
      message:
        'markBandBps may be at most a fifth of the first maintenance tier: correct it with --set <field>=<value> or in the file',
    });
    await expect(run('market create ada 0.45')).rejects.toMatchObject({ code: 'market_invalid', message: /form BTC-USD-PERP/ });
    await expect(run('market create PEPE-USD-PERP 0.00001')).rejects.toMatchObject({ message: /as in 1000PEPE-USD-PERP/ });
    await expect(run('market create ADA-USD-PERP dear')).rejects.toThrow(/^<price> dear must be/);
    await expect(run('market create ADA-USD-PERP 1 --set leverage=5')).rejects.toThrow(
      '--set leverage: a specification has no such field; see market list --json',
    );
    await expect(run('market create ADA-USD-PERP 1 --set leverage')).rejects.toThrow(/expected <field>=<value>/);
    await expect(run('market create ADA-USD-PERP 1 --set maxLeverageX=many')).rejects.toThrow(/^--set maxLeverageX /);
  });
});

describe('market update', () => {
  test('changes fields of a file and of --set', async () => {
    const { path, remove } = temporaryDirectory();
    const file = join(path, 'terms.json');
    writeFileSync(
      file,
      JSON.stringify({ makerFeeBps: 1, maintenanceMarginTiers: [{ notionalThresholdAtoms: 0, maintenanceMarginBps: 260 }] }),
    );
    const updated = await data(`market update SOL-USD-PERP --file ${file} --set priceBandBps=2000`);
    remove();
    expect(updated).toMatchObject({ marketId: 'SOL-USD-PERP', makerFeeBps: 1, priceBandBps: 2_000 });
    const { apiKey } = await data('account create');
    expect((await get('/v1/markets/SOL-USD-PERP', apiKey!)).body.market).toMatchObject({
      makerFeeBps: 1,
      maintenanceMarginTiers: [{ maintenanceMarginBps: 260 }],
    });
    expect(await run('market list')).toMatch(/\n {2}SOL-USD-PERP +20 +500 +260 +1 +5 +50 +kept/);
  });

  test('says what is fixed, what is missing, and how many positions prevent it', async () => {
    const fixed = await run('market update SOL-USD-PERP --set maxPriceAtoms=5').catch((error: Error) => error.message);
    expect(fixed).toBe('maxPriceAtoms is fixed by the listing: list another market instead');
    await expect(run('market update XYZ-USD-PERP --set makerFeeBps=1')).rejects.toMatchObject({ code: 'market_not_found' });
    await expect(run('market update SOL-USD-PERP --file /nowhere.json')).rejects.toThrow(/^--file \/nowhere.json: ENOENT/);
    const [buyer, seller] = [await data('account create --credit 10000'), await data('account create --credit 10000')];
    const { body } = await get('/v1/markets/ETH-USD-PERP/stats', buyer.apiKey!);
    const price = Number(body.indexPrice).toFixed(2);
    const order = (side: string) => ({
      marketId: 'ETH-USD-PERP',
      clientOrderId: side,
      side,
      quantity: '3',
      price,
      leverageX: 50,
    });
    for (const [owner, side] of [
      [seller, 'sell'],
      [buyer, 'buy'],
    ] as const)
      expect(await (await operated.place(owner as never, order(side) as never)).json()).toMatchObject({
        orderType: 'limit',
      });
    await expect(run('market update ETH-USD-PERP --set initialMarginBps=1000,maxLeverageX=10 --file nothing')).rejects.toThrow(
      /--file/,
    );
    const { path, remove } = temporaryDirectory();
    const file = join(path, 'tiers.json');
    writeFileSync(file, JSON.stringify({ maintenanceMarginTiers: [{ notionalThresholdAtoms: 0, maintenanceMarginBps: 900 }] }));
    await expect(
      run(`market update ETH-USD-PERP --file ${file} --set initialMarginBps=1000,maxLeverageX=10`),
    ).rejects.toMatchObject({ code: 'market_busy', message: /^[12] positions? in ETH-USD-PERP would fall below maintenance/ });
    remove();
  });
});

async function indexOf(marketId: string, apiKey: string): Promise<string> {
  return String((await get(`/v1/markets/${marketId}/stats`, apiKey)).body.indexPrice);
}
