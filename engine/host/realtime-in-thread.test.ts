import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { groupAt } from '#app/testing/durable-groups.ts';
import { SEGMENT_BYTES, temporaryDirectory } from '#app/testing/test-venue.ts';
import { DEFAULT_ENVIRONMENT } from '#contract/environments.ts';
import { REALTIME_LIMITS, type RealtimeLimits } from '#contract/realtime-limits.ts';
import { openInProcess, openOwnerStores } from '#identity/owner-stores.ts';
import { StoreUnavailable } from '#identity/store-unavailable.ts';
import { NO_OWNERS } from '#identity/testing/session-owners.ts';
import { MemoryTicketStore } from '#identity/ticket-store.ts';
import { Tickets } from '#identity/tickets.ts';
import { SocketClient } from '#realtime/testing/socket-client.ts';
import { systemTime } from '#time/system-time.ts';
import { eventually } from '#time/testing/eventually.ts';
import type { AccountOrdinal, Sequence } from '#units/ids.ts';
import { quoteAtoms } from '#units/money.ts';
import type { GroupListener } from '#writer/port/submit.ts';
import { closeAll } from './close-all.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { RealtimeInThread } from './realtime-in-thread.ts';

const CREDIT = { type: 'CreditCash', account: 1 as AccountOrdinal, amountAtoms: quoteAtoms(1), reference: 'test' } as const;

/** Everything that is sent to a thread. */
const posts = vi.spyOn(Worker.prototype, 'postMessage');

let directory: ReturnType<typeof temporaryDirectory>;
let resources: AsyncDisposableStack;
let ledger: Ledger;
let internalErrors: unknown[];
let lines: string[];
beforeEach(async () => {
  directory = temporaryDirectory();
  resources = new AsyncDisposableStack();
  internalErrors = [];
  lines = [];
  const onHalt = (halt: unknown) => internalErrors.push(halt);
  const options = { ...systemTime, dataDirectory: directory.path, onHalt, log: () => {}, segmentBytes: SEGMENT_BYTES };
  ledger = await openLedger(options, resources);
  await ledger.submit({ command: { type: 'OpenAccount', label: 'a', partyId: '', digestSeed: 1 } });
});
afterEach(async () => {
  posts.mockReset();
  await closeAll(resources);
  directory.remove();
});

/** With a way to publish groups that are not in the journal. */
async function openForPublishing(
  limits: Partial<RealtimeLimits> = {},
): Promise<{ realtime: RealtimeInThread; port: number; follow: GroupListener }> {
  const followers: GroupListener[] = [];
  ledger = { ...ledger, addListener: (follow) => followers.push(follow) };
  return { ...(await open(0, new MemoryTicketStore(), limits)), follow: followers[0]! };
}

async function open(
  port = 0,
  ticketStore = new MemoryTicketStore(),
  limits: Partial<RealtimeLimits> = {},
  replayLogDirectory?: string,
): Promise<{ realtime: RealtimeInThread; port: number }> {
  const { clock } = systemTime;
  const { sessions } = openOwnerStores(openInProcess, clock);
  const tickets = new Tickets({
    store: ticketStore,
    findApiKey: () => undefined,
    sessions,
    owners: NO_OWNERS,
    clock,
  });
  const parts = {
    environment: DEFAULT_ENVIRONMENT,
    host: 'localhost',
    port,
    origins: [],
    trustedProxies: [],
    ledger,
    tickets,
    ticketStore,
    sessions,
    clock,
    timers: systemTime.timers,
    replayLogDirectory,
    limits: { ...REALTIME_LIMITS, ...limits },
  };
  const started = await RealtimeInThread.open({
    ...parts,
    provider: 'generated',
    log: (line) => lines.push(line),
    onFatalError: (error) => internalErrors.push(error),
    onInternalError: (error) => internalErrors.push(error),
  });
  resources.defer(() => started.realtime.close());
  return started;
}

/** Where the kernel has each thread of this process wait. Empty if the system does not say. */
function waitChannels(): readonly string[] {
  const tasks = '/proc/self/task';
  if (!existsSync(tasks)) return [];
  return readdirSync(tasks).flatMap((task) => {
    const file = join(tasks, task, 'wchan');
    return existsSync(file) ? [readFileSync(file, 'utf8')] : [];
  });
}

