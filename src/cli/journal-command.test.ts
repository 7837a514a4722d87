/** The output of the journal commands for the journal of a real venue, running and stopped. */
import { hash } from 'node:crypto';
import { copyFile, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestVenue, type TestVenue, temporaryDirectory, testConfig } from '#app/testing/test-venue.ts';
import { startFaultLine } from './foreseen-faults.ts';
import { JOURNAL_HELP, runJournalCommand } from './journal-command.ts';
import { HELP } from './operator-commands.ts';

const { path: dataDirectory, remove } = temporaryDirectory();
let venue: TestVenue;
let accountId: string;
beforeAll(async () => {
  venue = await startTestVenue(testConfig(dataDirectory));
  const created = await venue.createAccount({ credit: '2500.5', label: 'books' });
  accountId = created.accountId;
  const response = await fetch(`${venue.url}/v1/orders`, {
    method: 'POST',
    headers: { authorization: `Bearer ${created.apiKey}`, 'content-type': 'application/json', 'idempotency-key': 'one' },
    body: JSON.stringify({
      accountId,
      marketId: 'SOL-USD-PERP',
      clientOrderId: 'one',
      side: 'buy',
      orderType: 'limit',
      price: (Number(await markPrice()) * 0.97).toFixed(2),
      quantity: '1',
    }),
  });
  expect(response.status).toBe(202);
});
afterAll(remove);

async function markPrice(): Promise<string> {
  const response = await fetch(`${venue.url}/v1/markets/SOL-USD-PERP/stats`);
  return ((await response.json()) as { markPrice: string }).markPrice;
}

const run = (line: string) => runJournalCommand([...line.split(' '), '--data-dir', dataDirectory]);
const data = async (line: string) => JSON.parse((await run(`${line} --json`)).text);

async function faultOf(line: string): Promise<string> {
  const fault = await run(line).catch((error: unknown) => error);
  const text = startFaultLine(fault);
  if (text === undefined) throw new Error('no expected fault', { cause: fault });
  expect(text).not.toContain('\n');
  return text;
}

describe('while the venue runs', () => {
  test('verifies its journal up to some record', async () => {
    const before = venue.directory.sequence();
    const { text, status } = await run('verify');
    expect(status).toBe(0);
    expect(text).toMatch(/^The journal is complete: each record is as it was written\.\n/);
    expect((await data('verify')).sequence).toBeGreaterThanOrEqual(before);
  });

  test('refuses to upgrade its journal', async () => {
    expect(await faultOf('upgrade')).toMatch(/^another process uses the data directory/);
  });
});

