/**
 * Reads the older part of a journal on disk in a thread of its own, on another core, while this thread reruns the end of the
 * journal.
 */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { IdempotencyIndex, type IndexMemory } from '#writer/idempotency/idempotency-index.ts';
import type { ChainPosition } from '#writer/journal/chain-walk.ts';
import { JournalDamaged } from '#writer/journal/journal-fault.ts';
import type { OlderPart, OlderRequest, OnSegment, ReadOlder } from './older-segments.ts';

/** The thread's start data. */
export interface OlderTask {
  readonly path: string;
  readonly request: OlderRequest;
}

/** Its response: the part, the damage of the journal, or why it could not be read. */
export type OlderResponse =
  | { readonly end: ChainPosition; readonly memory: IndexMemory }
  | { readonly damage: JournalDamaged['place']; readonly message: string }
  | { readonly failure: { readonly message: string; readonly code?: string; readonly syscall?: string } };

/** Its progress before that: the length of each segment that it has read. */
export interface OlderProgress {
  readonly segmentBytes: number;
}

const THREAD = new URL('./older-segments-thread.ts', import.meta.url);

/** `folder` is the journal's, below the data directory. */
export function readOlderInThread(dataDirectory: string, folder: string): ReadOlder {
  return (request, onSegment = () => {}) => read({ path: join(dataDirectory, folder), request }, onSegment);
}

async function read(work: OlderTask, onSegment: OnSegment): Promise<OlderPart> {
  const response = await responseOf(work, onSegment);
  if ('damage' in response) throw new JournalDamaged(response.message, response.damage);
  if ('failure' in response) throw Object.assign(new Error(response.failure.message), response.failure);
  return { end: response.end, index: new IdempotencyIndex(work.request.limits, response.memory) };
}

function responseOf(workerData: OlderTask, onSegment: OnSegment): Promise<OlderResponse> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(THREAD, { workerData });
    thread.on('message', (message: OlderResponse | OlderProgress) => {
      if ('segmentBytes' in message) onSegment(message.segmentBytes);
      else resolve(message);
    });
    thread.once('error', reject);
    thread.once('exit', (status) => reject(new Error(`the thread that reads older segments ended with status ${status}`)));
  });
}
