/** A process that runs laps of a checkout's book or turns, for as long as its pair takes. */
import { type ChildProcess, fork } from 'node:child_process';
import { V8_FLAGS } from '#host/v8-flags.ts';
import type { Lap, LapRequest, LapResponse } from './beside-lap.ts';

export class LapProcess {
  readonly #child: ChildProcess;
  readonly #end = () => this.#child.kill('SIGKILL');

  constructor(request: LapRequest) {
    this.#child = fork(new URL('./beside-lap.ts', import.meta.url), [JSON.stringify(request)], { execArgv: [...V8_FLAGS] });
    process.once('exit', this.#end);
  }

  /** Resolves to nanoseconds of CPU time per operation. */
  lap(milliseconds: number): Promise<number> {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const onExit = (status: number | null) => reject(new Error(`a lap ended with status ${status}`));
      child.once('exit', onExit);
      child.once('message', ({ nanoseconds }: LapResponse) => {
        child.off('exit', onExit);
        resolve(nanoseconds);
      });
      child.send({ milliseconds } satisfies Lap);
    });
  }

  end(): void {
    process.off('exit', this.#end);
    this.#end();
  }
}
