/** Commands offered to a writer at a steady pace, in a process of its own, and how long each waited for its answer. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Sequence } from '#units/ids.ts';
import { lockDirectory } from '#writer/directory-lock.ts';
import { nodeFiles } from '#writer/node-files.ts';
import { snapshotInThread } from '#writer/snapshot-in-thread.ts';
import { venueRules } from '#writer/venue-rules.ts';
import { openWriter, type Writer } from '#writer/writer.ts';
import { FLOW_CLOCK, JOURNAL_FOLDER } from './bench-journal.ts';
import { answer, requestOf } from './bench-process.ts';
import type { FlowProfile } from './flow-profile.ts';
import { offered } from './offered-run.ts';
import { orderFlow } from './order-flow.ts';
import { PackedSubmissions } from './packed-submissions.ts';
import { turnCommands } from './turn-commands.ts';

export interface PaceRequest {
  readonly directory: string;
  readonly profile: FlowProfile;
  readonly seed: number;
  readonly perSecond: number;
}

/** So many are submitted at once before the clock runs. */
const LOAD = 1_000;

setFlagsFromString('--expose-gc');

const request = requestOf<PaceRequest>();
const { untimed, timed } = packed(request);
const writer = await openedWriter(request.directory);
await submitAll(writer, untimed);
(runInNewContext('gc') as () => void)();
answer(await offered(writer, timed, request.perSecond));

function packed({ profile, seed }: PaceRequest): { untimed: PackedSubmissions; timed: PackedSubmissions } {
  const { commands, untimed } = turnCommands(orderFlow(profile, seed));
  const [before, after] = [new PackedSubmissions(), new PackedSubmissions()];
  for (const [index, { command }] of commands.entries()) {
    if (index < untimed) before.add(command, false);
    else after.add(command, command.type === 'PlaceOrder');
  }
  return { untimed: before, timed: after };
}

async function openedWriter(directory: string): Promise<Writer> {
  const lock = lockDirectory(directory);
  return openWriter({
    files: await nodeFiles(lock, JOURNAL_FOLDER),
    makeSnapshot: snapshotInThread(lock.path, JOURNAL_FOLDER),
    clock: FLOW_CLOCK,
    rules: venueRules,
    follow: () => {},
    followFrom: { sequence: 0 as Sequence, chainDigest: '' },
    onHalt: (halt) => {
      throw halt.cause ?? new Error(halt.reason);
    },
  });
}

async function submitAll(writer: Writer, submissions: PackedSubmissions): Promise<void> {
  const next = submissions.reader();
  for (let at = 0; at < submissions.count; at += LOAD) {
    const length = Math.min(LOAD, submissions.count - at);
    await Promise.all(Array.from({ length }, () => writer.submit(next())));
  }
}
