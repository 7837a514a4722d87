import { beforeEach, describe, expect, test } from 'vitest';
import { MAX_TICKET_FAMILIES, TICKET_LIFETIMES } from '#contract/realtime-limits.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { holderIdOf, type StoredApiKey } from './directory.ts';
import { openInProcess, openOwnerStores } from './owner-stores.ts';
import { SESSION_LIFETIME_MS, type Sessions } from './sessions.ts';
import { sessionOwners } from './testing/session-owners.ts';
import { createTicket, digestsOf, nextTicket } from './ticket.ts';
import { MemoryTicketStore, REVOCATION_RETENTION_MS } from './ticket-store.ts';
import { Tickets } from './tickets.ts';

const account = 7 as AccountOrdinal;
/** Of a key without an expiry. */
const NEVER = 0 as EpochMs;
let now: number;
let keys: Map<string, boolean>;
let store: MemoryTicketStore;
let tickets: Tickets;
let revokedFamilies: string[];
let sessions: Sessions;
let legacy: Set<AccountOrdinal>;
let holders: Map<string, AccountOrdinal>;

beforeEach(() => {
  now = 1_000_000;
  keys = new Map([['key', false]]);
  store = new MemoryTicketStore();
  revokedFamilies = [];
  store.onRevoked((familyId) => revokedFamilies.push(familyId));
  const findApiKey = (keyId: string) => (keys.has(keyId) ? ({ keyId, isRevoked: keys.get(keyId) } as StoredApiKey) : undefined);
  const clock = { now: () => now as EpochMs };
  ({ sessions } = openOwnerStores(openInProcess, clock));
  legacy = new Set();
  holders = new Map([['AAAA', account]]);
  const owners = sessionOwners(holders, legacy);
  tickets = new Tickets({ store, findApiKey, sessions, owners, clock });
});

async function mint(keyId = 'key'): Promise<string> {
  return (await tickets.mint({ account, keyId, expiresAtEpochMs: NEVER }))!.ticket;
}

async function mintInSession(): Promise<readonly [ticket: string, sessionId: string]> {
  const opened = await sessions.open(account, { by: 'passkey', credentialId: 'AAAA' });
  if (opened === 'full') throw new Error('full');
  const { sessionId, expiresAtEpochMs } = opened.session;
  return [(await tickets.mint({ account, keyId: holderIdOf(sessionId), expiresAtEpochMs }))!.ticket, sessionId];
}

async function rotate(ticket: string): Promise<string> {
  const next = await tickets.rotate(ticket);
  if ('failure' in next) throw new Error(next.failure);
  return next.ticket;
}

describe('ticket', () => {
  test('has 43 characters, is never made twice, and is stored as digests only', async () => {
    const created = Array.from({ length: 50 }, createTicket);
    for (const { ticket } of created) expect(ticket).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(new Set(created.flatMap(({ ticket, familyId, digest }) => [ticket, familyId, digest])).size).toBe(150);
    const ticket = await mint();
    const { familyId } = digestsOf(ticket)!;
    const stored = JSON.stringify(await store.find(familyId));
    expect(stored).not.toContain(ticket);
    // Nor either half of it, in any reversible form.
    const bytes = Buffer.from(ticket, 'base64url');
    for (const half of [bytes.subarray(0, 16), bytes.subarray(16)])
      for (const form of ['hex', 'base64', 'base64url'] as const) expect(stored).not.toContain(half.toString(form));
  });

  test('shares only its family with the next one', () => {
    const first = createTicket();
    const next = nextTicket(first.ticket);
    expect(next.familyId).toBe(first.familyId);
    expect(next.digest).not.toBe(first.digest);
    expect(digestsOf(next.ticket)).toEqual({ familyId: next.familyId, digest: next.digest });
  });

  test.each(['', 'A', 'A'.repeat(42), 'A'.repeat(44), `${'A'.repeat(42)}B`, `${'A'.repeat(42)}=`, 'ä'.repeat(43)])(
    'is malformed as %j, which is reported without reading the store',
    async (text) => {
      expect(digestsOf(text)).toBeUndefined();
      expect(await tickets.rotate(text)).toEqual({ failure: 'invalid' });
      expect(await tickets.authenticate(text)).toEqual({ failure: 'invalid' });
      await tickets.revoke(text);
    },
  );
});