test('starts amid traffic without missing or repeating a record', async () => {
  let isOver = false;
  const lane = async () => {
    while (!isOver) await ledger.submit({ command: CREDIT });
  };
  const lanes = Promise.all(Array.from({ length: 8 }, lane));
  const services = [await open(), await open(), await open()];
  await eventually(() => expect(ledger.writer.status().sequence).toBeGreaterThan(100));
  isOver = true;
  await lanes;
  const { sequence } = ledger.writer.status();
  // A missing or repeated record does not fit the model and is an internal error.
  for (const { realtime } of services) await eventually(async () => expect((await realtime.counts()).sequence).toBe(sequence));
  expect(internalErrors).toEqual([]);
});

describe('groups', () => {
  test('published by the start go to the replay log as they are folded, not all at once', async () => {
    const { port1: sent, port2: rows } = new MessageChannel();
    const { projection } = ledger;
    projection.sendLiveRows(sent);
    const since = Array.from({ length: 10_000 }, (_, index) => new Uint8Array(groupAt(index + 2).stored!.bytes));
    ledger = { ...ledger, addListener: () => {}, takeBootstrap: () => ({ rows, since, sequence: 1 as Sequence }) };
    const reached = new Set<number>();
    const looking = setInterval(() => reached.add(projection.replayable.sequence), 1);
    await open(0, new MemoryTicketStore(), {}, join(directory.path, 'replay'));
    await eventually(() => expect(reached).toContain(10_001));
    clearInterval(looking);
    expect(reached.size).toBeGreaterThan(2);
    expect(lines).toEqual([]);
  });

  test('are batched without clients, are sent at once from the first client on, and keep their order', async () => {
    const { follow, realtime, port } = await openForPublishing();
    let sequence = 1;
    /** Whether the next group was sent at once. */
    const isPublished = () => {
      const before = posts.mock.calls.length;
      sequence += 1;
      follow(groupAt(sequence));
      return posts.mock.calls.length > before;
    };
    expect([isPublished(), isPublished(), isPublished()]).toEqual([false, false, false]);
    for (let round = 0; round < 3; round += 1) {
      const client = new WebSocket(`ws://localhost:${port}`);
      await once(client, 'open');
      await eventually(() => expect(isPublished()).toBe(true), { intervalMs: 1 });
      expect([isPublished(), isPublished()]).toEqual([true, true]);
      client.terminate();
      await eventually(() => expect(isPublished()).toBe(false), { intervalMs: 1 });
    }
    // A group that does not follow its predecessor is an internal error.
    await eventually(async () => expect((await realtime.counts()).sequence).toBe(sequence));
    expect(internalErrors).toEqual([]);
  });

  test('are sent after a moment without clients', async () => {
    const { follow } = await openForPublishing();
    posts.mockClear();
    for (const sequence of [2, 3, 4]) follow(groupAt(sequence));
    await eventually(() => expect(posts).toHaveBeenCalledTimes(1));
    expect(posts.mock.calls[0]).toMatchObject([{ type: 'groups', groups: { length: 3 } }, expect.anything()]);
  });
});

