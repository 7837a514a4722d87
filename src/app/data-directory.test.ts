/** Files beside the journal may be damaged: a start repairs them and logs it, or reports in one line what to do. */

import { execFileSync } from 'node:child_process';
import fs, {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startFaultLine } from '#cli/foreseen-faults.ts';
import { inDirectory } from '#host/start-fault.ts';
import { systemTime } from '#time/system-time.ts';
import { lockDirectory } from '#writer/journal/directory-lock.ts';
import { startBuiltInMarketMakers } from './built-in-market-makers.ts';
import { hasJournal, refuseMissingJournal } from './data-directory.ts';
import { openDemoAccount } from './demo-account.ts';
import { SecretFile } from './secret-file.ts';
import { startTestVenue, type TestVenue, temporaryDirectory, testConfig } from './testing/test-venue.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let path: string;
let lines: string[];
const log = (line: string) => lines.push(line);
beforeEach(() => {
  directory = temporaryDirectory();
  path = directory.path;
  lines = [];
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  directory.remove();
});

/** Records file operations in order, with full names. */
function watchFiles(): string[] {
  const calls: string[] = [];
  const opened = new Map<number, unknown>();
  const real = { ...fs };
  vi.spyOn(fs, 'openSync').mockImplementation((...args) => {
    const handle = real.openSync(...args);
    opened.set(handle, args[0]);
    return handle;
  });
  vi.spyOn(fs, 'fsyncSync').mockImplementation((handle) => {
    calls.push(`sync ${opened.get(handle)}`);
    real.fsyncSync(handle);
  });
  vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
    calls.push(`rename ${from} ${to}`);
    real.renameSync(from, to);
  });
  vi.spyOn(fs, 'mkdirSync').mockImplementation(((created: string, options: object) => {
    calls.push(`mkdir ${created}`);
    return real.mkdirSync(created, options);
  }) as typeof fs.mkdirSync);
  syncBuiltinESMExports();
  return calls;
}

test('makes a new data directory and its new parents durable', () => {
  const calls = watchFiles();
  lockDirectory(join(path, 'a', 'b')).release();
  expect(calls).toEqual([`mkdir ${path}/a`, `sync ${path}`, `mkdir ${path}/a/b`, `sync ${path}/a`]);
});

