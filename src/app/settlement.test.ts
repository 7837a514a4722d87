/** The external ledger of a running venue: where it is, what is reported of it, and what a lost one stops. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { callOperator } from '#operator/client.ts';
import { eventually } from '#time/testing/eventually.ts';
import { registration, setupCommand } from '#venue/owner/testing/owners.ts';
import { startTestVenue, type TestVenue, temporaryDirectory, testConfig } from './testing/test-venue.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let venue: TestVenue;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(async () => {
  await venue.stop();
  directory.remove();
});

interface StatusReport {
  readonly externalLedger?: { readonly isCompared: boolean; readonly difference: string | null };
}
const status = async () => (await callOperator(directory.path, { action: 'venue.status' })) as StatusReport;
const ready = async () => (await fetch(`${venue.url}/ready`)).json() as Promise<{ degraded: string[]; capabilities: object }>;
const metrics = async () => (await fetch(venue.metricsUrl!)).text();

test('keeps a local ledger in the data directory and compares it at each start', async () => {
  venue = await startTestVenue(testConfig(directory.path));
  await eventually(async () => expect(await status()).toMatchObject({ externalLedger: { isUp: true, isCompared: true } }));
  expect(existsSync(join(directory.path, 'ledger'))).toBe(true);
  const bound = venue.owners.ledger();
  await venue.stop();
  venue = await startTestVenue(testConfig(directory.path));
  await eventually(async () => expect((await status()).externalLedger).toMatchObject({ isCompared: true, difference: null }));
  expect(venue.owners.ledger()).toEqual(bound);
  expect(await metrics()).toContain('openperp_external_ledger_up 1');
  const none = { stuck: 0, depositsToRetired: 0, depositsBeyondBound: 0 };
  expect((await status()).externalLedger).toMatchObject(none);
  for (const name of ['external_ledger_stuck_items', 'deposits_to_retired_total', 'deposits_beyond_bound_total'])
    expect(await metrics()).toContain(`openperp_${name} 0`);
  expect(venue.internalErrors).toEqual([]);
});

test('halts transfers, not trading, if the ledger was lost, and reports it', async () => {
  venue = await startTestVenue(testConfig(directory.path));
  await eventually(async () => expect((await status()).externalLedger?.isCompared).toBe(true));
  await venue.stop();
  rmSync(join(directory.path, 'ledger'), { recursive: true });
  venue = await startTestVenue(testConfig(directory.path));
  await eventually(async () => expect((await ready()).capabilities).toMatchObject({ transfers: false, trading: true }));
  expect((await ready()).degraded).toContainEqual(expect.stringContaining('external_ledger_differs'));
  expect((await status()).externalLedger?.difference).toMatch(/the journal belongs to the ledger \w+, and this one is \w+/);
  expect(await metrics()).toContain('openperp_external_ledger_difference 1');
  expect(venue.lines.filter((line) => line.includes('transfers are halted'))).toHaveLength(1);
});

test('reports a full ledger, and goes on when it has room', async () => {
  venue = await startTestVenue(testConfig(directory.path, { maxLedgerLogBytes: 1 }));
  const { events } = await venue.submit({ command: registration(1) });
  const { account } = events.find((event) => event.type === 'OwnerRegistered')!;
  await venue.submit({ command: setupCommand('start', account) });
  await eventually(async () => expect((await status()).externalLedger).toMatchObject({ isUp: true, isBusy: true, pending: 0 }));
  expect((await ready()).degraded).toContainEqual(expect.stringContaining('external_ledger_busy'));
  expect(await metrics()).toContain('openperp_external_ledger_busy 1');
  expect(venue.lines.filter((line) => line.includes('start the venue with a higher --ledger-log-mib'))).toHaveLength(1);
  expect(venue.owners.owner(account)?.party.status).toBe('allocating');
  await venue.stop();
  venue = await startTestVenue(testConfig(directory.path));
  await eventually(() => expect(venue.owners.owner(account)?.party.status).toBe('allocated'));
  expect(await status()).toMatchObject({ externalLedger: { isBusy: false } });
  expect((await ready()).degraded).not.toContainEqual(expect.stringContaining('external_ledger'));
  expect(venue.internalErrors).toEqual([]);
});

test('has no ledger on testnet', async () => {
  venue = await startTestVenue(testConfig(directory.path, { environment: 'testnet' }));
  expect(await status()).not.toHaveProperty('externalLedger');
  expect(existsSync(join(directory.path, 'ledger'))).toBe(false);
});
