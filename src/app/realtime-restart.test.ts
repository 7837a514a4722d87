/**
 * A venue in a process of its own is killed, or stopped, while clients are subscribed. After the start, a replay from their first
 * sequence is byte for byte what they received before, and continues. `OPENPERP_REPLAY_KILLS=50 npx vitest run
 * src/app/realtime-restart.test.ts` sets the number of kills.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { PROJECTION_FILE } from '#host/ledger.ts';
import { type Frame, SocketClient } from '#realtime/testing/socket-client.ts';
import { eventually } from '#time/testing/eventually.ts';
import { callerWith } from './testing/test-venue.ts';
import { VenueProcess } from './testing/venue-process.ts';

const KILLS = Number(process.env.OPENPERP_REPLAY_KILLS ?? 2);
const MARKET = { marketId: 'BTC-USD-PERP' };
const CHANNELS = ['market.trades', 'market.price', 'market.funding', 'account.orders', 'account.margin', 'account.durability'];

class Follower {
  readonly client: SocketClient;
  readonly #accountId: string;

  private constructor(client: SocketClient, accountId: string) {
    this.client = client;
    this.#accountId = accountId;
  }

  static async of(venue: VenueProcess): Promise<Follower> {
    const { url, realtimeUrl, apiKey, accountId } = venue.demo();
    const client = await SocketClient.connect(realtimeUrl);
    onTestFinished(() => client.socket.terminate());
    const { body } = await callerWith(apiKey)({ url }, '/v1/realtime/ticket', { method: 'POST', body: '{}' });
    expect(await client.request({ op: 'auth', ticket: body.ticket })).toMatchObject({ type: 'auth_ok' });
    return new Follower(client, accountId);
  }

  /** Subscribes; resolves with the first sequence of each channel. */
  async follow(from: Readonly<Record<string, number>> = {}): Promise<Readonly<Record<string, number>>> {
    const firstSequences: Record<string, number> = {};
    for (const channel of CHANNELS) {
      const subject = channel.startsWith('market') ? MARKET : { accountId: this.#accountId };
      firstSequences[channel] = (await this.client.subscribed(channel, subject, from[channel])).sequence;
    }
    return firstSequences;
  }

  updatesOf(channel: string): readonly Frame[] {
    return this.client.updates(channel);
  }
}

/** Places and cancels orders until the venue is gone. */
async function trade(venue: VenueProcess): Promise<void> {
  const { url, apiKey, accountId } = venue.demo();
  const call = callerWith(apiKey);
  for (let count = 1; ; count += 1) {
    const order = { orderType: 'limit', side: 'buy', price: '20000.0', quantity: '0.001', ...MARKET, accountId };
    const key = `${performance.now()}-${count}`;
    try {
      const init = {
        method: 'POST',
        headers: { 'idempotency-key': key },
        body: JSON.stringify({ ...order, clientOrderId: key }),
      };
      const { body } = await call({ url }, '/v1/orders', init);
      await call({ url }, `/v1/orders/${body.orderId}/cancel`, { method: 'POST' });
    } catch {
      return;
    }
  }
}

async function isProjectionRetained(directory: string): Promise<void> {
  const database = new DatabaseSync(join(directory, PROJECTION_FILE), { readOnly: true });
  const checkpoint = database.prepare('SELECT sequence FROM checkpoint');
  const before = checkpoint.get()?.sequence;
  await eventually(() => expect(checkpoint.get()?.sequence).not.toBe(before), { intervalMs: 1 });
  database.close();
}

test(
  'replays byte for byte after a start what was published before a kill or a stop',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'openperp-replay-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    let venue = await new VenueProcess(directory).runs();
    onTestFinished(() => void venue.end('SIGKILL'));
    let follower = await Follower.of(venue);
    const from = await follower.follow();
    for (let round = 0; round <= KILLS; round += 1) {
      const trading = trade(venue);
      const before = follower.updatesOf('account.orders').length;
      await eventually(() => expect(follower.updatesOf('account.orders').length).toBeGreaterThan(before + 100));
      // The market makers trade at times of their own.
      await eventually(() => expect(follower.updatesOf('market.trades').length).toBeGreaterThan(0));
      // The worst case: the projection file is fully up to date, and the replay log of its records is no further.
      await isProjectionRetained(directory);
      expect(await venue.end(round === KILLS ? 'SIGTERM' : 'SIGKILL')).toBe(round === KILLS ? 0 : 'SIGKILL');
      await trading;
      venue = await new VenueProcess(directory).runs();
      const again = await Follower.of(venue);
      expect(await again.follow(from)).toEqual(from);
      for (const channel of CHANNELS) {
        const before = follower.updatesOf(channel);
        await eventually(() => expect(again.updatesOf(channel).length).toBeGreaterThanOrEqual(before.length));
        expect(again.updatesOf(channel).slice(0, before.length)).toEqual(before);
      }
      again.client.demandValid();
      follower = again;
    }
  },
  600_000 + KILLS * 20_000,
);
