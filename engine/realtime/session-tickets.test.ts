/** Authentication by ticket: how it succeeds, why it is refused, and what happens to sockets when a ticket ends. */
import { afterAll, describe, expect, test, vi } from 'vitest';
import { SOCKET_TICKET_FAILURES, SOCKET_TICKET_REMEDIES, type SocketTicketFailure } from '#contract/realtime-errors.ts';
import { holderIdOf } from '#identity/directory.ts';
import { StoreUnavailable } from '#identity/store-unavailable.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs, QuoteAtoms } from '#units/money.ts';
import { PASSKEY, RecordedService } from './testing/recorded-service.ts';
import { OF_TICKETS, seenCodes } from './testing/seen-codes.ts';

const ALICE = { accountId: 'acct-1' };

const { refusal, closing, seen } = seenCodes();
afterAll(() => expect(seen()).toEqual(OF_TICKETS));

describe('a ticket', () => {
  const mint = async (service: RecordedService, keyId = 'key') =>
    (await service.tickets.mint({ account: 1 as AccountOrdinal, keyId, expiresAtEpochMs: 0 as EpochMs }))!.ticket;

  test('authenticates one socket, for its account alone', async () => {
    const service = await RecordedService.start();
    const ticket = await mint(service);
    const client = await service.connect();
    const ok = await client.request({ op: 'auth', ticket });
    expect(ok).toEqual({ type: 'auth_ok', accountId: 'acct-1', expiresAt: expect.any(Number), id: 'request-1' });
    expect(await refusal(client, { op: 'auth', ticket: await mint(service) })).toMatchObject({
      code: 'already_authenticated',
    });
    for (const accountId of ['acct-2', 'acct-99', 'unknown'])
      expect(await refusal(client, { op: 'subscribe', channel: 'account.fills', accountId })).toMatchObject({
        code: 'account_forbidden',
      });
    await client.subscribed('account.fills', ALICE);
    const second = await service.connect();
    expect(await refusal(second, { op: 'auth', ticket })).toMatchObject({
      code: 'ticket_rejected',
      realtimeTicketFailure: 'used',
      message: expect.stringMatching(/already.*PUT \/v1\/realtime\/ticket/),
    });
    // The next ticket of the family authenticates.
    const rotated = await service.tickets.rotate(ticket);
    expect(await second.request({ op: 'auth', ticket: 'ticket' in rotated ? rotated.ticket : '' })).toMatchObject({
      type: 'auth_ok',
    });
    expect(client.closed).toBeUndefined();
  });

  test('of an agent account permits the channels of its scope alone, also after a rotation', async () => {
    const service = await RecordedService.start();
    const holder = { account: 2 as AccountOrdinal, keyId: 'key', expiresAtEpochMs: 0 as EpochMs };
    const scope = { account: 1 as AccountOrdinal, channels: ['account.fills'] };
    const { ticket } = (await service.tickets.mint(holder, scope))!;
    const rotated = await service.tickets.rotate(ticket);
    for (const each of [ticket, 'ticket' in rotated ? rotated.ticket : '']) {
      const client = await service.connect();
      expect(await client.request({ op: 'auth', ticket: each })).toMatchObject({ type: 'auth_ok', accountId: 'acct-1' });
      await client.subscribed('account.fills', ALICE);
      expect(await refusal(client, { op: 'subscribe', channel: 'account.balance', ...ALICE })).toMatchObject({
        code: 'channel_not_in_ticket',
        channel: 'account.balance',
      });
      expect(await refusal(client, { op: 'subscribe', channel: 'account.fills', accountId: 'acct-2' })).toMatchObject({
        code: 'account_forbidden',
      });
      expect(client.closed).toBeUndefined();
    }
  });

  test('is authenticated once: a second auth frame before the response is refused', async () => {
    const service = await RecordedService.start();
    const client = await service.connect();
    client.send({ op: 'auth', ticket: await mint(service), id: 'first' });
    expect(await refusal(client, { op: 'auth', ticket: await mint(service) })).toMatchObject({
      code: 'already_authenticated',
    });
    expect(await client.until(({ id }) => id === 'first')).toMatchObject({ type: 'auth_ok' });
  });

  test('is refused with the reason if it is unknown, revoked, reused or expired', async () => {
    const service = await RecordedService.start();
    let client = await service.connect();
    const failureOf = async (ticket: string) => {
      const { code, realtimeTicketFailure, message } = await refusal(client, { op: 'auth', ticket });
      expect(code).toBe('ticket_rejected');
      const failure = realtimeTicketFailure as SocketTicketFailure;
      expect(message).toBe(`${SOCKET_TICKET_FAILURES[failure]} ${SOCKET_TICKET_REMEDIES[failure]}`);
      expect(message).toMatch(/POST \/v1\/realtime\/ticket/);
      return failure;
    };
    expect(await failureOf('A'.repeat(43))).toBe('invalid');
    const revoked = await mint(service);
    await service.tickets.revoke(revoked);
    expect(await failureOf(revoked)).toBe('revoked');
    const first = await mint(service);
    const second = await service.tickets.rotate(first);
    await service.tickets.rotate('ticket' in second ? second.ticket : '');
    expect(await failureOf(first)).toBe('reused');
    expect(await failureOf('ticket' in second ? second.ticket : '')).toBe('revoked');
    // A socket may send several wrong tickets.
    client = await service.connect();
    const old = await mint(service);
    service.aheadMs += 3_600_000;
    expect(await failureOf(old)).toBe('expired');
    const ofKey = await mint(service, 'lost');
    service.revokedKeys.add('lost');
    expect(await failureOf(ofKey)).toBe('revoked');
  });

  test('closes the socket if it is wrong too often', async () => {
    const service = await RecordedService.start(undefined, { maxFailedAuths: 3 });
    const client = await service.connect();
    for (let count = 0; count < 2; count += 1) await refusal(client, { op: 'auth', ticket: 'A'.repeat(43) });
    client.send({ op: 'auth', ticket: 'A'.repeat(43) });
    expect(await closing(client)).toBe('tickets_rejected');
    expect(client.frames.filter(({ code }) => code === 'ticket_rejected')).toHaveLength(3);
  });

  test('is not looked up for a network with too many wrong tickets; valid tickets use up no tokens', async () => {
    const service = await RecordedService.start(undefined, { failedAuthBurst: 3, failedAuthsPerSecond: 0.01 });
    const lookUp = vi.spyOn(service.store, 'change');
    for (let count = 0; count < 5; count += 1) await service.connectAs(1);
    const [first, second] = [await service.connect(), await service.connect()];
    for (const client of [first, second, first]) await refusal(client, { op: 'auth', ticket: 'A'.repeat(43) });
    const ticket = await mint(service);
    const lookUps = lookUp.mock.calls.length;
    // Closing the socket that sent them does not give the tokens back.
    first.socket.terminate();
    const refused = await refusal(second, { op: 'auth', ticket });
    expect(refused).toMatchObject({ code: 'tickets_unavailable', retryable: true, message: expect.stringMatching(/network/) });
    expect(lookUp.mock.calls.length).toBe(lookUps);
    const elsewhere = await service.connect('127.0.0.2');
    expect(await elsewhere.request({ op: 'auth', ticket: await mint(service) })).toMatchObject({ type: 'auth_ok' });
    service.steadyAheadMs += 100_000;
    expect(await second.request({ op: 'auth', ticket })).toMatchObject({ type: 'auth_ok' });
  });

  test('is required of new sockets beyond the share of unauthenticated ones', async () => {
    const service = await RecordedService.start(undefined, { maxUnauthenticated: 1, authenticateMs: 1_000 });
    service.steadyStoppedAtMs = 0;
    const [early, late, own] = [await service.connect(), await service.connect(), await service.connectAs(1)];
    service.steadyAheadMs += 999;
    for (const client of [early, late, own]) await client.drained();
    service.steadyAheadMs += 1;
    expect(await closing(late)).toBe('authentication_overdue');
    for (const client of [early, own]) await client.drained();
  });

  test('can be retried if the store is unavailable', async () => {
    const service = await RecordedService.start(undefined, { failedAuthBurst: 2, failedAuthsPerSecond: 0.01 });
    const ticket = await mint(service);
    const client = await service.connect();
    const lookUp = vi.spyOn(service.store, 'change').mockRejectedValue(new StoreUnavailable('connection refused'));
    // The tokens are for wrong tickets: an outage does not use them up.
    for (let count = 0; count < 3; count += 1)
      expect(await refusal(client, { op: 'auth', ticket })).toMatchObject({ code: 'tickets_unavailable', retryable: true });
    lookUp.mockRestore();
    expect(await client.request({ op: 'auth', ticket })).toMatchObject({ type: 'auth_ok' });
  });

  test('closes only its sockets when its family is revoked', async () => {
    const service = await RecordedService.start();
    const ticket = await mint(service);
    const [own, public_, other] = [await service.connect(), await service.connect(), await service.connectAs(1)];
    await own.request({ op: 'auth', ticket });
    await service.tickets.revoke(ticket);
    expect(await closing(own)).toBe('ticket_revoked');
    for (const client of [public_, other]) await client.drained();
  });

  test('closes its sockets when an older ticket of the family is reused', async () => {
    const service = await RecordedService.start();
    const ticket = await mint(service);
    const own = await service.connect();
    await own.request({ op: 'auth', ticket });
    let newest = ticket;
    for (let count = 0; count < 2; count += 1) {
      const next = await service.tickets.rotate(newest);
      newest = 'ticket' in next ? next.ticket : '';
    }
    expect(await service.tickets.rotate(ticket)).toEqual({ failure: 'reused' });
    expect(await closing(own)).toBe('ticket_revoked');
  });

  test('closes its sockets when its API key is revoked', async () => {
    const service = await RecordedService.start();
    const { history } = service;
    const account = 1 as AccountOrdinal;
    for (const keyId of ['00000000000000aa', '00000000000000bb'])
      history.run({
        type: 'IssueApiKey',
        account,
        keyId,
        digest: '0'.repeat(64),
        scopes: ['read'],
        label: '',
        expiresAtEpochMs: 0 as EpochMs,
      });
    service.publish();
    const [lost, active] = [await service.connectAs(1, '00000000000000aa'), await service.connectAs(1, '00000000000000bb')];
    history.run({ type: 'RevokeApiKey', account, keyId: '00000000000000aa' });
    service.publish();
    expect(await closing(lost)).toBe('ticket_revoked');
    await active.drained();
  });

  test('closes its sockets when its session is revoked', async () => {
    const service = await RecordedService.start();
    const inSession = async () => {
      const opened = await service.sessions.open(1 as AccountOrdinal, { by: 'passkey', credentialId: PASSKEY });
      if (opened === 'full') throw new Error('full');
      const { sessionId } = opened.session;
      return { sessionId, client: await service.connectAs(1, holderIdOf(sessionId)) };
    };
    const [lost, active, ofKey] = [await inSession(), await inSession(), await service.connectAs(1)];
    await service.sessions.revoke(1 as AccountOrdinal, lost.sessionId);
    expect(await closing(lost.client)).toBe('ticket_revoked');
    for (const client of [active.client, ofKey]) await client.drained();
  });

  test('closes its sockets when it expires, unless it was rotated before', async () => {
    const service = await RecordedService.start();
    const [ticket, other] = [await mint(service), await mint(service)];
    const [gone, stays] = [await service.connect(), await service.connect()];
    await gone.request({ op: 'auth', ticket });
    await stays.request({ op: 'auth', ticket: other });
    service.aheadMs += 3_000_000;
    expect(await service.tickets.rotate(other)).toHaveProperty('ticket');
    await stays.subscribed('account.balance', ALICE);
    service.aheadMs += 700_000;
    expect(await closing(gone)).toBe('ticket_expired');
    service.history.run({ type: 'CreditCash', account: 1 as AccountOrdinal, amountAtoms: 5 as QuoteAtoms, reference: 'last' });
    service.publish();
    await stays.next('update');
  });
});
