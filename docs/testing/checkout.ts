/**
 * A reader's environment: the folder of a checkout with a running venue, its demo account, and the quotes of the built-in market
 * makers.
 */
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { VenueProcess } from '#app/testing/venue-process.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const OWN = new Set(['openperp-data', '.git']);
/** Copied instead of linked, because programs in it resolve paths from their own location. */
const COPIED = new Set(['examples']);
/** Ends a wait that hangs; on a busy machine it takes far less. */
const TIMEOUT_MS = 300_000;

export class Checkout {
  readonly folder = mkdtempSync(join(tmpdir(), 'openperp-docs-'));
  #venue: VenueProcess | undefined;
  #ports: readonly string[] = [];

  constructor() {
    for (const name of readdirSync(ROOT)) {
      const [from, to] = [join(ROOT, name), join(this.folder, name)];
      if (COPIED.has(name)) cpSync(from, to, { recursive: true });
      else if (!OWN.has(name)) symlinkSync(from, to);
    }
  }

  save(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  /** Resolves when every market has quotes and a trade. A second start takes the ports of the first. */
  async start(): Promise<void> {
    this.#venue = new VenueProcess(join(this.folder, 'openperp-data'), ...this.#ports);
    const { url, realtimeUrl, metricsUrl } = (await this.#venue.runs()).demo();
    const ports = { '--port': url, '--realtime-port': realtimeUrl, '--metrics-port': metricsUrl };
    this.#ports = Object.entries(ports).flatMap(([option, address]) => [option, new URL(address).port]);
    await untilTraded(url);
  }

  async stop(): Promise<void> {
    if (this.#venue === undefined) return;
    const status = await this.#venue.end('SIGTERM');
    if (status !== 0) throw new Error(`the venue ended with ${status}:\n${this.#venue.output}`);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function untilTraded(url: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const { markets } = await get<{ markets: { marketId: string }[] }>(`${url}/v1/markets`);
    const all = await Promise.all(
      markets.map(({ marketId }) => get<Record<string, string>>(`${url}/v1/markets/${marketId}/stats`)),
    );
    if (all.every(({ bestBidPrice, bestAskPrice, lastPrice }) => bestBidPrice && bestAskPrice && lastPrice)) return;
    if (performance.now() > deadline)
      throw new Error(`the market makers have not traded on every market within ${TIMEOUT_MS / 1_000} s`);
    await sleep(50);
  }
}

async function get<Body>(address: string): Promise<Body> {
  return (await (await fetch(address)).json()) as Body;
}
