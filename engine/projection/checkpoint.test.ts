/** Inspecting a projection returns its checkpoint without affecting its file or its user. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { foldTo } from '#projection/testing/folded.ts';
import { systemBlocking } from '#time/system-time.ts';
import type { ThreadBlocking } from '#time/thread-blocking.ts';
import { inspectProjection } from './checkpoint.ts';

let directory: string;
let path: string;
let blocking: Pick<ThreadBlocking, 'sleep'>;
const writers: ChildProcess[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'openperp-checkpoint-'));
  path = join(directory, 'projection.sqlite');
  blocking = systemBlocking;
});
afterEach(async () => {
  for (const writer of writers.splice(0)) await killed(writer);
  rmSync(directory, { recursive: true });
});

const folded = (sequence: number) => foldTo(path, sequence);

/** Another process that has the file open like a venue; resolves when it has started. */
async function writer(script: string): Promise<ChildProcess> {
  const code = `
    const { DatabaseSync } = require('node:sqlite');
    const database = new DatabaseSync(${JSON.stringify(path)});
    ${script}`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['pipe', 'pipe', 'inherit'] });
  writers.push(child);
  await once(child.stdout!, 'data');
  return child;
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Every file with its content and modification time. */
function everything(): readonly unknown[] {
  const names = readdirSync(directory).sort();
  return names.map((name) => [name, statSync(join(directory, name)).mtimeMs, readFileSync(join(directory, name), 'base64')]);
}

/** Changes many pages with each step. */
const COUNTS_UP = `
  database.exec('PRAGMA synchronous = OFF; CREATE TABLE filler (row INTEGER PRIMARY KEY, text TEXT)');
  const next = database.prepare('UPDATE checkpoint SET sequence = sequence + 1');
  const fill = database.prepare('INSERT OR REPLACE INTO filler VALUES (?, ?)');
  const step = () => {
    database.exec('BEGIN IMMEDIATE');
    next.run();
    for (let row = 0; row < 40; row += 1) fill.run(row, 'x'.repeat(100 + Math.random() * 1000));
    database.exec('COMMIT');
  };
  step();`;
const STAYS = "console.log('ready'); setInterval(() => {}, 1000);";

const sequenceOf = (found: ReturnType<typeof inspectProjection>) =>
  found.state === 'folded' ? found.checkpoint.sequence : found.state;
const checkpointState = () => sequenceOf(inspectProjection(path, 'checkpoint_alone', blocking));

