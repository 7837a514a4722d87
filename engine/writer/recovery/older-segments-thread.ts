/**
 * The thread that reads the older part of a journal: started by `older-segments-in-thread.ts`, it reports progress, responds once and
 * ends.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { buffersOf } from '#writer/idempotency/idempotency-index.ts';
import { JournalDamaged } from '#writer/journal/journal-fault.ts';
import { readableNodeFiles } from '#writer/journal/node-files.ts';
import { readOlderSegments } from './older-segments.ts';
import type { OlderProgress, OlderResponse, OlderTask } from './older-segments-in-thread.ts';

const { path, request } = workerData as OlderTask;

try {
  const onSegment = (segmentBytes: number) => parentPort?.postMessage({ segmentBytes } satisfies OlderProgress);
  const { end, index } = await readOlderSegments(readableNodeFiles(path), request, onSegment);
  const { memory } = index;
  response({ end, memory }, buffersOf(memory));
} catch (error) {
  if (error instanceof JournalDamaged) response({ damage: error.place, message: error.message });
  else response({ failure: failureOf(error as NodeJS.ErrnoException) });
}

function response(value: OlderResponse, moved: ArrayBuffer[] = []): void {
  parentPort?.postMessage(value, moved);
}

function failureOf({ message, code, syscall }: NodeJS.ErrnoException) {
  return { message, ...(code !== undefined && { code }), ...(syscall !== undefined && { syscall }) };
}