describe('family of tickets', () => {
  test('belongs to one account, and lasts an hour from its newest ticket', async () => {
    const granted = await tickets.mint({ account, keyId: 'key', expiresAtEpochMs: NEVER });
    expect(granted).toMatchObject({ account, expiresAtEpochMs: now + TICKET_LIFETIMES.ticketMs });
    now += TICKET_LIFETIMES.ticketMs - 1;
    const next = await tickets.rotate(granted!.ticket);
    expect(next).toMatchObject({ account, expiresAtEpochMs: now + TICKET_LIFETIMES.ticketMs });
    now += 1;
    // The previous one has expired by itself; the family continues.
    expect(await tickets.rotate(granted!.ticket)).toEqual({ failure: 'expired' });
    expect(await rotate('ticket' in next ? next.ticket : '')).toMatch(/./);
    expect(revokedFamilies).toEqual([]);
  });

  test('lasts no longer than a day, however often it is rotated', async () => {
    let ticket = await mint();
    const endsAt = now + TICKET_LIFETIMES.familyMs;
    for (; now < endsAt - TICKET_LIFETIMES.ticketMs; now += TICKET_LIFETIMES.ticketMs / 2) ticket = await rotate(ticket);
    ticket = await rotate(ticket);
    now = endsAt - 10;
    expect(await tickets.rotate(ticket)).toMatchObject({ expiresAtEpochMs: endsAt });
    now = endsAt;
    expect(await tickets.rotate(ticket)).toHaveProperty('failure');
  });

  test('accepts the current ticket and the previous one, and is revoked by any use of an older one', async () => {
    for (const use of [
      (ticket: string) => tickets.rotate(ticket),
      (ticket: string) => tickets.authenticate(ticket),
      (ticket: string) => tickets.revoke(ticket),
    ]) {
      const first = await mint();
      const second = await rotate(first);
      const third = await rotate(second);
      expect(await tickets.authenticate(second)).toHaveProperty('access');
      expect([undefined, 'reused']).toContain(((await use(first)) as { failure?: string } | undefined)?.failure);
      expect(await tickets.rotate(third)).toEqual({ failure: 'revoked' });
      expect(revokedFamilies.at(-1)).toBe(digestsOf(first)!.familyId);
    }
  });

  test('gives another ticket when the last response was lost, and is revoked if the lost ticket is used', async () => {
    const first = await mint();
    const lost = await rotate(first);
    const second = await rotate(first);
    expect(await tickets.rotate(lost)).toEqual({ failure: 'reused' });
    expect(await tickets.rotate(second)).toEqual({ failure: 'revoked' });
  });

  test('authenticates one socket with each ticket', async () => {
    const first = await mint();
    expect(await tickets.authenticate(first)).toEqual({
      access: { account, keyId: 'key', familyId: digestsOf(first)!.familyId, expiresAtEpochMs: now + TICKET_LIFETIMES.ticketMs },
    });
    expect(await tickets.authenticate(first)).toEqual({ failure: 'used' });
    const second = await rotate(first);
    expect(await tickets.authenticate(first)).toEqual({ failure: 'used' });
    expect(await tickets.authenticate(second)).toHaveProperty('access');
  });

  test('notifies of its revocation once, by either ticket, however often it is revoked', async () => {
    const first = await mint();
    const second = await rotate(first);
    for (const ticket of [first, second, first]) await tickets.revoke(ticket);
    expect(revokedFamilies).toEqual([digestsOf(first)!.familyId]);
    expect(await tickets.authenticate(second)).toEqual({ failure: 'revoked' });
    expect(await tickets.validUntil(digestsOf(first)!.familyId)).toBe('revoked');
    expect(await tickets.validUntil(createTicket().familyId)).toBe('unknown');
  });

  test('ends with its API key', async () => {
    const ticket = await mint();
    const { familyId } = digestsOf(ticket)!;
    expect(await tickets.validUntil(familyId)).toBe(now + TICKET_LIFETIMES.ticketMs);
    keys.set('key', true);
    expect(await tickets.validUntil(familyId)).toBe('revoked');
    expect(await tickets.rotate(ticket)).toEqual({ failure: 'revoked' });
    expect(revokedFamilies).toEqual([familyId]);
  });

  test('ends with its session: when it is revoked, its passkey is removed, or its account is legacy', async () => {
    for (const end of [
      (sessionId: string) => sessions.revoke(account, sessionId),
      () => holders.clear(),
      () => legacy.add(account),
    ]) {
      holders.set('AAAA', account);
      const [ticket, sessionId] = await mintInSession();
      const { familyId } = digestsOf(ticket)!;
      expect(await tickets.validUntil(familyId)).toBe(now + SESSION_LIFETIME_MS);
      expect(await tickets.authenticate(ticket)).toHaveProperty('access.keyId', holderIdOf(sessionId));
      await end(sessionId);
      expect(await tickets.validUntil(familyId)).toBe('revoked');
      expect(await tickets.rotate(ticket)).toEqual({ failure: 'revoked' });
    }
    // Keys of a retired account are revoked by commands of their own.
    expect(await tickets.rotate(await mint())).toHaveProperty('ticket');
  });

  test('lasts no longer than its session, and is then reported as expired', async () => {
    const [ticket, sessionId] = await mintInSession();
    now += SESSION_LIFETIME_MS / 2;
    expect(await tickets.rotate(ticket)).toHaveProperty('expiresAtEpochMs', now + SESSION_LIFETIME_MS / 2);
    now += SESSION_LIFETIME_MS / 2;
    expect(await tickets.authenticate(ticket)).toEqual({ failure: 'expired' });
    expect(await sessions.unrevoked(sessionId)).toBeDefined();
  });

  test('of an ended session makes room for another', async () => {
    const [, sessionId] = await mintInSession();
    for (let count = 1; count < MAX_TICKET_FAMILIES; count += 1) await mint();
    expect(await tickets.mint({ account, keyId: 'key', expiresAtEpochMs: NEVER })).toBeUndefined();
    await sessions.revoke(account, sessionId);
    await mint();
  });

  test('lasts no longer than its API key', async () => {
    const endsAt = (now + 5_000) as EpochMs;
    const granted = await tickets.mint({ account, keyId: 'key', expiresAtEpochMs: endsAt });
    expect(granted?.expiresAtEpochMs).toBe(endsAt);
    expect(await tickets.rotate(granted!.ticket)).toMatchObject({ expiresAtEpochMs: endsAt });
    now = endsAt;
    expect(await tickets.authenticate(granted!.ticket)).toEqual({ failure: 'expired' });
  });

  test("counts against its account's limit until it ends", async () => {
    const validTickets = await Promise.all(Array.from({ length: MAX_TICKET_FAMILIES }, () => mint()));
    expect(await tickets.mint({ account, keyId: 'key', expiresAtEpochMs: NEVER })).toBeUndefined();
    expect(await tickets.mint({ account: 8 as AccountOrdinal, keyId: 'key', expiresAtEpochMs: NEVER })).toBeDefined();
    await tickets.revoke(validTickets[0]!);
    await mint();
    expect(await tickets.mint({ account, keyId: 'key', expiresAtEpochMs: NEVER })).toBeUndefined();
    now += TICKET_LIFETIMES.ticketMs;
    expect(await tickets.rotate(validTickets[1]!)).toEqual({ failure: 'expired' });
    for (let count = 0; count < MAX_TICKET_FAMILIES; count += 1) await mint();
    now += REVOCATION_RETENTION_MS + TICKET_LIFETIMES.ticketMs;
    await mint();
    // It ended too long ago to be remembered.
    expect(await tickets.rotate(validTickets[1]!)).toEqual({ failure: 'invalid' });
  });

  test('is forgotten an hour after it expired, even if its account never requests another', async () => {
    const [gone, rotated] = [await mint(), await mint()];
    const retainedUntil = now + TICKET_LIFETIMES.ticketMs + REVOCATION_RETENTION_MS;
    now += TICKET_LIFETIMES.ticketMs / 2;
    const next = await rotate(rotated);
    await tickets.authenticate(next);
    const other = { account: 8 as AccountOrdinal, keyId: 'key', expiresAtEpochMs: NEVER };
    now = retainedUntil - 1;
    await tickets.mint(other);
    for (const ticket of [gone, rotated]) expect(await tickets.validUntil(digestsOf(ticket)!.familyId)).not.toBe('unknown');
    now = retainedUntil;
    await tickets.mint(other);
    expect(await tickets.validUntil(digestsOf(gone)!.familyId)).toBe('unknown');
    expect(await tickets.validUntil(digestsOf(rotated)!.familyId)).not.toBe('unknown');
  });
});
