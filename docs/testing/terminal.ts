/** A reader's second terminal: one shell in the folder of the checkout, which is given a command and prints what it prints. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';

/** A shell whose last command has not ended by then is ended with it. */
const TIMEOUT_MS = 2_000;

export class Terminal {
  readonly #shell: ChildProcess;
  #printed = '';
  #complained = '';
  #onMore: () => void = () => undefined;

  constructor(folder: string) {
    const { PATH = '', HOME = '' } = process.env;
    // A command that fails ends the shell: what follows it on the page would stand on nothing.
    this.#shell = spawn('sh', ['-e'], { cwd: folder, env: { PATH, HOME, npm_config_update_notifier: 'false' }, detached: true });
    this.#shell.stdout?.on('data', (bytes) => {
      this.#printed += String(bytes);
      this.#onMore();
    });
    this.#shell.stderr?.on('data', (bytes) => {
      this.#complained += String(bytes);
    });
    this.#shell.on('close', () => this.#onMore());
    // What is said to a shell that has ended is answered below.
    this.#shell.stdin?.on('error', () => undefined);
  }

  /** Resolves with what the command printed. Rejects when it fails, with what it complained of. */
  async run(script: string): Promise<string> {
    const end = `end of ${randomUUID()}`;
    this.#printed = '';
    this.#complained = '';
    this.#shell.stdin?.write(`${script}\necho '${end}'\n`);
    while (!this.#printed.includes(end)) {
      if (this.#shell.exitCode !== null)
        throw new Error(`the command failed (${this.#shell.exitCode}):\n${script}\n${this.#printed}\n${this.#complained}`);
      await new Promise<void>((resolve) => {
        this.#onMore = resolve;
      });
    }
    return this.#printed.slice(0, this.#printed.indexOf(end));
  }

  async close(): Promise<void> {
    if (this.#shell.exitCode !== null) return;
    const ended = once(this.#shell, 'exit');
    const impatience = setTimeout(() => process.kill(-this.#shell.pid!, 'SIGKILL'), TIMEOUT_MS);
    this.#shell.stdin?.end();
    await ended;
    clearTimeout(impatience);
  }
}
