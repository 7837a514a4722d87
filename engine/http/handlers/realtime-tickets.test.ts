/** Realtime tickets over HTTP: each of their refusals, and no ticket in a message. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_TICKET_FAMILIES, TICKET_LIFETIMES } from '#contract/realtime-limits.ts';
import type { Bot, VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { startVenue } from '#http/testing/venue-under-test.ts';

let venue: VenueUnderTest;
let bot: Bot;

beforeAll(async () => {
  venue = await startVenue();
  bot = await venue.bot();
});
afterAll(() => venue.close());

async function mint(by = bot): Promise<string> {
  const { status, body } = await venue.call('mintRealtimeTicket', { bot: by });
  expect([status, body.accountId]).toEqual([200, by.accountId]);
  return body.ticket;
}

const rotate = (ticket: string) => venue.call('rotateRealtimeTicket', { body: { ticket } });
const revoke = (ticket: string) => venue.call('revokeRealtimeTicket', { body: { ticket } });

async function failureOf(ticket: string): Promise<string> {
  const { status, body } = await rotate(ticket);
  expect([status, body.code, body.retryable]).toEqual([401, 'realtime_ticket_rejected', false]);
  expect(JSON.stringify(body)).not.toContain(ticket);
  return body.realtimeTicketFailure;
}

test('a ticket is rotated by itself alone, and refused with the reason', async () => {
  const first = await mint();
  const { status, body } = await rotate(first);
  expect([status, body.accountId]).toEqual([200, bot.accountId]);
  expect(body.ticket).not.toBe(first);
  expect((await rotate(body.ticket)).status).toBe(200);
  expect(await failureOf(first)).toBe('reused');
  expect(await failureOf(body.ticket)).toBe('revoked');
  expect(await failureOf('A'.repeat(43))).toBe('invalid');
  const late = await mint();
  venue.pass(TICKET_LIFETIMES.ticketMs);
  expect(await failureOf(late)).toBe('expired');
});

test('a family is revoked by any of its tickets, repeatedly, and an unknown ticket is no error', async () => {
  const first = await mint();
  const second = (await rotate(first)).body.ticket;
  for (const ticket of [first, second, first, 'A'.repeat(43)]) expect((await revoke(ticket)).status).toBe(204);
  expect(await failureOf(second)).toBe('revoked');
});

test('a ticket ends with the key that minted it', async () => {
  const key = await venue.keyOf(bot, ['read']);
  const ticket = await mint(key);
  await venue.revoke(key);
  expect(await failureOf(ticket)).toBe('revoked');
});

test('an account has a maximum number of families', async () => {
  const someone = await venue.bot();
  const tickets: string[] = [];
  for (let count = 0; count < MAX_TICKET_FAMILIES; count += 1) tickets.push(await mint(someone));
  expect((await venue.call('mintRealtimeTicket', { bot: someone })).body.code).toBe('too_many_realtime_tickets');
  await mint(bot);
  await revoke(tickets[0]!);
  await mint(someone);
});
