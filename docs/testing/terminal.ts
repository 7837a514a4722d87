/** A reader's second terminal: one shell in the folder of the checkout that runs commands and returns their output. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';

/** Kills the shell and its last command if they have not ended by then. */
const TIMEOUT_MS = 2_000;

export class Terminal {
  readonly #shell: ChildProcess;
  #printed = '';
  #stderr = '';
  #onMore: () => void = () => undefined;

  constructor(folder: string) {
    const { PATH = '', HOME = '' } = process.env;
    // A failing command ends the shell, because later commands of the page depend on it.
    this.#shell = spawn('sh', ['-e'], { cwd: folder, env: { PATH, HOME, npm_config_update_notifier: 'false' }, detached: true });
    this.#shell.stdout?.on('data', (bytes) => {
      this.#printed += String(bytes);
      this.#onMore();
    });
    this.#shell.stderr?.on('data', (bytes) => {
      this.#stderr += String(bytes);
    });
    this.#shell.on('close', () => this.#onMore());
    // Writing to a shell that has ended fails here; `run` reports it.
    this.#shell.stdin?.on('error', () => undefined);
  }

  /** Resolves with the command's stdout. If the command fails, rejects with its output, stderr included. */
  async run(script: string): Promise<string> {
    const end = `end of ${randomUUID()}`;
    this.#printed = '';
    this.#stderr = '';
    this.#shell.stdin?.write(`${script}\necho '${end}'\n`);
    while (!this.#printed.includes(end)) {
      if (this.#shell.exitCode !== null)
        throw new Error(`the command failed (${this.#shell.exitCode}):\n${script}\n${this.#printed}\n${this.#stderr}`);
      await new Promise<void>((resolve) => {
        this.#onMore = resolve;
      });
    }
    return this.#printed.slice(0, this.#printed.indexOf(end));
  }

  async close(): Promise<void> {
    if (this.#shell.exitCode !== null) return;
    const ended = once(this.#shell, 'exit');
    const timeout = setTimeout(() => process.kill(-this.#shell.pid!, 'SIGKILL'), TIMEOUT_MS);
    this.#shell.stdin?.end();
    await ended;
    clearTimeout(timeout);
  }
}
