/** Pins the layout of the replay log to its version number: a program must not misread another version's files. */

import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { CoveringGroup, RecordChanges } from '#projection/record-changes.ts';
import { systemTime } from '#time/system-time.ts';
import { ReplayBuffer } from './replay-buffer.ts';
import { REPLAY_LOG_LAYOUT, ReplayLog } from './replay-log.ts';

/** The digest of {@link CHANGES} in the current layout, by its number. */
const DIGESTS: Readonly<Record<number, string>> = {
  5: '9ed784d32bd6df4430662029d51d971b5d56398f6a5e1e237786c3ddea71bb25',
};

const WINDOW = { replayWindowMs: 10 ** 12, replayWindowBytes: 2 ** 16, replayWindowRecords: 10 };
const GROUP: CoveringGroup = {
  number: 3,
  firstSequence: 7,
  lastSequence: 7,
  digest: 'ab',
  previousDigest: 'cd',
} as CoveringGroup;

/** Covers each kind of list and of value. */
const row = (account: number, market: number) => ({
  account,
  market,
  text: 'ä',
  none: null,
  large: 2 ** 40,
  less: -5,
  some: 0.5,
});
const change = (place: number) => ({ before: place % 2 === 0 ? row(place, place) : undefined, after: row(place, place + 1) });
const CHANGES = {
  sequence: 7,
  epochMs: 1_700_000_000_000,
  group: GROUP,
  orders: [change(1)],
  fills: [row(2, 2)],
  trades: [row(3, 3)],
  episodes: [change(4)],
  accounts: [change(5)],
  markets: [change(6)],
  activity: [change(7)],
  observed: [row(8, 8)],
  books: [9],
  priced: [row(10, 10)],
  settled: [row(11, 11)],
  paid: [row(12, 12)],
  posted: [row(13, 13)],
  withdrawn: [row(14, 14)],
  revokedKeys: ['key'],
  withdrawals: [change(16)],
  affiliates: [change(17)],
  agentActions: [row(18, 18)],
} satisfies { readonly [Name in keyof RecordChanges]: unknown } as unknown as RecordChanges;

test('pins the layout of the replay log to its number', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'openperp-layout-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const ignore = () => {};
  const replayLog = new ReplayLog({
    directory,
    timers: systemTime.timers,
    ...WINDOW,
    onReplayLogOpened: ignore,
    log: ignore,
    onInternalError: ignore,
  });
  const recent = new ReplayBuffer(WINDOW, 6);
  replayLog.restore({ sequence: 6, chainDigest: 'cd' }, recent);
  replayLog.add(7, GROUP, recent.add(CHANGES), recent.columns);
  await replayLog.close();
  const [name] = readdirSync(directory);
  // The format has the schema of the rows beside the number.
  const bytes = readFileSync(join(directory, name!), 'latin1')
    .replace(/"format":"\d+ \w+"/, '')
    .slice(8);
  const digest = createHash('sha256').update(bytes, 'latin1').digest('hex');
  expect({ [REPLAY_LOG_LAYOUT]: digest }, 'if the layout changed, raise REPLAY_LOG_LAYOUT and replace DIGESTS').toEqual(DIGESTS);
});
