/** Output and exit status of the journal commands when a part of the archive or a snapshot is missing or damaged. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '#app/testing/test-venue.ts';
import { foldTo } from '#projection/testing/folded.ts';
import type { AccountOrdinal, Sequence } from '#units/ids.ts';
import type { EpochMs, QuoteAtoms } from '#units/money.ts';
import { archivedIn, archivedJournal } from '#writer/testing/archived-journal.ts';
import { startFaultLine } from './foreseen-faults.ts';
import { JOURNAL_HELP, runJournalCommand } from './journal-command.ts';
import { balanceMovesText } from './journal-text.ts';

const ACCOUNT = 1 as AccountOrdinal;

let contents: Map<string, Uint8Array>;
let archived: readonly string[];
let snapshots: readonly string[];
beforeAll(async () => {
  contents = await archivedJournal();
  archived = archivedIn(contents);
  snapshots = [...contents.keys()].filter((name) => name.startsWith('snapshot')).sort();
});

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
  for (const [name, bytes] of contents) {
    mkdirSync(dirname(inJournal(name)), { recursive: true });
    writeFileSync(inJournal(name), bytes);
  }
  readUpTo(100);
});
afterEach(() => directory.remove());

const inJournal = (name: string) => join(directory.path, 'journal', name);
const run = (line: string) => runJournalCommand([...line.split(' '), '--data-dir', directory.path]);

function takeAway(names: readonly string[]): void {
  for (const name of names) rmSync(inJournal(name));
}

function damage(name: string): void {
  const bytes = contents.get(name)!.slice();
  bytes[30]! ^= 1;
  writeFileSync(inJournal(name), bytes);
}

/** Writes a projection with this sequence. */
function readUpTo(sequence: number): void {
  const path = join(directory.path, 'projection.sqlite');
  rmSync(path, { force: true });
  foldTo(path, sequence);
}

