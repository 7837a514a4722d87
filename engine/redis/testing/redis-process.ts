/** A Redis for one test: on a free port of this machine, in memory only, killed and started again at will. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Ends a test whose Redis hangs; a start on a busy machine takes far less. */
const START_MS = 300_000;

/** Why Redis cannot run here; `undefined` if it can. */
export const NO_REDIS: string | undefined = spawnSync('redis-server', ['--version']).error && 'redis-server is not installed';
if (NO_REDIS !== undefined) console.warn(`Tests over Redis are skipped: ${NO_REDIS} (Debian: apt-get install redis-server).`);

export class RedisProcess {
  readonly #port: number;
  readonly #directory = mkdtempSync(join(tmpdir(), 'openperp-redis-'));
  #child: ChildProcess | undefined;

  private constructor(port: number) {
    this.#port = port;
  }

  static async start(): Promise<RedisProcess> {
    const redis = new RedisProcess(await freePort());
    await redis.start();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.#port}`;
  }

  /** Resolves when it accepts connections. */
  async start(): Promise<void> {
    const options = ['--port', String(this.#port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    const child = spawn('redis-server', [...options, '--dir', this.#directory], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child = child;
    const timeout = setTimeout(() => child.kill('SIGKILL'), START_MS);
    for await (const bytes of child.stdout!) if (String(bytes).includes('Ready to accept connections')) break;
    clearTimeout(timeout);
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('redis-server does not start');
    child.stdout!.resume();
  }

  /** Copies another one from now on, and accepts no changes of its own. */
  async follow(primary: RedisProcess): Promise<void> {
    const replicates = ['replicaof', '127.0.0.1', String(primary.#port)];
    const { status, stderr } = spawnSync('redis-cli', ['-p', String(this.#port), ...replicates]);
    if (status !== 0) throw new Error(String(stderr));
  }

  /** Loses everything, as in a power cut. */
  async kill(): Promise<void> {
    await this.#signal('SIGKILL', true);
  }

  /** It accepts requests and sends no responses until {@link proceed}. */
  hang(): Promise<void> {
    return this.#signal('SIGSTOP', false);
  }

  proceed(): Promise<void> {
    return this.#signal('SIGCONT', false);
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #signal(signal: NodeJS.Signals, ends: boolean): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = ends ? once(child, 'exit') : undefined;
    child.kill(signal);
    await ended;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
