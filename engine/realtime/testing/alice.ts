/** A client of the private channels of the first account. */
import type { RecordedService } from './recorded-service.ts';
import type { Frame, SocketClient } from './socket-client.ts';

export const ALICE = { accountId: 'acct-1' };

export async function aliceOn(service: RecordedService, ...channels: string[]): Promise<SocketClient> {
  service.publish();
  const client = await service.connectAs(1);
  for (const channel of channels) await client.subscribed(channel, ALICE);
  return client;
}

/** Waits until everything published has arrived. */
export async function updatesAfterPublishing(
  service: RecordedService,
  client: SocketClient,
  channel: string,
): Promise<readonly Frame[]> {
  service.publish();
  await client.drained();
  return client.updates(channel);
}
