/** `npm run openperp -- connect` as a user runs it: a process that prints a code, waits for the owner, and writes the key to a file. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '#app/testing/test-venue.ts';

const ROOT = join(import.meta.dirname, '..', '..');

export class ConnectingProgram {
  readonly #directory = temporaryDirectory();
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  output = '';

  /** Asks for the scopes read and trade. */
  constructor(url: string, label: string) {
    const options = ['--url', url, '--label', label, '--out', this.file];
    // A group of its own: npm starts further processes.
    this.#child = spawn('npm', ['run', '-s', 'openperp', '--', 'connect', ...options], { cwd: ROOT, detached: true });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (bytes) => {
        this.output += String(bytes);
      });
    this.#ended = once(this.#child, 'close');
  }

  get file(): string {
    return join(this.#directory.path, 'key.env');
  }

  /** The code that it prints. */
  code(): Promise<string> {
    return this.#printed(/^Code {2}(\S+)$/m);
  }

  /** The link that it prints. */
  link(): Promise<string> {
    return this.#printed(/or open (\S+)$/m);
  }

  /** Resolves with the exit status. */
  async end(): Promise<number | null> {
    await this.#ended;
    return this.#child.exitCode;
  }

  /** The values of the file, and who may read it. */
  written(): { readonly mode: number; readonly apiKey: string; readonly url: string; readonly accountId: string } {
    const text = readFileSync(this.file, 'utf8');
    const value = (name: string) => new RegExp(`^${name}=(.+)$`, 'm').exec(text)?.[1] ?? '';
    return {
      mode: statSync(this.file).mode & 0o777,
      apiKey: value('OPENPERP_APIKEY'),
      url: value('OPENPERP_URL'),
      accountId: value('OPENPERP_ACCOUNT_ID'),
    };
  }

  /** Ends it if it still runs, and removes its file. */
  async remove(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
    await this.#ended;
    this.#directory.remove();
  }

  async #printed(form: RegExp): Promise<string> {
    const ended = this.#ended.then(() => 'ended');
    for (;;) {
      const found = form.exec(this.output)?.[1];
      if (found !== undefined) return found;
      const more = new Promise((resolve) => {
        this.#child.stdout!.once('data', resolve);
        this.#child.stderr!.once('data', resolve);
      });
      if ((await Promise.race([ended, more])) === 'ended') throw new Error(`it ended:\n${this.output}`);
    }
  }
}
