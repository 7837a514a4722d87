/** Has a program of the bench run in a process of its own: with no heap but what it needs, treated as the product's, and nothing compiled yet. */
import { fork } from 'node:child_process';
import { V8_FLAGS } from '#host/v8-flags.ts';

/** What a process answers, and the milliseconds from before it was started until the answer was here. */
export interface ProcessAnswer<Answer> {
  readonly answer: Answer;
  readonly milliseconds: number;
}

/** The program takes `request` as JSON from its command line and sends one message; it is ended then. */
export function askProcess<Answer>(program: string, request: object): Promise<ProcessAnswer<Answer>> {
  const startedAt = performance.now();
  const child = fork(new URL(program, import.meta.url), [JSON.stringify(request)], { execArgv: [...V8_FLAGS] });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  return new Promise((resolve, reject) => {
    let answered: ProcessAnswer<Answer> | undefined;
    child.once('message', (answer: Answer) => {
      answered = { answer, milliseconds: performance.now() - startedAt };
      end();
    });
    child.once('error', reject);
    child.once('exit', (status) => {
      process.off('exit', end);
      if (answered !== undefined) resolve(answered);
      else reject(new Error(`${program} ended with status ${status}`));
    });
  });
}

/** In such a process: what it was asked. */
export function requestOf<Request>(): Request {
  return JSON.parse(process.argv[2]!) as Request;
}

/** In such a process: the answer. Waits to be ended. */
export function answer(value: object): void {
  process.send!(value);
}
