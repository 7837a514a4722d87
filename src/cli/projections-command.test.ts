/** `projections rebuild`: the projection from the journal alone equals the venue's, row by row; a refusal changes nothing. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestVenue, temporaryDirectory, testConfig } from '#app/testing/test-venue.ts';
import { foldTo } from '#projection/testing/folded.ts';
import { archivedIn, archivedJournal } from '#writer/testing/archived-journal.ts';
import { startFaultLine } from './foreseen-faults.ts';
import { PROJECTIONS_HELP, type Rebuilt, runProjectionsCommand } from './projections-command.ts';

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

const file = () => join(directory.path, 'projection.sqlite');
const run = async (line: string, report: (line: string) => void = () => {}) =>
  runProjectionsCommand([...line.split(' ').filter((word) => word !== ''), '--data-dir', directory.path], report);
const rebuild = async () => JSON.parse(await run('rebuild --json')) as Rebuilt;

/** Every row of every table, including the checkpoint with its digests. */
function rows(): Readonly<Record<string, unknown[]>> {
  const database = new DatabaseSync(file(), { readOnly: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'file' ORDER BY name").all();
    return Object.fromEntries(tables.map(({ name }) => [name, database.prepare(`SELECT * FROM ${name}`).all()]));
  } finally {
    database.close();
  }
}

/** Runs a venue with two accounts that traded with each other, one of them on the leaderboard; stopped in order. */
async function tradedVenue(): Promise<void> {
  const venue = await startTestVenue(testConfig(directory.path));
  const [maker, taker] = [await venue.createAccount({ credit: '100000' }), await venue.createAccount({ credit: '100000' })];
  const call = async (method: string, path: string, apiKey: string, body?: object) => {
    const headers = {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': path.length + apiKey.slice(-8),
    };
    const response = await fetch(venue.url + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect(response.status, await response.clone().text()).toBeLessThan(300);
    return response.json();
  };
  const order = { marketId: 'BTC-USD-PERP', clientOrderId: 'a', orderType: 'market', side: 'buy', quantity: '0.01' };
  const { markPrice } = (await call('GET', '/v1/markets/BTC-USD-PERP/stats', maker.apiKey)) as { markPrice: string };
  const limit = {
    ...order,
    orderType: 'limit',
    side: 'sell',
    price: String(Math.ceil(Number(markPrice) * 1.001)),
    quantity: '0.05',
  };
  await call('POST', '/v1/orders', maker.apiKey, { accountId: maker.accountId, ...limit });
  await call('POST', '/v1/orders', taker.apiKey, { accountId: taker.accountId, ...order });
  await call('PUT', `/v1/accounts/${taker.accountId}/favorites/BTC-USD-PERP`, taker.apiKey);
  await call('PUT', `/v1/accounts/${taker.accountId}/leaderboard`, taker.apiKey, { shown: true, displayName: 'Zoë' });
  await venue.stop();
}

describe('projections rebuild', () => {
  test('produces every row and digest that the venue had, and the venue continues from there', async () => {
    await tradedVenue();
    const before = rows();
    expect(before.fills).toHaveLength(2);
    expect(before.leaderboardListings).toHaveLength(1);
    const rebuilt = await rebuild();
    expect(readdirSync(directory.path).filter((name) => name.startsWith('projection'))).toEqual([
      'projection.sqlite',
      'projection.sqlite-sums',
    ]);
    expect(rows()).toEqual(before);
    expect(before.checkpoint).toMatchObject([
      { sequence: rebuilt.sequence, chainDigest: rebuilt.chainDigest, registryDigest: rebuilt.registryDigest },
    ]);
    expect(rebuilt.isAsBefore).toBe(true);
    const again = await startTestVenue(testConfig(directory.path));
    expect(again.recovered.republishedCount).toBe(0);
    await again.stop();
  });

  test('replaces a changed, damaged or missing projection, even if an unfinished one is left over', async () => {
    await tradedVenue();
    const before = rows();
    const database = new DatabaseSync(file());
    database.exec('UPDATE accounts SET cashAtoms = cashAtoms + 1; DELETE FROM fills');
    database.close();
    expect(rows()).not.toEqual(before);
    await rebuild();
    expect(rows()).toEqual(before);

    writeFileSync(file(), 'no database');
    writeFileSync(`${file()}.unfinished`, 'of a run that was killed');
    expect((await rebuild()).isAsBefore).toBeUndefined();
    expect(rows()).toEqual(before);

    rmSync(file());
    expect(await run('rebuild')).toMatch(
      /^Folded all [1-9][0-9]* records of the journal\.\njournal digest {3}[0-9a-f]{64}\nmarket registry {2}sha256:/,
    );
    expect(rows()).toEqual(before);
  });

  test('names missing records that other files know, and changes nothing', async () => {
    await tradedVenue();
    const journal = join(directory.path, 'journal');
    const segments = readdirSync(journal).filter((name) => name.startsWith('segment-'));
    const copyPath = join(directory.path, 'kept');
    mkdirSync(copyPath);
    for (const name of segments) renameSync(join(journal, name), join(copyPath, name));
    const before = rows();
    const refusal = async () => startFaultLine(await run('rebuild').catch((thrown: unknown) => thrown));
    expect(await refusal()).toMatch(/^the journal ends with record 0, but a snapshot goes up to record [1-9][0-9]*: .* missing/);
    for (const name of readdirSync(journal)) if (name.endsWith('.state')) rmSync(join(journal, name));
    expect(await refusal()).toMatch(
      /^the journal ends with record 0, but projection\.sqlite goes up to record [1-9][0-9]*: .* missing/,
    );
    expect(rows()).toEqual(before);
    expect(existsSync(`${file()}.unfinished`)).toBe(false);
    for (const name of segments) renameSync(join(copyPath, name), join(journal, name));
    expect((await rebuild()).isAsBefore).toBe(true);
  });

  test('refuses beside a running venue, in one line that says what to do', async () => {
    const venue = await startTestVenue(testConfig(directory.path));
    const entry = new URL('../openperp.mjs', import.meta.url).pathname;
    const { status, stderr } = spawnSync(process.execPath, [entry, 'projections', 'rebuild', '--data-dir', directory.path], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^openperp: another process uses the data directory .*: stop it.*\n$/),
    ]);
    expect((await fetch(`${venue.url}/v1/markets`)).status).toBe(200);
    await venue.stop();
  });

  test('names unknown commands and options, and a missing journal', async () => {
    for (const line of ['', '--help', 'rebuild --help']) expect(await run(line)).toBe(PROJECTIONS_HELP);
    await expect(run('forget --help')).rejects.toThrow(/unknown command: projections forget/);
    await expect(run('rebuild')).rejects.toThrow(/there is no journal in/);
    await expect(run('forget')).rejects.toThrow(/unknown command: projections forget/);
    await expect(run('rebuild --fast')).rejects.toThrow(/--fast/);
  });
});