describe('an inspection of a projection', () => {
  it('that is not in use changes and creates no file', () => {
    expect(checkpointState()).toBe('none');
    folded(7);
    const before = everything();
    expect(inspectProjection(path, 'checkpoint_alone', blocking)).toEqual({
      state: 'folded',
      checkpoint: { sequence: 7, epochMs: 1, chainDigest: 'chain', registryDigest: 'registry' },
    });
    expect(inspectProjection(path, 'every_page', blocking)).toMatchObject({ state: 'folded' });
    expect(everything()).toEqual(before);
  });

  it('after its user was killed finds the last commit, and leaves the files to the next start', async () => {
    folded(7);
    await killed(await writer(COUNTS_UP + STAYS));
    const before = everything();
    expect(before).toHaveLength(4);
    expect(checkpointState()).toBe(8);
    expect(sequenceOf(inspectProjection(path, 'every_page', blocking))).toBe(8);
    expect(everything()).toEqual(before);
  });

  it('during continuous writes always finds a complete commit, and does not make a write fail', async () => {
    folded(7);
    const child = await writer(`
      ${COUNTS_UP}
      database.exec('PRAGMA wal_autocheckpoint = 50');
      console.log('ready');
      let mayStop = false;
      process.stdin.once('data', () => { mayStop = true; });
      const go = () => {
        if (!mayStop) { step(); return setImmediate(go); }
        console.log(database.prepare('SELECT sequence FROM checkpoint').get().sequence);
        database.close();
        process.stdin.destroy();
      };
      go();`);
    let last = 0;
    for (let round = 0; (round < 200 || last < 20) && child.exitCode === null; round += 1) {
      if (round % 50 === 0) await new Promise(setImmediate);
      const found = inspectProjection(path, round % 10 === 0 ? 'every_page' : 'checkpoint_alone', blocking);
      expect(found, `round ${round}`).toMatchObject({ state: 'folded' });
      expect(sequenceOf(found)).toBeGreaterThanOrEqual(last);
      last = Number(sequenceOf(found));
    }
    expect(child.exitCode).toBeNull();
    const printed = once(child.stdout!, 'data');
    const ended = once(child, 'exit');
    child.stdin!.write('stop');
    expect(Number(String((await printed)[0]))).toBeGreaterThanOrEqual(last);
    expect((await ended)[0]).toBe(0);
  });

  it('during repeated opening, writing and closing reports no damage, and does not make an operation fail', async () => {
    folded(7);
    const child = await writer(`
      ${COUNTS_UP}
      database.close();
      console.log('ready');
      process.stdin.once('data', () => process.exit());
      const go = () => {
        const database = new DatabaseSync(${JSON.stringify(path)});
        database.exec('PRAGMA synchronous = OFF; BEGIN IMMEDIATE; UPDATE checkpoint SET sequence = sequence + 1; UPDATE filler SET text = hex(randomblob(400)); COMMIT');
        database.close();
        setImmediate(go);
      };
      go();`);
    let last = 0;
    const seen: Record<string, number> = {};
    for (let round = 0; (round < 1_000 || last < 300) && child.exitCode === null; round += 1) {
      // The exit event arrives between two inspections.
      if (round % 50 === 0) await new Promise(setImmediate);
      const { state, ...found } = inspectProjection(path, round % 2 === 0 ? 'every_page' : 'checkpoint_alone', blocking);
      seen[state] = (seen[state] ?? 0) + 1;
      const sequence = 'checkpoint' in found ? found.checkpoint.sequence : last;
      expect(sequence).toBeGreaterThanOrEqual(last);
      last = sequence;
    }
    expect(Object.keys(seen).filter((state) => state !== 'folded' && state !== 'in_use')).toEqual([]);
    expect(child.exitCode).toBeNull();
    const ended = once(child, 'exit');
    child.stdin!.write('stop');
    expect((await ended)[0]).toBe(0);
  });

  it('with an exclusive lock is reported as in use, not as damaged', async () => {
    folded(7);
    await killed(await writer(COUNTS_UP + STAYS));
    await writer(`
      database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE checkpoint SET sequence = 9');
      ${STAYS}`);
    const startedAt = performance.now();
    expect(checkpointState()).toBe('in_use');
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('during a commit is retried with pauses until the commit ends', async () => {
    folded(7);
    await killed(await writer(COUNTS_UP + STAYS));
    const committing = new DatabaseSync(path);
    committing.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE checkpoint SET sequence = 9');
    const pauses: number[] = [];
    blocking = {
      sleep: (pauseMs) => {
        pauses.push(pauseMs);
        if (pauses.length === 3) {
          committing.exec('COMMIT');
          committing.close();
        }
      },
    };
    expect(checkpointState()).toBe(9);
    expect(pauses).toEqual([0, 1, 5]);
  });

  it('without the index of its log is reported as in use', async () => {
    folded(7);
    await killed(await writer(COUNTS_UP + STAYS));
    rmSync(`${path}-shm`);
    const before = everything();
    expect(checkpointState()).toBe('in_use');
    expect(everything()).toEqual(before);
  });

  it('reads only the checkpoint by default, and finds damage elsewhere with every_page', () => {
    folded(7);
    const database = new DatabaseSync(path);
    const { rootpage } = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'orders'").get() as {
      rootpage: number;
    };
    database.close();
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xff, (rootpage - 1) * 4_096, rootpage * 4_096));
    expect(checkpointState()).toBe(7);
    expect(sequenceOf(inspectProjection(path, 'every_page', blocking))).toBe('unusable');
  });

  it('of another schema, or that is not a database, is reported as unusable', () => {
    folded(7);
    const database = new DatabaseSync(path);
    database.exec("UPDATE checkpoint SET schemaDigest = 'another'");
    database.close();
    expect(checkpointState()).toBe('unusable');
    writeFileSync(path, 'no database, but long enough to be read as if it were one. '.repeat(100));
    expect(checkpointState()).toBe('unusable');
    copyFileSync(path, `${path}-copy`);
    truncateSync(path);
    expect(checkpointState()).toBe('unusable');
  });
});
