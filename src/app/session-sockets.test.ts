/** Sockets end with the session or the key that minted their ticket, through the threads of a composed venue. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Bot } from '#http/testing/driven-venue.ts';
import { SocketClient } from '#realtime/testing/socket-client.ts';
import { startInThreads } from './testing/venue-in-threads.ts';

let venue: Awaited<ReturnType<typeof startInThreads>>;
let owner: Bot;
let clients: SocketClient[];

beforeEach(async () => {
  venue = await startInThreads();
  owner = await venue.bot(0);
  clients = [];
});
afterEach(async () => {
  for (const client of clients) client.socket.terminate();
  await venue.close();
  expect(venue.internalErrors).toEqual([]);
});

async function socketOf(bot: Bot): Promise<SocketClient> {
  const client = await SocketClient.connect(Number(new URL(venue.realtimeUrl).port), '127.0.0.1');
  clients.push(client);
  const { ticket } = (await venue.call('mintRealtimeTicket', { bot })).body;
  expect(await client.request({ op: 'auth', ticket })).toMatchObject({ type: 'auth_ok', accountId: owner.accountId });
  return client;
}

const REVOKED = { code: 4005, reason: 'ticket_revoked' };

describe('a socket', () => {
  test('is closed when its session ends, and others stay', async () => {
    const [session, other] = [await venue.signIn(owner), await venue.signIn(owner)];
    const [gone, stays, ofKey] = [await socketOf(session), await socketOf(other), await socketOf(owner)];
    expect((await venue.call('endSession', { bot: session })).status).toBe(204);
    expect(await gone.closes()).toEqual(REVOKED);
    for (const client of [stays, ofKey]) await client.drained();
    expect((await venue.call('endSessions', { bot: other })).status).toBe(204);
    expect(await stays.closes()).toEqual(REVOKED);
    await ofKey.drained();
  });

  test('is closed when its account is retired', async () => {
    const socket = await socketOf(await venue.signIn(owner));
    await venue.operate({ type: 'RetireAccount', account: owner.account }, 'AccountRetired');
    await expect.poll(() => venue.sessions.list(owner.account)).toEqual([]);
    expect(await socket.closes()).toEqual(REVOKED);
  });

  test('is closed when the owner revokes its key', async () => {
    const key = await venue.keyOf(owner, ['read']);
    const [gone, stays] = [await socketOf(key), await socketOf(owner)];
    const params = { accountId: owner.accountId, keyId: key.keyId };
    expect((await venue.call('revokeApiKey', { bot: await venue.signIn(owner), params })).status).toBe(204);
    expect(await gone.closes()).toEqual(REVOKED);
    await stays.drained();
  });
});
