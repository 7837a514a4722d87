/**
 * Runs a program of the bench in a process of its own: with a minimal heap, its own compiled code, and Node options of the
 * product.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { V8_FLAGS } from '#host/v8-flags.ts';

/** The answer of a process, and the milliseconds from before its start until the answer arrived. */
export interface ProcessResponse<Result> {
  readonly answer: Result;
  readonly milliseconds: number;
}

/** The program takes `request` as JSON from its command line and sends one message; then it is ended. */
export async function runProcess<Result>(program: string, request: object): Promise<ProcessResponse<Result>> {
  const startedAt = performance.now();
  const running = new BenchProcess(program, request);
  try {
    return { answer: await running.answer<Result>(), milliseconds: performance.now() - startedAt };
  } finally {
    await running.end();
  }
}

/** A program that takes `request` as JSON from its command line, and sends messages until it is ended. */
export class BenchProcess {
  readonly #program: string;
  readonly #child: ChildProcess;
  readonly #kill = () => this.#child.kill('SIGKILL');

  constructor(program: string, request: object) {
    this.#program = program;
    this.#child = fork(new URL(program, import.meta.url), [JSON.stringify(request)], { execArgv: [...V8_FLAGS] });
    process.once('exit', this.#kill);
  }

  /** Sends `request`, if there is one, and resolves to the next message. Rejects if the process ends before. */
  answer<Result>(request?: object): Promise<Result> {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const onExit = (status: number | null) => reject(new Error(`${this.#program} ended with status ${status}`));
      child.once('error', reject);
      child.once('exit', onExit);
      child.once('message', (answer) => {
        child.off('error', reject);
        child.off('exit', onExit);
        resolve(answer as Result);
      });
      if (request !== undefined) child.send(request);
    });
  }

  /** Resolves when it has ended. */
  async end(): Promise<void> {
    process.off('exit', this.#kill);
    const hasEnded = this.#child.exitCode !== null || this.#child.signalCode !== null;
    if (!hasEnded && this.#kill()) await once(this.#child, 'exit');
  }
}

/** In such a process: the request. */
export function requestOf<Request>(): Request {
  return JSON.parse(process.argv[2]!) as Request;
}

/** In such a process: sends the answer and waits to be ended. */
export function answer(value: object): void {
  process.send!(value);
}
