/** Offers commands to a writer at a steady rate, in a process of its own, and measures how long each waits for its response. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { CollectionPace } from '#host/v8-flags.ts';
import { lockDirectory } from '#writer/journal/directory-lock.ts';
import { nodeFiles } from '#writer/journal/node-files.ts';
import { snapshotInThread } from '#writer/snapshot/snapshot-in-thread.ts';
import { JOURNAL_FOLDER, openBareWriter, submitAll } from './bench-journal.ts';
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

setFlagsFromString('--expose-gc');

const request = requestOf<PaceRequest>();
const { untimed, timed } = packed(request);
const lock = lockDirectory(request.directory);
const createSnapshot = snapshotInThread(lock.path, JOURNAL_FOLDER);
const collections = new CollectionPace();
const onCommitted = (records: number) => collections.committed(records, performance.now());
const writer = await openBareWriter(await nodeFiles(lock, JOURNAL_FOLDER), { createSnapshot, onCommitted });
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