test('syncs a file with keys before the rename and its directory after, despite leftovers of an earlier try', () => {
  const file = join(path, 'demo.env');
  writeFileSync(`${file}.new`, 'KEY');
  const calls = watchFiles();
  new SecretFile(file).replace('KEY=1\n');
  expect(calls).toEqual([`sync ${file}.new`, `rename ${file}.new ${file}`, `sync ${path}`]);
  expect(readFileSync(file, 'utf8')).toBe('KEY=1\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('writes a file with keys although its temporary name is in use', () => {
  const file = join(path, 'demo.env');
  mkdirSync(`${file}.new`);
  symlinkSync(join(path, 'own'), `${file}.new-2`);
  new SecretFile(file).replace('KEY=1\n');
  expect(readdirSync(path).sort()).toEqual(['demo.env', 'demo.env.new', 'demo.env.new-2']);
});

describe('of a venue', () => {
  let used: ReturnType<typeof temporaryDirectory>;
  let venue: TestVenue;
  /** Restarts the venue. */
  let again: TestVenue;
  beforeAll(async () => {
    used = temporaryDirectory();
    venue = await startTestVenue(testConfig(used.path));
    again = { ...venue, recovered: { ...venue.recovered, sequence: venue.directory.sequence() } };
  });
  afterAll(async () => {
    await venue.stop();
    used.remove();
  });

  type Damage = (file: string, text: string) => void;
  const replacedByDirectory: Damage = (file) => {
    rmSync(file);
    mkdirSync(file);
  };
  const damages: [name: string, damage: Damage, problem: string, isAside: boolean][] = [
    ['is missing', (file) => rmSync(file), 'is missing', false],
    ['is empty', (file) => writeFileSync(file, ''), 'is empty', true],
    ['is garbled', (file) => writeFileSync(file, Buffer.alloc(300, 0xa5)), 'has no line OPENPERP_APIKEY=…', true],
    [
      'has another letter in its key',
      (file, text) => writeFileSync(file, text.replace(/(OPENPERP_APIKEY=.{30})./, '$1*')),
      'has a key that this venue does not accept',
      true,
    ],
    ['is a directory', replacedByDirectory, 'cannot be read (EISDIR)', true],
  ];

  test.each(damages)(
    'when the file of the demo account %s: logs what to do, keeps the old file, creates a new account',
    async (_, damage, problem, isQuarantined) => {
      const before = await openDemoAccount(venue, path, log);
      expect(lines).toEqual([]);
      const text = readFileSync(before.file, 'utf8');
      damage(before.file, text);
      const demo = await openDemoAccount(again, path, log);
      expect(lines).toEqual([expect.stringContaining(`demo.env ${problem}: a new demo account is created`)]);
      expect(lines[0]).toContain('restore its demo.env from a backup, and start again');
      expect(existsSync(`${before.file}.aside-1`)).toBe(isQuarantined);
      expect(demo.accountId).not.toBe(before.accountId);
      expect(venue.accountOf(demo.newApiKey!)).toBe(demo.accountId);
      expect(venue.accountOf(before.newApiKey!)).toBe(before.accountId);
      expect(await openDemoAccount(again, path, log)).toMatchObject({ accountId: demo.accountId });
      expect(lines).toHaveLength(1);
    },
  );

  test('repairs the file of the demo account silently if its key is valid', async () => {
    const { newApiKey, accountId, file } = await openDemoAccount(venue, path, log);
    writeFileSync(file, `\0\0\nOPENPERP_APIKEY=${newApiKey}\nOPENPERP_ACCOUNT_ID=acct-999\n`);
    expect(await openDemoAccount(again, path, log)).toMatchObject({ accountId, newApiKey: undefined });
    expect(readFileSync(file, 'utf8')).toContain(`OPENPERP_ACCOUNT_ID=${accountId}\n`);
    expect(lines).toEqual([]);
  });

  test('repairs the file of the market makers if its keys are valid, else replaces it and logs what to do', async () => {
    const open = async (by: TestVenue) => {
      await using resources = new AsyncDisposableStack();
      const parts = { ...systemTime, log, reportInternalError: () => {} };
      await startBuiltInMarketMakers(by, { dataDirectory: path, seed: 1 }, parts, resources);
    };
    const file = join(path, 'house.json');
    await open(venue);
    const before = readFileSync(file, 'utf8');
    writeFileSync(file, before.replace(/acct-\d+/, 'acct-999'));
    await open(again);
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(lines).toEqual([]);
    const count = JSON.parse(before).length;
    writeFileSync(file, before.slice(0, 200));
    await open(again);
    expect(lines).toEqual([
      expect.stringMatching(
        new RegExp(
          `^house\\.json does not have all accounts .+: ${count} accounts are created again .+house\\.json\\.aside-2\\).+cancel`,
        ),
      ),
    ]);
  });
});

describe('a directory without a journal', () => {
  const refusal = () => {
    try {
      refuseMissingJournal(path);
      return undefined;
    } catch (fault) {
      return startFaultLine(fault);
    }
  };

  test('is accepted for a new venue, unless a venue ran there before', () => {
    expect(hasJournal(path)).toBe(false);
    expect(refusal()).toBeUndefined();
    mkdirSync(join(path, 'journal'));
    writeFileSync(join(path, 'journal', 'segment-1.unfinished'), '');
    expect(hasJournal(path)).toBe(false);
    writeFileSync(join(path, 'demo.env'), 'OPENPERP_APIKEY=x\n');
    expect(refusal()).toMatch(
      / has demo\.env of a venue, but no journal: restore journal\/ from a backup, .+ Nothing was changed$/,
    );
    writeFileSync(join(path, 'projection.sqlite'), 'damaged');
    expect(refusal()).toMatch(/ has demo\.env and projection\.sqlite of a venue/);
  });

  test('is refused by a start, which leaves it unchanged', async () => {
    writeFileSync(join(path, 'demo.env'), 'OPENPERP_APIKEY=x\n');
    const fault = await startTestVenue(testConfig(path)).catch((error: unknown) => error);
    expect(startFaultLine(fault)).toMatch(/but no journal/);
    expect(readdirSync(path)).toEqual(['demo.env']);
  });
});

describe('the lock', () => {
  const file = () => join(path, 'lock');

  test('replaces an empty directory in its place, and refuses a directory with files', () => {
    mkdirSync(join(file(), 'own'), { recursive: true });
    expect(() => lockDirectory(path, log)).toThrow(/lock is a directory, .+: move it away and start again$/);
    rmSync(join(file(), 'own'), { recursive: true });
    lockDirectory(path, log).release();
    expect(lines).toEqual([expect.stringMatching(/^lock: .+ was an empty directory and is a file again$/)]);
    expect(dirname(file())).toBe(path);
  });

  test.each([
    ['a link that leads to itself', 'a link that leads to no file', () => symlinkSync('lock', file())],
    ['a link that leads nowhere', 'a link that leads to no file', () => symlinkSync('nowhere', file())],
    ['a pipe', 'a pipe', () => execFileSync('mkfifo', [file()])],
  ])('is refused in one line when it is %s', (_, kind, put) => {
    put();
    expect(() => lockDirectory(path, log)).toThrow(`${file()} is ${kind}, where a file is locked: move it away and start again`);
    expect(readdirSync(path)).toEqual(['lock']);
    expect(lines).toEqual([]);
  });

  test('works through a link to a file', () => {
    writeFileSync(join(path, 'elsewhere'), '');
    symlinkSync('elsewhere', file());
    const lock = lockDirectory(path, log);
    expect(() => lockDirectory(path, log)).toThrow('another process uses the data directory');
    lock.release();
  });

  test('is refused through a link to a file with other content, which stays unchanged', () => {
    const text = 'notes of another program\n'.repeat(100);
    writeFileSync(join(path, 'elsewhere'), text);
    symlinkSync('elsewhere', file());
    expect(() => lockDirectory(path, log)).toThrow(
      `${file()} is a link to a file that has other content: remove the link, and start again`,
    );
    expect(fs.readFileSync(join(path, 'elsewhere'), 'utf8')).toBe(text);
    expect(lines).toEqual([]);
  });

  /** As the system responds to other users, and to every user for an immutable file. */
  const denyWriting = (denied: string, code: string) => {
    const real = fs.accessSync;
    vi.spyOn(fs, 'accessSync').mockImplementation((checkedPath, mode) => {
      if (checkedPath === denied)
        throw Object.assign(new Error(`${code}: denied, access '${denied}'`), { code, syscall: 'access' });
      real(checkedPath, mode);
    });
    syncBuiltinESMExports();
  };

  test('is made writable, since SQLite cannot lock a read-only file', () => {
    writeFileSync(file(), '');
    chmodSync(file(), 0o400);
    denyWriting(file(), 'EACCES');
    lockDirectory(path, log).release();
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(lines).toEqual([`lock: ${file()} could not be written and can be again`]);
  });

  test('is refused through a link to a file that cannot be written, whose permissions stay unchanged', () => {
    const elsewhere = join(path, 'elsewhere');
    writeFileSync(elsewhere, '');
    chmodSync(elsewhere, 0o444);
    symlinkSync('elsewhere', file());
    denyWriting(file(), 'EACCES');
    expect(() => lockDirectory(path, log)).toThrow(
      `${file()} is a link to a file that cannot be written: make that file writable, and start again`,
    );
    expect(statSync(elsewhere).mode & 0o777).toBe(0o444);
  });

  test('is refused when it cannot be made writable, as is a directory that cannot be written', async () => {
    writeFileSync(file(), '');
    denyWriting(file(), 'EPERM');
    vi.spyOn(fs, 'chmodSync').mockImplementation(() => {
      throw Object.assign(new Error(`EPERM: denied, chmod '${file()}'`), { code: 'EPERM', syscall: 'chmod' });
    });
    syncBuiltinESMExports();
    await expect(inDirectory(path, () => lockDirectory(path, log))).rejects.toThrow(
      /cannot be used: EPERM: denied, chmod '.+lock': give .+ \(chown -R\), make it writable/,
    );
    denyWriting(path, 'EROFS');
    await expect(inDirectory(path, () => lockDirectory(path, log))).rejects.toThrow(/EROFS.+: make that file .+ writable/);
  });

  test('is repaired when its content is damaged, and stays locked by the same process', () => {
    writeFileSync(file(), Buffer.alloc(5_000, 0x5a));
    const lock = lockDirectory(path, log);
    expect(lines).toEqual([expect.stringMatching(/^lock: .+ was damaged and is repaired/)]);
    expect(() => lockDirectory(path, log)).toThrow('another process uses the data directory');
    lock.release();
  });
});

describe('a start', () => {
  const put = (name: string, make: (file: string) => void) => {
    mkdirSync(join(path, 'journal'), { recursive: true });
    make(join(path, 'journal', name));
  };
  const pipe = (file: string) => execFileSync('mkfifo', [file]);
  const OF_FILE = 'move what lies in the place of that file away';

  test.each([
    ['archive', 'a file', (file: string) => writeFileSync(file, ''), /ENOTDIR.+\/archive': a directory belongs there: move/],
    ['archive', 'a link to itself', (file: string) => symlinkSync('archive', file), /ELOOP.+\/archive': a symbolic link there/],
    ['journal.anchor', 'a directory', mkdirSync, /^journal\.anchor, .+ is damaged: .+move journal\.anchor away/],
    ['journal.anchor', 'a pipe', pipe, /^journal\.anchor, .+ is damaged: .+move journal\.anchor away/],
    ['journal.cut', 'a directory', mkdirSync, new RegExp(`EISDIR.+/journal\\.cut': ${OF_FILE}`)],
    ['segment-00000001.journal', 'a directory', mkdirSync, new RegExp(`EISDIR.+/segment-00000001\\.journal': ${OF_FILE}`)],
    ['segment-00000001.journal', 'a pipe', pipe, new RegExp(`EFTYPE.+/segment-00000001\\.journal': ${OF_FILE}`)],
  ])('says in one line what to do when journal/%s is %s, and leaves it there', async (name, _, make, line) => {
    put(name, make);
    const fault = await startTestVenue(testConfig(path)).catch((error: unknown) => error);
    expect(startFaultLine(fault)).toMatch(line);
    expect(startFaultLine(fault)).not.toContain('\n');
    expect(readdirSync(join(path, 'journal'))).toEqual([name]);
  });

  test.each([
    ['itself', 'journal', /ELOOP.+\/journal': a symbolic link there leads back to itself: remove it/],
    ['a disk that is not mounted', '/nowhere/journal', /ENOENT.+\/journal': a link .+ leads nowhere: put back what it leads to/],
  ])('says in one line what to do when journal/ is a link to %s, and does not report a lost journal', async (_, to, line) => {
    writeFileSync(join(path, 'demo.env'), 'OPENPERP_APIKEY=x\n');
    symlinkSync(to, join(path, 'journal'));
    const fault = await startTestVenue(testConfig(path)).catch((error: unknown) => error);
    expect(startFaultLine(fault)).toMatch(line);
  });
});
