/** One lap of a checkout's own book or turns, in a process of its own: the CPU time per operation once the code is compiled. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { answer, requestOf } from './bench-process.ts';
import type { Assignment, Contender } from './contender.ts';

export interface LapRequest {
  readonly checkout: string;
  readonly assignment: Assignment;
  /** The duration of the warm-up, and of the measurement. */
  readonly warmUpMs: number;
  readonly lapMs: number;
}

export interface LapResponse {
  readonly nanoseconds: number;
  readonly outcome: object;
}

const MAKERS: Record<string, readonly [file: string, name: string]> = {
  book: ['book-contenders.ts', 'bookContender'],
  'whole-turns': ['whole-turns-contenders.ts', 'turnContender'],
};

const { checkout, assignment, warmUpMs, lapMs } = requestOf<LapRequest>();
const [file, name] = MAKERS[assignment.part]!;
const module = await import(pathToFileURL(join(checkout, 'engine', 'bench', file)).href);
const contender = module[name](assignment) as Contender;
const outcome = contender.outcome();
cpuTimeOf(warmUpMs);
answer({ nanoseconds: cpuTimeOf(lapMs), outcome } satisfies LapResponse);

/** Runs for at least this CPU time, and returns the nanoseconds of CPU time per operation. */
function cpuTimeOf(milliseconds: number): number {
  let microseconds = 0;
  let runs = 0;
  for (; microseconds < milliseconds * 1_000; runs += 1) {
    contender.prepare();
    const before = process.cpuUsage();
    contender.run();
    const { user, system } = process.cpuUsage(before);
    microseconds += user + system;
  }
  return (microseconds * 1_000) / (runs * contender.operations);
}
