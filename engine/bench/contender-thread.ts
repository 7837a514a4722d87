/**
 * A contender in a thread of its own, so that no other one shares its heap or shapes its compiled code. Threads wait between
 * laps, so one contender runs at a time.
 */
import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { Assignment } from './contender.ts';

/** What a thread reports when it is ready. */
export interface ContenderDescription {
  readonly version: string;
  readonly manner: string;
  readonly work: string;
  readonly outcome: object;
  /** Nanoseconds per operation, of a lap after warming up. */
  readonly firstSample: number;
}

// So that every lap starts with a clean heap.
setFlagsFromString('--expose-gc');

export class ContenderThread {
  readonly introduction: ContenderDescription;
  readonly #worker: Worker;

  private constructor(worker: Worker, introduction: ContenderDescription) {
    this.#worker = worker;
    this.introduction = introduction;
  }

  /** Rejects with the contender's error. */
  static async start(assignment: Assignment): Promise<ContenderThread> {
    const worker = new Worker(new URL('./contender-worker.ts', import.meta.url), { workerData: assignment });
    const [introduction] = (await once(worker, 'message')) as [ContenderDescription];
    return new ContenderThread(worker, introduction);
  }

  /** Runs one more lap; resolves with nanoseconds per operation. */
  async sample(): Promise<number> {
    this.#worker.postMessage('lap');
    const [nanoseconds] = (await once(this.#worker, 'message')) as [number];
    return nanoseconds;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
