/** What the journal's commands say, and end with, where a part of the archive or a saved state is not as it was. */
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

/** A projection that has come so far. */
function readUpTo(sequence: number): void {
  const path = join(directory.path, 'projection.sqlite');
  rmSync(path, { force: true });
  foldTo(path, sequence);
}

describe('journal inspect', () => {
  /** The records that are missing, as it tells them. */
  const NOT_HERE = /^Not here: records ([0-9]+) to ([0-9]+), in (.*)\. What they did is not shown\.$/m;

  test('shows the cash of an account as it is, and says which records were not read', async () => {
    const whole = JSON.parse((await run('inspect --account acct-1 --why cash --limit 1000 --json')).text);
    expect(whole).toHaveLength(198);
    for (const [names, told] of [
      [archived, `${archived[0]} to ${archived.at(-1)}`],
      [[archived[4]!], archived[4]],
    ] as const) {
      takeAway(names);
      const { text, status } = await run('inspect --account acct-1 --why cash --limit 1000');
      const [, first, last, where] = NOT_HERE.exec(text)!;
      expect([status, where]).toEqual([0, told]);
      expect(text).toContain(`After record 100 the cash of acct-1 is ${5_049 / 1e6} USD.E.`);
      expect(text).not.toContain('DO NOT ADD UP');
      const { text: data, aside } = await run('inspect --account acct-1 --why cash --limit 1000 --json');
      expect(aside).toMatch(NOT_HERE);
      const isHere = ({ sequence }: { sequence: number }) => sequence < Number(first) || sequence > Number(last);
      expect(JSON.parse(data)).toEqual(whole.filter(isHere));
      for (const name of names) writeFileSync(inJournal(name), contents.get(name)!);
    }
    expect(await run('inspect --account acct-1 --why cash --json')).not.toHaveProperty('aside');
  });

  test('says of nothing that it never was, where not everything is here', async () => {
    expect((await run('inspect --account acct-2 --why cash')).text).toBe('The cash of acct-2 never moved.');
    takeAway(archived);
    expect((await run('inspect --account acct-2 --why cash')).text).toMatch(
      /^The cash of acct-2 never moved in what is here\.\n\nNot here: records 1 to/,
    );
    expect((await run('inspect --account acct-1 --why funding')).text).toMatch(
      /^There was no posting in what is here: funding of acct-1\.\n\nNot here: /,
    );
    expect((await run('inspect --account acct-2')).text).toMatch(/^There is no such record in what is here\.\n\nNot here: /);
    expect((await run('inspect --sequence 1000')).text).toBe('There is no such record.');
  });

  test('says where a record is that is not here, and shows its neighbours with that', async () => {
    takeAway([archived[2]!]);
    const [, first, last] = NOT_HERE.exec((await run('inspect --account acct-1')).text)!;
    for (const sequence of [first, last]) {
      const fault = await run(`inspect --sequence ${sequence} --around 3`).catch((error: unknown) => error);
      expect(startFaultLine(fault)).toBe(`record ${sequence} is not here: put ${archived[2]} back, and ask again`);
    }
    const { text } = await run(`inspect --sequence ${Number(first) - 1} --around 2`);
    expect(text.match(/^record [0-9]+/gm)).toEqual([3, 2, 1].map((before) => `record ${Number(first) - before}`));
    expect((await run(`inspect --sequence ${Number(last) + 1}`)).text).not.toMatch(NOT_HERE);
  });

  test('shows moves without a balance that it cannot know', () => {
    const place = { sequence: 70 as Sequence, epochMs: 1 as EpochMs, command: 'AdvanceMarket', account: ACCOUNT } as const;
    const move = { ...place, kind: 'period 9', reference: undefined, isUnexplained: false };
    const gaps = [{ firstSequence: 1, lastSequence: 60, segmentNames: ['archive/x'], isBeginning: true }];
    const paid = [-3, 500_000].map((amount) => ({ ...move, amountAtoms: amount as QuoteAtoms, balanceAtoms: undefined }));
    const funding = balanceMovesText(paid, 'funding', ACCOUNT, 100, gaps);
    expect(funding.match(/ period 9 +[-0-9.]+ +not known +AdvanceMarket/g)).toHaveLength(2);
    expect(funding).toMatch(
      /\nWhat came before is not known, and so the balance is not: the amounts that are shown come to 0\.499997 USD\.E: funding of acct-1\.$/,
    );
    const changed = [{ ...move, amountAtoms: undefined, balanceAtoms: 7_000_000 as QuoteAtoms }];
    const margin = balanceMovesText(changed, 'margin', ACCOUNT, 100, gaps);
    expect(margin).toMatch(/ period 9 +not known +7 +AdvanceMarket /);
    expect(margin).toMatch(/\nAfter record 70 the balance is 7 USD\.E: margin of acct-1\.$/);
  });

  test('prints what was not read beside the data', () => {
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
  test('ends with 0 where everything was read from the first record on', async () => {
    const { text, status } = await run('verify');
    expect(status).toBe(0);
    expect(text).toMatch(/^The journal is whole: each of its records is as it was written\.\n/);
    expect(text).toMatch(/^ {2}records +1 to 100, in 100 groups$/m);
  });

  test('reads all but what is missing between others, names that, and ends with 1', async () => {
    takeAway([archived[3]!]);
    const { text, status } = await run('verify');
    expect(status).toBe(1);
    expect(text).toMatch(/^What is here of the journal is whole: .* not all of it is here, .*status 1/);
    const [, first, last, count] = /^ {2}records +1 to 100 but for records ([0-9]+) to ([0-9]+), in ([0-9]+) groups$/m.exec(
      text,
    )!;
    expect(Number(count)).toBe(100 - (Number(last) - Number(first) + 1));
    expect(text.replaceAll('\n', ' ')).toContain(
      `THE ARCHIVE HAS A GAP: ${archived[3]} is missing, with records ${first} to ${last}. All others were read; put ${archived[3]} back.`,
    );
    expect(JSON.parse((await run('verify --json')).text)).toMatchObject({
      status: 1,
      gaps: [{ segmentNames: [archived[3]], firstSequence: Number(first), lastSequence: Number(last), isBeginning: false }],
    });
  });

  test.each([
    ['as a whole', () => archived],
    ['in part, from its beginning on', () => archived.slice(0, 2)],
    ['for its first segment', () => archived.slice(0, 1)],
  ])('says plainly that the archive was taken away %s, and ends with 3', async (_, names) => {
    takeAway(names());
    const { text, status } = await run('verify');
    expect(status).toBe(3);
    expect(text).toMatch(/^What is here of the journal is whole: .*status 3/);
    const range = names().length === 1 ? archived[0] : `${archived[0]} to ${names().at(-1)}`;
    expect(text.replaceAll('\n', ' ')).toMatch(
      new RegExp(`The beginning was taken out of the archive, and was not read: records 1 to [0-9]+, in ${range}\\.$`),
    );
  });

  test('does not say that all is well where a snapshot is damaged, and ends with 2', async () => {
    for (const [index, name] of [...snapshots].reverse().entries()) {
      damage(name);
      const { text, status } = await run('verify');
      expect(status).toBe(2);
      expect(text).toMatch(/^The journal is whole: .* But not all is well, as told below \(status 2\)\.\n/);
      expect(text).toContain(`${name} IS DAMAGED: a start passes over it and takes longer. Move it away;`);
      expect(text.match(/ IS DAMAGED/g)).toHaveLength(index + 1);
    }
    takeAway([...snapshots]);
    expect((await run('verify')).status).toBe(0);
  });

  test('says of the state that newer rules began with that nothing else replaces it', async () => {
    const name = `boundary-${'7'.padStart(16, '0')}.state`;
    writeFileSync(inJournal(name), contents.get(snapshots[0]!)!.slice(1));
    const { text, status } = await run('verify');
    expect(status).toBe(2);
    expect(text.replaceAll('\n', ' ')).toContain(`${name} IS DAMAGED: the state that newer rules began with`);
  });

  test('says where no venue starts, because what is missing would be needed, and ends with 1', async () => {
    takeAway(archived);
    damage(snapshots[1]!);
    expect((await run('verify')).status).toBe(2);
    damage(snapshots[0]!);
    const unsaved = await run('verify');
    expect(unsaved.status).toBe(1);
    expect(unsaved.text).toMatch(/^NO VENUE STARTS: there is no whole snapshot from record [0-9]+ on, and a start would need/m);
    for (const name of snapshots) writeFileSync(inJournal(name), contents.get(name)!);
    readUpTo(3);
    const unread = await run('verify');
    expect(unread.status).toBe(1);
    expect(unread.text).toMatch(/^NO VENUE STARTS: what is read of the journal has come to record 3 only, and/m);
    rmSync(join(directory.path, 'projection.sqlite'));
    expect((await run('verify')).text).toMatch(/^NO VENUE STARTS: what is read of the journal has come to record 0 only/m);
  });

  test('ends the process with what it found', () => {
    takeAway(archived);
    const main = new URL('./main.ts', import.meta.url).pathname;
    const verify = ['journal', 'verify', '--data-dir', directory.path];
    expect(spawnSync(process.execPath, [main, ...verify])).toMatchObject({ status: 3 });
    takeAway(['journal.anchor']);
    expect(spawnSync(process.execPath, [main, ...verify])).toMatchObject({ status: 1 });
  });

  test('says in its help what it ends with', () => {
    for (const status of [0, 1, 2, 3]) expect(JOURNAL_HELP).toMatch(new RegExp(`^ {25}${status} {2}`, 'm'));
  });
});