describe('when the venue has stopped', () => {
  beforeAll(async () => {
    await venue.stop();
  });

  test('verifies its journal and its snapshot', async () => {
    const found = await data('verify');
    expect(found).toMatchObject({ afterSequence: 0, recordCount: found.sequence });
    expect(found.snapshots).toMatchObject([{ sequence: found.sequence, state: 'sound' }]);
    expect((await run('verify')).text).toContain(`1 to ${found.sequence}, in ${found.groupCount} groups`);
  });

  test('lists every posting of an account’s cash with its cause', async () => {
    const moves = await data(`inspect --account ${accountId} --why cash`);
    expect(moves).toMatchObject([{ kind: 'deposit', amountAtoms: 2_500_500_000, command: 'CreditCash', isUnexplained: false }]);
    const { text } = await run(`inspect --account ${accountId} --why cash`);
    expect(text).toMatch(
      /\n +[0-9]+ {2}[0-9-]{10} [0-9:.]{12} {2}deposit +2500\.5 +2500\.5 {2}CreditCash of acct-[0-9]+, reference .*, ids (?:\S+ )?deposit-[0-9]+\n/,
    );
    expect(text).toContain(`the cash of ${accountId} is 2500.5 USD.E.`);
  });

  test('shows records around a sequence and of an account', async () => {
    // The markets are listed while the ledger is bound and guarded.
    const { text } = await run('inspect --sequence 3 --around 2');
    expect(text.match(/^record [0-9]+/gm)).toEqual(['record 1', 'record 2', 'record 3', 'record 4', 'record 5']);
    expect(text).toMatch(/^ {2}ListMarket {2}/m);
    const mine = await data(`inspect --account ${accountId}`);
    const commands = mine.map(({ command }: { command: { type: string } }) => command.type);
    expect(commands).toEqual(['OpenAccount', 'CreditCash', 'IssueApiKey', 'PlaceOrder']);
    expect((await run('inspect --sequence 999999')).text).toBe('There is no such record.');
  });

  test('shows the digest of the bytes of each record', async () => {
    const mine: { segment: string; offset: number; digest: string }[] = await data(`inspect --account ${accountId}`);
    for (const { segment, offset, digest } of mine) {
      const bytes = await readFile(join(dataDirectory, 'journal', segment));
      const length = bytes.readUInt32LE(offset + 4);
      expect(digest).toBe(hash('sha256', bytes.subarray(offset, offset + length), 'hex'));
    }
    expect((await run(`inspect --account ${accountId}`)).text).toContain(`\n  sha256:${mine[0]!.digest}\n`);
  });

  test('replays the journal, and shows an account as of any record', async () => {
    const { sequence, recordCount } = await data('verify');
    const { text } = await run(`replay --account ${accountId}`);
    expect(text).toMatch(
      `${recordCount} commands were replayed from the start up to record ${sequence}: each produced the events`,
    );
    expect(text).toContain(`as saved  snapshot-${String(sequence).padStart(16, '0')}.state`);
    expect(text).toMatch(
      /cash {2}2500\.5 USD\.E, of which open orders reserve [0-9.]+\n\n {0,2}no position\n\n {2}order {2}market +side/,
    );
    const [placed] = (await data(`inspect --account ${accountId}`)).slice(-1);
    const before = await data(`replay --until ${placed.sequence - 1} --account ${accountId}`);
    expect(before).toMatchObject({ sequence: placed.sequence - 1, account: { cashAtoms: 2_500_500_000, openOrders: [] } });
    expect(await data('replay --from snapshot')).toMatchObject({ afterSequence: sequence, rerunCount: 0 });
  });

  test.each([
    ['dance', /^unknown command: journal dance; see/],
    ['verify --limit 3', /^journal verify has no option --limit; see/],
    ['inspect', /^journal inspect needs --sequence <n> or --account <id>; see/],
    ['inspect --account unknown', /^--account unknown: expected an account id/],
    [
      'inspect --account acct-1 --why luck',
      /^use --account <id> --why cash, margin or funding, or --why fees, deficit, insurance/,
    ],
    ['inspect --why margin', /^use --account <id> --why cash, margin or funding, or/],
    ['inspect --sequence 2 --why fees', /^use --why without --sequence; see/],
    ['inspect --account acct-1 --limit 0', /^--limit 0: expected an integer of at least 1; see/],
    ['inspect --sequence many', /^--sequence many: expected an integer/],
    ['replay --from nowhere', /^--from nowhere: expected start or snapshot/],
    ['replay --until 999999999', /there is no record 999999999$/],
    ['replay --account acct-999', /^there is no account acct-999 after record/],
    ['upgrade', /^the journal is of version [0-9]+ of the rules already: there is nothing to do$/],
    ['verify --colour red', /^Unknown option '--colour'; see/],
  ])('refuses "%s" in one line', async (line, message) => {
    expect(await faultOf(line)).toMatch(message);
  });

  test('names a flipped bit, and changes nothing', async () => {
    const name = (await readdir(join(dataDirectory, 'journal'))).filter((file) => file.endsWith('.journal')).sort()[0]!;
    const flip = async () => {
      const file = await open(join(dataDirectory, 'journal', name), 'r+');
      const byte = Buffer.alloc(1);
      await file.read(byte, 0, 1, 700);
      byte[0]! ^= 8;
      await file.write(byte, 0, 1, 700);
      await file.close();
    };
    await flip();
    expect(await faultOf('verify')).toMatch(new RegExp(`^the journal is damaged in ${name} at byte [0-9]+, record [0-9]+: `));
    await flip();
    expect((await run('verify')).status).toBe(0);
  });

  test('reports a projection ahead of the journal, and unknown segments in its archive', async () => {
    const file = join(dataDirectory, 'projection.sqlite');
    const move = (records: number) => {
      const database = new DatabaseSync(file);
      database.exec(`UPDATE checkpoint SET sequence = sequence + ${records}`);
      database.close();
    };
    const { sequence, projectionSequence } = await data('verify');
    expect(projectionSequence).toBe(sequence);
    move(3);
    const ahead = await run('verify');
    expect(ahead.status).toBe(1);
    expect(ahead.text).toContain(`${sequence + 3}: IT KNOWS RECORDS THAT THE JOURNAL LACKS`);
    move(-3);
    const archive = join(dataDirectory, 'journal', 'archive');
    const [name] = (await readdir(join(dataDirectory, 'journal'))).filter((it) => it.endsWith('.journal'));
    const hadArchive = await mkdir(archive, { recursive: true });
    await copyFile(join(dataDirectory, 'journal', name!), join(archive, name!));
    const stray = await run('verify');
    expect(stray.status).toBe(1);
    expect(stray.text).toContain(`THE ARCHIVE HAS UNKNOWN SEGMENTS: archive/${name}`);
    await rm(hadArchive ?? join(archive, name!), { recursive: true });
    expect((await run('verify')).status).toBe(0);
  });

  test('reads the projection without changing it, and exits with 0 if a start would rebuild it', async () => {
    const file = join(dataDirectory, 'projection.sqlite');
    const whole = await readFile(file);
    const names = await readdir(dataDirectory);
    await run('verify');
    expect(await readdir(dataDirectory)).toEqual(names);
    const database = new DatabaseSync(file);
    database.exec('UPDATE checkpoint SET sequence = sequence + 3');
    database.close();
    const ahead = await readFile(file);
    await writeFile(file, ahead.fill(0xff, ahead.length - 4_096));
    const { text, status } = await run('verify');
    expect(status).toBe(0);
    expect(text).toMatch(/^ {2}projection +damaged, or of another version: a start rebuilds it$/m);
    expect(await data('verify')).toMatchObject({ projectionUntold: 'unusable' });
    await writeFile(file, whole);
    await writeFile(`${file}-wal`, 'a log without its index');
    expect((await run('verify')).text).toMatch(/^ {2}projection +not read: it is being opened or closed now/m);
    expect(await data('verify')).toMatchObject({ projectionUntold: 'in_use' });
    await rm(`${file}-wal`);
  });

  test('lists the postings of a venue ledger, and of an account’s margin and funding', async () => {
    expect((await run('inspect --why deficit')).text).toBe('There was no posting: deficit.');
    expect((await run(`inspect --account ${accountId} --why margin`)).text).toBe(`There was no posting: margin of ${accountId}.`);
    expect(await data(`inspect --account ${accountId} --why fees`)).toEqual([]);
  });

  test('refuses a directory without a journal', async () => {
    await expect(runJournalCommand(['verify', '--data-dir', '/nowhere'])).rejects.toThrow(
      /^there is no journal in \/nowhere: name/,
    );
  });

  test('lists all commands in the help', async () => {
    expect((await runJournalCommand(['--help'])).text).toBe(JOURNAL_HELP);
    for (const command of ['verify', 'inspect', 'replay', 'upgrade']) expect(JOURNAL_HELP).toContain(`  journal ${command}`);
    expect(HELP).toContain('journal verify | inspect | replay | upgrade');
  });

  test.each([
    ['verify', []],
    ['inspect', ['sequence', 'around', 'account', 'why', 'limit']],
    ['replay', ['from', 'until', 'account']],
    ['upgrade', []],
  ])('%s has a help of its own', async (name, options) => {
    const { text } = await runJournalCommand([name, '--help', '--data-dir', '/nowhere']);
    expect(text).toMatch(new RegExp(`^Usage: npm run openperp -- journal ${name} \\[options\\]\n\n {2}journal ${name} `));
    for (const option of [...options, 'data-dir', 'json', 'help']) expect(text).toContain(` --${option} `);
    expect(text.match(/^ {2}journal /gm)).toHaveLength(1);
    await expect(runJournalCommand([`${name}s`, '--help'])).rejects.toThrow(/^unknown command: journal/);
  });
});
