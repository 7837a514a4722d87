import { createServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { REALTIME_LIMITS } from '#contract/realtime-limits.ts';
import { MemoryTicketStore } from '#identity/ticket-store.ts';
import { Tickets } from '#identity/tickets.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { quoteAtoms } from '#units/money.ts';
import { systemClock } from '#writer/clock.ts';
import type { FollowGroups } from '#writer/submit.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { Opened } from './opened.ts';
import { RealtimeInThread } from './realtime-in-thread.ts';
import { temporaryDirectory } from './testing/test-venue.ts';
import { groupAt } from './testing/told-groups.ts';

const CREDIT = { type: 'CreditCash', account: 1 as AccountOrdinal, amountAtoms: quoteAtoms(1), reference: 'test' } as const;

/** Everything that goes to a thread. */
const posts = vi.spyOn(Worker.prototype, 'postMessage');

let directory: ReturnType<typeof temporaryDirectory>;
let opened: Opened;
let ledger: Ledger;
let defects: unknown[];
beforeEach(async () => {
  directory = temporaryDirectory();
  opened = new Opened();
  defects = [];
  const onHalt = (halt: unknown) => defects.push(halt);
  ledger = await openLedger({ dataDirectory: directory.path, clock: systemClock, onHalt, log: () => {} }, opened);
  await ledger.submit({ command: { type: 'OpenAccount', label: 'a', partyId: '', digestSeed: 1 } });
});
afterEach(async () => {
  await opened.close();
  directory.remove();
});

/** With a way to tell it what is not of the journal. */
async function openToTell(): Promise<{ realtime: RealtimeInThread; follow: FollowGroups }> {
  const followers: FollowGroups[] = [];
  ledger = { ...ledger, addFollower: (follow) => followers.push(follow) };
  return { realtime: await open(), follow: followers[0]! };
}

async function open(port = 0): Promise<RealtimeInThread> {
  const ticketStore = new MemoryTicketStore();
  const tickets = new Tickets({ store: ticketStore, findApiKey: () => undefined, clock: systemClock });
  const parts = {
    host: 'localhost',
    port,
    origins: [],
    trustedProxies: [],
    ledger,
    tickets,
    ticketStore,
    clock: systemClock,
    limits: REALTIME_LIMITS,
  };
  const { realtime } = await RealtimeInThread.open({
    ...parts,
    provider: 'generated',
    log: () => {},
    onDefect: (defect) => defects.push(defect),
  });
  opened.add(() => realtime.close());
  return realtime;
}

test('begins in the middle of everything, and misses no record and takes none twice', async () => {
  let isOver = false;
  const lane = async () => {
    while (!isOver) await ledger.submit({ command: CREDIT });
  };
  const lanes = Promise.all(Array.from({ length: 8 }, lane));
  const services = [await open(), await open(), await open()];
  await new Promise((resolve) => setTimeout(resolve, 100));
  isOver = true;
  await lanes;
  const { sequence } = ledger.writer.status();
  expect(sequence).toBeGreaterThan(100);
  // A record that is missing, or comes twice, does not fit the model and is a defect.
  for (const service of services) await vi.waitFor(async () => expect((await service.counts()).sequence).toBe(sequence));
  expect(defects).toEqual([]);
});

describe('a defect', () => {
  test('in what is told is reported once, and the service still ends in order', async () => {
    const { follow, realtime } = await openToTell();
    follow(groupAt(9));
    follow(groupAt(3));
    await vi.waitFor(() => expect(defects).toMatchObject([{ message: 'record 9 follows 1' }]));
    // Whatever was told before this answer would have been reported before it.
    expect((await realtime.counts()).sequence).toBe(1);
    expect(defects).toHaveLength(1);
    await realtime.close();
  });

  test('that nobody has heard of yet when it is closed is thrown there', async () => {
    const { follow, realtime } = await openToTell();
    follow(groupAt(9));
    await expect(realtime.close()).rejects.toThrow('record 9 follows 1');
    expect(defects).toEqual([]);
  });

  test('that ends the thread is reported, and everything else ends in order', async () => {
    const { realtime } = await openToTell();
    await realtime.counts();
    (posts.mock.contexts.at(-1) as Worker).postMessage(null);
    await vi.waitFor(() => expect(defects).toMatchObject([{ name: 'TypeError' }]));
    await realtime.close();
    await ledger.submit({ command: CREDIT });
    expect(defects).toHaveLength(1);
  });
});

test('says that its port is taken', async () => {
  const other = createServer();
  await new Promise((resolve) => other.listen(0, 'localhost', () => resolve(undefined)));
  const { port } = other.address() as { port: number };
  await expect(open(port)).rejects.toMatchObject({ code: 'EADDRINUSE', syscall: 'listen' });
  other.close();
  expect(defects).toEqual([]);
});
