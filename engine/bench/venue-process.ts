/** The venue as its users run it, in a process of its own on an empty directory: without market makers, with generated prices. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const HERE = join(import.meta.dirname, '..', '..');
const ENTRY = entryOf(HERE);
/** Ends a start that hangs; on a busy machine it takes far less. */
const START_MS = 300_000;
/** Rate limits that no load reaches. */
const UNLIMITED = ['--orders-per-second', '1000000', '--reads-per-second', '1000000'];

export interface VenueAccount {
  readonly accountId: string;
  readonly apiKey: string;
}

export class VenueProcess {
  readonly #directory: string;
  readonly #child: ChildProcess;
  /** The last lines of its output, for the error if it ends. */
  #printed = '';
  readonly #kill = () => this.#child.kill('SIGKILL');

  private constructor(directory: string, more: readonly string[], checkout: string) {
    this.#directory = directory;
    const options = ['--data-dir', directory, '--port', '0', '--no-house', ...more];
    this.#child = spawn(process.execPath, [entryOf(checkout), 'start', ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
    process.once('exit', this.#kill);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (bytes) => {
        this.#printed = (this.#printed + String(bytes)).slice(-4_096);
      });
    }
  }

  /** Resolves when the venue takes commands. */
  static async start(directory: string, more: readonly string[] = UNLIMITED, checkout = HERE): Promise<VenueProcess> {
    const venue = new VenueProcess(directory, more, checkout);
    const deadline = performance.now() + START_MS;
    while (!venue.#printed.includes('Ctrl-C stops it')) {
      venue.demandRunning();
      if (performance.now() > deadline) throw new Error(`the venue does not run:\n${venue.#printed}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return venue;
  }

  /** Throws if it has ended. */
  demandRunning(): void {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null)
      throw new Error(`the venue has ended:\n${this.#printed}`);
  }

  /** The URLs of its services. */
  get addresses(): { readonly url: string; readonly realtimeUrl: string } {
    const text = readFileSync(join(this.#directory, 'demo.env'), 'utf8');
    const value = (name: string) => new RegExp(`^${name}=(.+)$`, 'm').exec(text)![1]!;
    return { url: value('OPENPERP_URL'), realtimeUrl: value('OPENPERP_REALTIME_URL') };
  }

  /** Creates an account with the operator's command. */
  async createAccount(credit: string): Promise<VenueAccount> {
    const action = ['account', 'create', '--credit', credit, '--data-dir', this.#directory, '--json'];
    const { stdout } = await promisify(execFile)(process.execPath, [ENTRY, ...action]);
    return JSON.parse(stdout) as VenueAccount;
  }

  /** The resident memory, as the system counts it. Linux only. */
  residentBytes(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+([0-9]+) kB$/m.exec(status)![1]) * 1_024;
  }

  /** The CPU time of all its threads so far, as Linux counts it, to 10 ms. */
  cpuMs(): number {
    const stat = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8');
    // After the name in brackets: fields 3 and on. 14 and 15 are user and system ticks of 10 ms.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  }

  /** Stops it in order. */
  async stop(): Promise<void> {
    this.demandRunning();
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGINT');
    const [status] = await ended;
    process.off('exit', this.#kill);
    if (status !== 0) throw new Error(`the venue ended with status ${status}:\n${this.#printed}`);
  }

  /** Ends it at once, if it still runs. */
  kill(): void {
    process.off('exit', this.#kill);
    this.#kill();
  }
}

function entryOf(checkout: string): string {
  return join(checkout, 'src', 'openperp.mjs');
}