describe('journal inspect', () => {
  /** The missing records, as the command reports them. */
  const NOT_HERE = /^Not here: records ([0-9]+) to ([0-9]+), in (.*)\. Their effects are not shown\.$/m;

  test('shows the current cash of an account, and names the records that were not read', async () => {
    const whole = JSON.parse((await run('inspect --account acct-1 --why cash --limit 1000 --json')).text);
    expect(whole).toHaveLength(198);
    for (const [names, expected] of [
      [archived, `${archived[0]} to ${archived.at(-1)}`],
      [[archived[4]!], archived[4]],
    ] as const) {
      takeAway(names);
      const { text, status } = await run('inspect --account acct-1 --why cash --limit 1000');
      const [, first, last, where] = NOT_HERE.exec(text)!;
      expect([status, where]).toEqual([0, expected]);
      expect(text).toContain(`After record 100 the cash of acct-1 is ${5_049 / 1e6} USD.E.`);
      expect(text).not.toContain('DO NOT ADD UP');
      const { text: data, stderrText } = await run('inspect --account acct-1 --why cash --limit 1000 --json');
      expect(stderrText).toMatch(NOT_HERE);
      const isHere = ({ sequence }: { sequence: number }) => sequence < Number(first) || sequence > Number(last);
      expect(JSON.parse(data)).toEqual(whole.filter(isHere));
      for (const name of names) writeFileSync(inJournal(name), contents.get(name)!);
    }
    expect(await run('inspect --account acct-1 --why cash --json')).not.toHaveProperty('aside');
  });

  test('does not claim absence when records are missing', async () => {
    expect((await run('inspect --account acct-2 --why cash')).text).toBe('The cash of acct-2 never changed.');
    takeAway(archived);
    expect((await run('inspect --account acct-2 --why cash')).text).toMatch(
      /^The cash of acct-2 never changed in the part that is here\.\n\nNot here: records 1 to/,
    );
    expect((await run('inspect --account acct-1 --why funding')).text).toMatch(
      /^There was no posting in the part that is here: funding of acct-1\.\n\nNot here: /,
    );
    expect((await run('inspect --account acct-2')).text).toMatch(
      /^There is no such record in the part that is here\.\n\nNot here: /,
    );
    expect((await run('inspect --sequence 1000')).text).toBe('There is no such record.');
  });

  test('names the segments of a missing record, and shows its neighbours with a note', async () => {
    takeAway([archived[2]!]);
    const [, first, last] = NOT_HERE.exec((await run('inspect --account acct-1')).text)!;
    for (const sequence of [first, last]) {
      const fault = await run(`inspect --sequence ${sequence} --around 3`).catch((error: unknown) => error);
      expect(startFaultLine(fault)).toBe(`record ${sequence} is not here: restore ${archived[2]} and try again`);
    }
    const { text } = await run(`inspect --sequence ${Number(first) - 1} --around 2`);
    expect(text.match(/^record [0-9]+/gm)).toEqual([3, 2, 1].map((before) => `record ${Number(first) - before}`));
    expect((await run(`inspect --sequence ${Number(last) + 1}`)).text).not.toMatch(NOT_HERE);
  });

  test('shows postings without the unknown balance', () => {
    const place = { sequence: 70 as Sequence, epochMs: 1 as EpochMs, command: 'AdvanceMarket', account: ACCOUNT } as const;
    const move = { ...place, kind: 'period 9', reference: undefined, isUnexplained: false };
    const gaps = [{ firstSequence: 1, lastSequence: 60, segmentNames: ['archive/x'], isBeginning: true }];
    const paid = [-3, 500_000].map((amount) => ({ ...move, amountAtoms: amount as QuoteAtoms, balanceAtoms: undefined }));
    const funding = balanceMovesText(paid, 'funding', ACCOUNT, 100, gaps);
    expect(funding.match(/ period 9 +[-0-9.]+ +not known +AdvanceMarket/g)).toHaveLength(2);
    expect(funding).toMatch(
      /\nEarlier postings are unknown, and so is the balance: the amounts shown add up to 0\.499997 USD\.E: funding of acct-1\.$/,
    );
    const changed = [{ ...move, amountAtoms: undefined, balanceAtoms: 7_000_000 as QuoteAtoms }];
    const margin = balanceMovesText(changed, 'margin', ACCOUNT, 100, gaps);
    expect(margin).toMatch(/ period 9 +not known +7 +AdvanceMarket /);
    expect(margin).toMatch(/\nAfter record 70 the balance is 7 USD\.E: margin of acct-1\.$/);
  });

  test('prints gaps separately from the data', () => {
    takeAway(archived);
    const main = new URL('./main.ts', import.meta.url).pathname;
    const inspect = ['journal', 'inspect', '--account', 'acct-1', '--why', 'cash', '--json', '--data-dir', directory.path];
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...inspect], { encoding: 'utf8' });
    expect(status).toBe(0);
    expect(JSON.parse(stdout).at(-1)).toMatchObject({ sequence: 100 });
    expect(stderr).toMatch(NOT_HERE);
  });
});

