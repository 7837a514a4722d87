/** Laps of a checkout's own book or turns, in a process of its own: the CPU time per operation of each lap that is requested. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { answer, requestOf } from './bench-process.ts';
import type { Assignment, Contender } from './contender.ts';

export interface LapRequest {
  readonly checkout: string;
  readonly assignment: Assignment;
}

/** Requests a lap of at least this CPU time. The answer is its nanoseconds of CPU time per operation. */
export interface Lap {
  readonly milliseconds: number;
}

export interface LapResponse {
  readonly nanoseconds: number;
}

const MAKERS: Record<string, readonly [file: string, name: string]> = {
  book: ['book-contenders.ts', 'bookContender'],
  'whole-turns': ['whole-turns-contenders.ts', 'turnContender'],
};

const { checkout, assignment } = requestOf<LapRequest>();
const [file, name] = MAKERS[assignment.part]!;
const module = await import(pathToFileURL(join(checkout, 'engine', 'bench', file)).href);
const contender = module[name](assignment) as Contender;
process.on('message', ({ milliseconds }: Lap) => answer({ nanoseconds: cpuTimeOf(milliseconds) } satisfies LapResponse));

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