describe('projections rebuild of an archived journal', () => {
  let archived: readonly string[];
  beforeEach(async () => {
    const contents = await archivedJournal();
    archived = archivedIn(contents);
    // A toy ledger's snapshots, which no venue can read; its journal is like any other.
    for (const [name, bytes] of contents) {
      if (name.startsWith('snapshot')) continue;
      mkdirSync(dirname(inJournal(name)), { recursive: true });
      writeFileSync(inJournal(name), bytes);
    }
  });
  const inJournal = (name: string) => join(directory.path, 'journal', name);

  test('folds from the first record on when all segments are present', async () => {
    const lines: string[] = [];
    await run('rebuild', (line) => lines.push(line));
    expect(lines).toEqual([]);
    expect(rows().accounts!.length).toBeGreaterThan(0);
  });

  test.each(['the first segment', 'a part in the middle'])('requires %s if it was removed, and changes nothing', async (part) => {
    rmSync(inJournal(archived[part === 'the first segment' ? 0 : 1]!));
    foldTo(file(), 7);
    const before = readFileSync(file());
    const error = await run('rebuild').catch((thrown: unknown) => thrown);
    expect(startFaultLine(error)).toMatch(/not here, so the projection cannot be rebuilt from it: restore archive\/segment-.*/);
    expect(readFileSync(file())).toEqual(before);
    expect(existsSync(`${file()}.unfinished`)).toBe(false);
  });

  test('refuses an archive without the live segments, although no file knows more records', async () => {
    for (const name of readdirSync(inJournal('.'))) if (name.startsWith('segment-')) rmSync(inJournal(name));
    for (const name of archived) rmSync(inJournal(name));
    const error = await run('rebuild').catch((thrown: unknown) => thrown);
    expect(startFaultLine(error)).toMatch(/not here, so the projection cannot be rebuilt from it: restore archive\/segment-.*/);
    expect(existsSync(file())).toBe(false);
  });

  test('names damage, and keeps the old projection', async () => {
    const name = archived[0]!;
    const bytes = readFileSync(inJournal(name));
    bytes[30]! ^= 1;
    writeFileSync(inJournal(name), bytes);
    foldTo(file(), 7);
    const before = readFileSync(file());
    const error = await run('rebuild').catch((thrown: unknown) => thrown);
    expect(startFaultLine(error)).toMatch(/segment-00000001\.journal/);
    expect(readFileSync(file())).toEqual(before);
  });
});