describe('thread that is behind', () => {
  test('gets no more groups, disconnects its clients, and starts again from the current rows', async () => {
    const { realtime, port } = await open(0, new MemoryTicketStore(), { maxWaitingRecords: 3 });
    const before = await SocketClient.connect(port);
    let isOver = false;
    const lane = async () => {
      while (!isOver) await ledger.submit({ command: CREDIT });
    };
    const lanes = Promise.all(Array.from({ length: 16 }, lane));
    await eventually(() => expect(lines.length).toBeGreaterThan(1));
    expect(lines[0]).toMatch(/^realtime: [0-9]+ records wait to be published: /);
    isOver = true;
    await lanes;
    expect(await before.closes()).toEqual({ code: 1013, reason: 'overloaded' });
    const { sequence } = ledger.writer.status();
    await eventually(async () => expect((await realtime.counts()).sequence).toBe(sequence));
    expect(realtime.behindRecords).toBe(0);
    // From here on nothing is missing, and earlier updates are reported as unavailable.
    const after = await SocketClient.connect(port);
    await ledger.submit({ command: CREDIT });
    await eventually(async () => expect((await realtime.counts()).sequence).toBe(sequence + 1));
    await after.drained();
    expect(after.closed).toBeUndefined();
    expect(internalErrors).toEqual([]);
    for (const client of [before, after]) client.socket.terminate();
  });

  test('gets a bounded number of groups', async () => {
    const max = 3_000;
    const { follow, realtime } = await openForPublishing({ maxWaitingRecords: max });
    posts.mockReset().mockImplementation(() => {});
    for (let sequence = 2; sequence <= 3 * max; sequence += 1) follow(groupAt(sequence));
    const groups = posts.mock.calls.flatMap(([message]) => (message.type === 'groups' ? message.groups : []));
    expect(groups.length).toBe(max + 1);
    posts.mockReset();
    await realtime.close();
  });

  test.skipIf(waitChannels().length === 0)(
    'closes normally with a hanging disk, and its thread ends once the disk responds',
    async () => {
      const folder = join(directory.path, 'replay');
      const { realtime } = await open(0, new MemoryTicketStore(), {}, folder);
      const written = await ledger.submit({ command: CREDIT });
      await eventually(() => expect(ledger.projection.replayable.sequence).toBe(written.sequence));
      const [path] = readdirSync(folder).map((name) => join(folder, name));
      rmSync(path!);
      execFileSync('mkfifo', [path!]);
      const { sequence } = await ledger.submit({ command: CREDIT });
      await eventually(async () => expect((await realtime.counts()).sequence).toBe(sequence));
      // A pipe opens for writing once it is opened for reading.
      await eventually(() => expect(waitChannels()).toContain('wait_for_partner'));
      await realtime.close();
      closeSync(openSync(path!, constants.O_RDONLY | constants.O_NONBLOCK));
      expect(internalErrors).toEqual([]);
    },
  );

  test('is terminated if it does not end', async () => {
    const { realtime } = await openForPublishing();
    posts.mockImplementation(() => {});
    vi.useFakeTimers();
    const closed = expect(realtime.close()).rejects.toThrow('the thread of the realtime service did not end');
    await vi.advanceTimersByTimeAsync(20_000);
    vi.useRealTimers();
    posts.mockReset();
    await closed;
  });
});

describe('internal error', () => {
  test('in published groups is reported once, and the service still closes normally', async () => {
    const { follow, realtime } = await openForPublishing();
    follow(groupAt(9));
    follow(groupAt(3));
    await eventually(() => expect(internalErrors).toMatchObject([{ message: 'record 9 follows 1' }]));
    // Anything reported before this response would have arrived before it.
    expect((await realtime.counts()).sequence).toBe(1);
    expect(internalErrors).toHaveLength(1);
    await realtime.close();
  });

  test('that is unreported when it closes is thrown there', async () => {
    const { follow, realtime } = await openForPublishing();
    follow(groupAt(9));
    await expect(realtime.close()).rejects.toThrow('record 9 follows 1');
    expect(internalErrors).toEqual([]);
  });

  test('that ends the thread is reported, and everything else closes normally', async () => {
    const { realtime } = await openForPublishing();
    await realtime.counts();
    (posts.mock.contexts.at(-1) as Worker).postMessage(null);
    await eventually(() => expect(internalErrors).toMatchObject([{ name: 'TypeError' }]));
    await realtime.close();
    await ledger.submit({ command: CREDIT });
    expect(internalErrors).toHaveLength(1);
  });
});

test('rejects when its port is taken', async () => {
  const other = createServer();
  await new Promise((resolve) => other.listen(0, 'localhost', () => resolve(undefined)));
  const { port } = other.address() as { port: number };
  await expect(open(port)).rejects.toMatchObject({ code: 'EADDRINUSE', syscall: 'listen' });
  other.close();
  expect(internalErrors).toEqual([]);
});

test('waits for an unavailable ticket store, and reports any other error of it', async () => {
  const faults = [new StoreUnavailable('no connection'), new TypeError('undefined is not a function')];
  class FaultyStore extends MemoryTicketStore {
    override change(): Promise<never> {
      return Promise.reject(faults.shift());
    }
  }
  const { port } = await open(0, new FaultyStore());
  const client = await SocketClient.connect(port);
  const auth = { op: 'auth', ticket: 'A'.repeat(43) };
  expect(await client.request(auth)).toMatchObject({ code: 'tickets_unavailable', retryable: true });
  expect(internalErrors).toEqual([]);
  const error = faults[0];
  client.send(auth);
  await eventually(() => expect(internalErrors).toEqual([error]));
  client.socket.terminate();
});
