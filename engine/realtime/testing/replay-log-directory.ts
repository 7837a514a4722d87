/** A directory with a replay log for the tests of a file: restores it like a start, and writes it like a process. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { gathered, LiveModel, openProjection } from '#projection/projection.ts';
import type { CoveringGroup, RecordChanges } from '#projection/record-changes.ts';
import { historyOf } from '#projection/testing/any-history.ts';
import { ReplayBuffer } from '#realtime/replay-buffer.ts';
import { ReplayLog } from '#realtime/replay-log.ts';
import { systemTime } from '#time/system-time.ts';

export const WINDOW = { replayWindowMs: 10 ** 12, replayWindowBytes: 2 ** 20, replayWindowRecords: 10_000 };

/** The state after a start. */
export interface RestoredState {
  readonly replayLog: ReplayLog;
  readonly recent: ReplayBuffer;
}

interface ReplayLogDirectory {
  path: string;
  /** Log lines. */
  lines: string[];
  /** The newest record whose write was tried, after each step. */
  reached: number[];
  files(): readonly string[];
  /** The path of the newest file. */
  last(): string;
  /** Starts after record `from`. */
  restored(from: number, chainDigest?: string, window?: typeof WINDOW, directory?: string): RestoredState;
  /** One process: starts after record `from`, restores the replay log, adds the changes up to `to`, and closes. */
  lived(all: readonly RecordChanges[], from: number, to: number, window?: typeof WINDOW): Promise<ReplayBuffer>;
}

/** Creates an empty directory for each test. */
export function useReplayLogDirectory(): ReplayLogDirectory {
  let internalErrors: unknown[];
  const files = (): readonly string[] => readdirSync(used.path).sort();
  const used: ReplayLogDirectory = {
    path: '',
    lines: [],
    reached: [],
    files,
    last: () => join(used.path, files().at(-1)!),

    restored(from, chainDigest = groupOf(from).digest, window = WINDOW, directory = used.path) {
      const replayLog = new ReplayLog({
        timers: systemTime.timers,
        directory,
        ...window,
        onReplayLogOpened: (sequence) => used.reached.push(sequence),
        log: (line) => used.lines.push(line),
        onInternalError: (it) => internalErrors.push(it),
      });
      const recent = new ReplayBuffer(window, from);
      replayLog.restore({ sequence: from, chainDigest }, recent);
      return { replayLog, recent };
    },

    async lived(all, from, to, window = WINDOW) {
      const first = used.restored(from, undefined, window);
      addAll(first, all.slice(from, to));
      await first.replayLog.close();
      return first.recent;
    },
  };
  beforeEach(() => {
    used.path = mkdtempSync(join(tmpdir(), 'openperp-replay-log-'));
    used.lines = [];
    used.reached = [];
    internalErrors = [];
  });
  afterEach(() => {
    rmSync(used.path, { recursive: true, force: true });
    expect(internalErrors).toEqual([]);
  });
  return used;
}

/** Groups of three records each. */
export function groupOf(sequence: number): CoveringGroup {
  const number = Math.floor((sequence - 1) / 3);
  return {
    number,
    firstSequence: 3 * number + 1,
    lastSequence: 3 * number + 3,
    digest: `${number}`,
    previousDigest: `${number - 1}`,
  } as CoveringGroup;
}

export function changesOf(count: number): readonly RecordChanges[] {
  const history = historyOf([]);
  while (history.records.length < count) {
    history.limit(1, 'buy', 9_990, 10);
    history.limit(2, 'sell', 9_990, 10);
    history.price(10_000 + (history.records.length % 5));
  }
  const projection = openProjection(':memory:');
  const model = new LiveModel(gathered(projection.livePieces()));
  projection.close();
  return history.records.map((record) => model.fold(record, groupOf(record.sequence))).slice(0, count);
}

export function addAll({ replayLog, recent }: RestoredState, records: readonly RecordChanges[]): void {
  for (const changes of records) replayLog.add(changes.sequence, changes.group, recent.add(changes), recent.columns);
}

/** All replayable changes as JSON: orders have only their new state. */
export function known(recent: ReplayBuffer): readonly string[] {
  return Array.from({ length: recent.newest - recent.oldest }, (_, index) =>
    JSON.stringify(recent.read(recent.oldest + index + 1)),
  );
}