describe('journal verify', () => {
  test('exits with 0 when everything was read from the first record on', async () => {
    const { text, status } = await run('verify');
    expect(status).toBe(0);
    expect(text).toMatch(/^The journal is complete: each record is as it was written\.\n/);
    expect(text).toMatch(/^ {2}records +1 to 100, in 100 groups$/m);
  });

  test('prints the published fields with --json', async () => {
    takeAway([archived[0]!]);
    const { gaps, ...found } = JSON.parse((await run('verify --json')).text) as Record<string, unknown>;
    expect(Object.keys(found)).toEqual([
      'status',
      'afterSequence',
      'sequence',
      'chainDigest',
      'recordCount',
      'groupCount',
      'byteLength',
      'firstEpochMs',
      'lastEpochMs',
      'rules',
      'boundaries',
      'inUseAfter',
      'segmentNames',
      'snapshots',
      'strayArchived',
      'projectionSequence',
    ]);
    expect(gaps).toEqual([
      { firstSequence: 1, lastSequence: expect.any(Number), segmentNames: [archived[0]], isBeginning: true },
    ]);
  });

  test('names a gap between segments, reads the others, and exits with 1', async () => {
    takeAway([archived[3]!]);
    const { text, status } = await run('verify');
    expect(status).toBe(1);
    expect(text).toMatch(/^The part of the journal that is here is sound: .* parts are missing, .*status 1/);
    const [, first, last, count] = /^ {2}records +1 to 100 but for records ([0-9]+) to ([0-9]+), in ([0-9]+) groups$/m.exec(
      text,
    )!;
    expect(Number(count)).toBe(100 - (Number(last) - Number(first) + 1));
    expect(text.replaceAll('\n', ' ')).toContain(
      `THE ARCHIVE HAS A GAP: ${archived[3]} is missing, with records ${first} to ${last}. All others were read; restore ${archived[3]}.`,
    );
    expect(JSON.parse((await run('verify --json')).text)).toMatchObject({
      status: 1,
      gaps: [{ segmentNames: [archived[3]], firstSequence: Number(first), lastSequence: Number(last), isBeginning: false }],
    });
  });

  test.each([
    ['as a whole', () => archived],
    ['in part, from the first segment on', () => archived.slice(0, 2)],
    ['for its first segment', () => archived.slice(0, 1)],
  ])('reports that the archive was removed %s, and exits with 3', async (_, names) => {
    takeAway(names());
    const { text, status } = await run('verify');
    expect(status).toBe(3);
    expect(text).toMatch(/^The part of the journal that is here is sound: .*status 3/);
    const range = names().length === 1 ? archived[0] : `${archived[0]} to ${names().at(-1)}`;
    expect(text.replaceAll('\n', ' ')).toMatch(
      new RegExp(`The first segments were removed from the archive and not read: records 1 to [0-9]+, in ${range}\\.$`),
    );
  });

  test('reports a damaged snapshot, and exits with 2', async () => {
    for (const [index, name] of [...snapshots].reverse().entries()) {
      damage(name);
      const { text, status } = await run('verify');
      expect(status).toBe(2);
      expect(text).toMatch(/^The journal is complete: .* But there are problems, see below \(status 2\)\.\n/);
      expect(text).toContain(`${name} IS DAMAGED: a start skips it and takes longer. Move it away;`);
      expect(text.match(/ IS DAMAGED/g)).toHaveLength(index + 1);
    }
    takeAway([...snapshots]);
    expect((await run('verify')).status).toBe(0);
  });

  test('reports that the initial state of newer rules is irreplaceable', async () => {
    const name = `boundary-${'7'.padStart(16, '0')}.state`;
    writeFileSync(inJournal(name), contents.get(snapshots[0]!)!.slice(1));
    const { text, status } = await run('verify');
    expect(status).toBe(2);
    expect(text.replaceAll('\n', ' ')).toContain(`${name} IS DAMAGED: the initial state of newer rules`);
  });

  test('reports that the venue cannot start without the missing segments, and exits with 1', async () => {
    takeAway(archived);
    damage(snapshots[1]!);
    expect((await run('verify')).status).toBe(2);
    damage(snapshots[0]!);
    const unsaved = await run('verify');
    expect(unsaved.status).toBe(1);
    expect(unsaved.text).toMatch(
      /^THE VENUE DOES NOT START: there is no sound snapshot from record [0-9]+ on, and a start needs/m,
    );
    for (const name of snapshots) writeFileSync(inJournal(name), contents.get(name)!);
    readUpTo(3);
    const unread = await run('verify');
    expect(unread.status).toBe(1);
    expect(unread.text).toMatch(/^THE VENUE DOES NOT START: the projection has only folded up to record 3, and/m);
    rmSync(join(directory.path, 'projection.sqlite'));
    expect((await run('verify')).text).toMatch(/^THE VENUE DOES NOT START: the projection has only folded up to record 0/m);
  });

  test('returns its result as the exit status', () => {
    takeAway(archived);
    const main = new URL('./main.ts', import.meta.url).pathname;
    const verify = ['journal', 'verify', '--data-dir', directory.path];
    expect(spawnSync(process.execPath, [main, ...verify])).toMatchObject({ status: 3 });
    takeAway(['journal.anchor']);
    expect(spawnSync(process.execPath, [main, ...verify])).toMatchObject({ status: 1 });
  });

  test('lists its exit statuses in the help', () => {
    for (const status of [0, 1, 2, 3]) expect(JOURNAL_HELP).toMatch(new RegExp(`^ {25}${status} {2}`, 'm'));
  });
});
