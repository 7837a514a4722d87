/** When and why sockets of a ticket family are closed, also if the ticket store is unavailable or lost its data. */
import { beforeEach, expect, test, vi } from 'vitest';
import type { FindApiKey } from '#identity/directory.ts';
import { openInProcess, openOwnerStores } from '#identity/owner-stores.ts';
import { StoreUnavailable } from '#identity/store-unavailable.ts';
import { NO_OWNERS } from '#identity/testing/session-owners.ts';
import { digestsOf } from '#identity/ticket.ts';
import { revoked } from '#identity/ticket-family.ts';
import { MemoryTicketStore } from '#identity/ticket-store.ts';
import { Tickets } from '#identity/tickets.ts';
import { eventually } from '#time/testing/eventually.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Connection } from './connection.ts';
import { RecordedService } from './testing/recorded-service.ts';
import { TicketFamilies } from './ticket-families.ts';

const LIFETIME_MS = 3_600_000;
let now: number;
let store: MemoryTicketStore;
/** Thrown by the store, if set. */
let fault: Error | undefined;
let watch: TicketFamilies;
let closes: string[];
let errors: unknown[];
const clock = { now: () => now as EpochMs };

beforeEach(() => {
  now = 1_000_000;
  store = new MemoryTicketStore();
  fault = undefined;
  closes = [];
  errors = [];
  const validUntil = async (familyId: string) => {
    if (fault !== undefined) throw fault;
    return ticketsIn(store).validUntil(familyId);
  };
  watch = new TicketFamilies({ authenticate: (ticket) => ticketsIn(store).authenticate(ticket), validUntil }, clock, (error) =>
    errors.push(error),
  );
});

function ticketsIn(ticketStore: MemoryTicketStore): Tickets {
  const findApiKey: FindApiKey = (keyId) => ({ keyId, isRevoked: false }) as never;
  const { sessions } = openOwnerStores(openInProcess, clock);
  return new Tickets({ store: ticketStore, findApiKey, sessions, owners: NO_OWNERS, clock });
}

/** Adds a socket that a ticket authenticated. */
async function admit(): Promise<string> {
  const granted = await ticketsIn(store).mint({ account: 1 as AccountOrdinal, keyId: 'key', expiresAtEpochMs: 0 as EpochMs });
  const verdict = await ticketsIn(store).authenticate(granted!.ticket);
  const access = 'access' in verdict ? verdict.access : undefined;
  watch.add({ access, close: (reason: string) => closes.push(reason) } as unknown as Connection);
  return granted!.ticket;
}

test('keeps a forgotten family until its last known expiry, then closes its sockets', async () => {
  await admit();
  // Like a Redis without persistence after a restart.
  store = new MemoryTicketStore();
  now += LIFETIME_MS - 1;
  await watch.check('all');
  expect(closes).toEqual([]);
  now += 1;
  await watch.check('due');
  expect(closes).toEqual(['ticket_expired']);
});

test('closes a family that was revoked without a notification at the next check of all', async () => {
  const ticket = await admit();
  const { familyId } = digestsOf(ticket)!;
  await store.change(familyId, (family) => ({ family: revoked(family) }));
  await watch.check('due');
  expect(closes).toEqual([]);
  await watch.check('all');
  expect(closes).toEqual(['ticket_revoked']);
});

test('keeps a rotated family open', async () => {
  const ticket = await admit();
  now += LIFETIME_MS - 1;
  await ticketsIn(store).rotate(ticket);
  now += LIFETIME_MS - 1;
  await watch.check('due');
  expect(closes).toEqual([]);
});

test('applies the last known expiry while tickets are unavailable', async () => {
  await admit();
  fault = new StoreUnavailable('Redis is unavailable');
  await watch.check('all');
  expect(closes).toEqual([]);
  now += LIFETIME_MS;
  await watch.check('due');
  expect(closes).toEqual(['ticket_expired']);
  expect(errors).toEqual([]);
});

test('applies the last known expiry if the lookup of a family has an internal error, and reports it', async () => {
  await admit();
  fault = new TypeError('undefined is not a function');
  await watch.check('all');
  expect([closes, errors]).toEqual([[], [fault]]);
  now += LIFETIME_MS;
  await watch.check('due');
  expect(closes).toEqual(['ticket_expired']);
});

test('closes the socket if authentication has an internal error, and reports it', async () => {
  const service = await RecordedService.start();
  const client = await service.connect();
  const granted = await service.tickets.mint({ account: 1 as AccountOrdinal, keyId: 'key', expiresAtEpochMs: 0 as EpochMs });
  const error = new TypeError('undefined is not a function');
  vi.spyOn(service.store, 'change').mockRejectedValueOnce(error);
  client.send({ op: 'auth', ticket: granted!.ticket });
  expect(await client.closes()).toEqual({ code: 1011, reason: 'internal_error' });
  expect(service.internalErrors).toEqual([error]);
  expect(client.frames.map(({ type }) => type)).toEqual(['hello']);
  await service.connectAs(1);
  vi.spyOn(service.store, 'find').mockRejectedValueOnce(error);
  service.aheadMs += LIFETIME_MS;
  await eventually(() => expect(service.internalErrors).toEqual([error, error]));
  service.internalErrors.length = 0;
});

test('closes the other sockets of a family if closing one throws, and reports the exception', async () => {
  const access = { familyId: 'family', keyId: 'key', expiresAtEpochMs: now };
  const planted = new Error('planted');
  let throws = 1;
  const close = (reason: string) => {
    if (throws-- > 0) throw planted;
    closes.push(reason);
  };
  for (let socket = 0; socket < 3; socket += 1) watch.add({ access, close } as unknown as Connection);
  watch.holderEnded('key');
  expect(errors).toEqual([planted]);
  expect(closes).toEqual(['ticket_revoked', 'ticket_revoked']);
});
