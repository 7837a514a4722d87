/** A venue as a user runs it: a process of its own on a data directory, killed or stopped from outside. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ENTRY = join(import.meta.dirname, '..', '..', 'openperp.mjs');
/** Ends a test whose venue hangs; a start on a busy machine takes far less. */
const START_MS = 300_000;

export class VenueProcess {
  readonly #child: ChildProcess;
  readonly #dataDirectory: string;
  output = '';

  constructor(dataDirectory: string, ...options: string[]) {
    this.#dataDirectory = dataDirectory;
    const args = [ENTRY, 'start', '--data-dir', dataDirectory, '--port', '0', ...options];
    this.#child = spawn(process.execPath, args, { env: this.environment() });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (bytes) => {
        this.output += String(bytes);
      });
    }
  }

  protected environment(): NodeJS.ProcessEnv {
    return process.env;
  }

  /** Resolves when the venue has printed its banner. */
  async runs(): Promise<this> {
    const ended = once(this.#child, 'exit').then(() => 'ended');
    const deadline = performance.now() + START_MS;
    while (!this.output.includes('OpenPerp is running.') || !this.output.includes('Ctrl-C stops it')) {
      const state = await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 10))]);
      if (state === 'ended' || performance.now() > deadline) throw new Error(`the venue does not run:\n${this.output}`);
    }
    return this;
  }

  /** The content of the demo account's file. */
  demo(): { url: string; realtimeUrl: string; metricsUrl: string; apiKey: string; accountId: string } {
    const text = readFileSync(join(this.#dataDirectory, 'demo.env'), 'utf8');
    const value = (name: string) => new RegExp(`^${name}=(.+)$`, 'm').exec(text)?.[1] ?? '';
    return {
      url: value('OPENPERP_URL'),
      realtimeUrl: value('OPENPERP_REALTIME_URL'),
      metricsUrl: value('OPENPERP_METRICS_URL'),
      apiKey: value('OPENPERP_APIKEY'),
      accountId: value('OPENPERP_ACCOUNT_ID'),
    };
  }

  /** Sends a signal; resolves with the exit status, or the signal that ended it. */
  async end(signal: NodeJS.Signals): Promise<number | string | null> {
    const over = this.#child.exitCode ?? this.#child.signalCode;
    if (over !== null) return over;
    const ended = once(this.#child, 'exit');
    this.#child.kill(signal);
    const [code, by] = await ended;
    return code ?? by;
  }

  /** Resolves with the exit status of a venue that ends by itself. */
  async ends(): Promise<number | null> {
    if (this.#child.exitCode === null) await once(this.#child, 'exit');
    return this.#child.exitCode;
  }
}

/** Runs the sources, as users do: other tests run a bundle of the same code, which loads faster. */
export class VenueProcessOfSources extends VenueProcess {
  protected override environment(): NodeJS.ProcessEnv {
    const { NODE_OPTIONS: _, ...environment } = process.env;
    return environment;
  }
}
