/**
 * Runs a program of the bench in a process of its own: with a minimal heap, its own compiled code, and Node options of the
 * product.
 */
import { fork } from 'node:child_process';
import { V8_FLAGS } from '#host/v8-flags.ts';

/** The answer of a process, and the milliseconds from before its start until the answer arrived. */
export interface ProcessResponse<Result> {
  readonly answer: Result;
  readonly milliseconds: number;
}

/** The program takes `request` as JSON from its command line and sends one message; then it is ended. */
export function runProcess<Result>(program: string, request: object): Promise<ProcessResponse<Result>> {
  const startedAt = performance.now();
  const child = fork(new URL(program, import.meta.url), [JSON.stringify(request)], { execArgv: [...V8_FLAGS] });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  return new Promise((resolve, reject) => {
    let responded: ProcessResponse<Result> | undefined;
    child.once('message', (answer: Result) => {
      responded = { answer, milliseconds: performance.now() - startedAt };
      end();
    });
    child.once('error', reject);
    child.once('exit', (status) => {
      process.off('exit', end);
      if (responded !== undefined) resolve(responded);
      else reject(new Error(`${program} ended with status ${status}`));
    });
  });
}

/** In such a process: the request. */
export function requestOf<Request>(): Request {
  return JSON.parse(process.argv[2]!) as Request;
}

/** In such a process: sends the answer and waits to be ended. */
export function answer(value: object): void {
  process.send!(value);
}
