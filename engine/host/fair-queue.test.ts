/** Which client is served next when all wait for one place. No time passes: a test ends each read itself. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Refused } from '#contract/refused.ts';
import { repeatable } from '#http/testing/seeds.ts';
import { FairQueue, type FairQueueLimits } from './fair-queue.ts';

function queue(limits: Partial<FairQueueLimits> = {}) {
  const fair = new FairQueue({ maxConcurrent: 1, maxWaitingPerClient: 10_000, maxWaiting: 100_000, ...limits });
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const refused: string[] = [];
  const disconnected = new Set<string>();
  const enqueue = (client: string, cost = 1, name = client) => {
    const reader = { client, cost, isClosed: () => disconnected.has(name) };
    const start = () => {
      started.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    };
    fair.run(reader, start).catch((refusal) => {
      expect(refusal).toBeInstanceOf(Refused);
      refused.push(`${name}: ${refusal.code}`);
    });
  };
  /** Ends the oldest running read. */
  const end = async () => {
    ends.shift()!();
    await new Promise((resolve) => setImmediate(resolve));
  };
  const endAll = async (count: number) => {
    for (let ended = 0; ended < count; ended += 1) await end();
  };
  return { enqueue, end, endAll, started, refused, disconnected };
}

describe('fair queue', () => {
  test('serves a client with one small read next, however many pages another waits for', async () => {
    const { enqueue, end, started } = queue();
    for (let page = 0; page < 1_000; page += 1) enqueue('greedy', 10);
    await end();
    await end();
    enqueue('polite');
    await end();
    expect(started).toEqual(['greedy', 'greedy', 'greedy', 'polite']);
  });

  test('shares the served cost equally', async () => {
    const { enqueue, endAll, started } = queue();
    for (let read = 0; read < 100; read += 1) {
      enqueue('pages', 10);
      enqueue('small', 1);
    }
    await endAll(65);
    const pages = started.filter((name) => name === 'pages').length;
    expect([pages, started.length - pages]).toEqual([6, 60]);
  });

  test('serves clients with the same reads in turn, and the reads of one in their order', async () => {
    const { enqueue, endAll, started } = queue();
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) enqueue(name[0]!, 1, name);
    await endAll(5);
    expect(started).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  test('gives no credit for idle time', async () => {
    const { enqueue, endAll, started } = queue();
    for (let read = 0; read < 20; read += 1) enqueue('busy');
    await endAll(10);
    for (let read = 0; read < 20; read += 1) enqueue('late');
    await endAll(10);
    expect(started.slice(11).filter((name) => name === 'late').length).toBe(5);
  });

  test('gives no advantage to a client that comes back for each read', async () => {
    const { enqueue, end, started } = queue();
    for (let read = 0; read < 20; read += 1) enqueue('waits');
    enqueue('returns', 3);
    for (let read = 0; read < 12; read += 1) {
      const ended = started.at(-1);
      await end();
      if (ended === 'returns') enqueue('returns', 3);
    }
    expect(started.filter((name) => name === 'returns').length).toBe(3);
    expect(started.filter((name) => name === 'waits').length).toBe(10);
  });

  test('starts no more at once than its limit', async () => {
    const { enqueue, end, started } = queue({ maxConcurrent: 2 });
    for (const name of ['a', 'b', 'c', 'd']) enqueue(name);
    expect(started).toEqual(['a', 'b']);
    await end();
    expect(started).toEqual(['a', 'b', 'c']);
  });
});

describe('client', () => {
  test('runs no more reads at once than its limit, and others use the free places', async () => {
    const { enqueue, end, started } = queue({ maxConcurrent: 2, maxConcurrentPerClient: 1 });
    for (const name of ['a1', 'a2', 'b1', 'b2', 'c1']) enqueue(name[0]!, 1, name);
    expect(started).toEqual(['a1', 'b1']);
    await end();
    expect(started).toEqual(['a1', 'b1', 'c1']);
    await end();
    expect(started).toEqual(['a1', 'b1', 'c1', 'a2']);
    await end();
    expect(started).toEqual(['a1', 'b1', 'c1', 'a2', 'b2']);
  });

  test('is refused alone when it has too many queued', () => {
    const { enqueue, started, refused } = queue({ maxWaitingPerClient: 2 });
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2']) enqueue(name[0]!, 1, name);
    return Promise.resolve().then(() => expect([started, refused]).toEqual([['a1'], ['a4: rate_limited']]));
  });

  test('that has disconnected gets no read started, and can queue reads again', async () => {
    const { enqueue, end, started, refused, disconnected } = queue({ maxWaitingPerClient: 2 });
    for (const name of ['a1', 'a2', 'a3']) enqueue('a', 1, name);
    disconnected.add('a2').add('a3');
    enqueue('a', 1, 'a4');
    await end();
    expect([started, refused]).toEqual([['a1', 'a4'], []]);
    for (const name of ['b1', 'c1']) enqueue(name[0]!, 1, name);
    disconnected.add('b1');
    await end();
    expect(started).toEqual(['a1', 'a4', 'c1']);
  });

  test('with the most queued reads makes room when there are too many in all', async () => {
    const { enqueue, endAll, started, refused } = queue({ maxWaiting: 4 });
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1']) enqueue(name[0]!, 1, name);
    await endAll(4);
    expect(refused).toEqual(['a4: rate_limited']);
    expect(started).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
  });
});

test('refuses the newest of the clients with the most queued reads', async () => {
  const { enqueue, endAll, started, refused } = queue({ maxWaiting: 3 });
  for (const name of ['a', 'b', 'c', 'd', 'e']) enqueue(name);
  await endAll(4);
  expect([started, refused]).toEqual([['a', 'b', 'c', 'd'], ['e: rate_limited']]);
});

/** The same rules as loops over all clients. */
class NaiveQueue {
  readonly started: string[] = [];
  readonly refused: string[] = [];
  readonly #limits: FairQueueLimits;
  readonly #clients = new Map<
    string,
    { readonly waiting: [name: string, cost: number][]; running: number; dueAt: number; order: number }
  >();
  readonly #running: { running: number }[] = [];
  #now = 0;
  #orders = 0;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  enqueue(client: string, cost: number, name: string): void {
    const it = this.#clients.get(client) ?? { waiting: [], running: 0, dueAt: 0, order: 0 };
    this.#clients.set(client, it);
    if (it.waiting.length >= this.#limits.maxWaitingPerClient) this.refused.push(name);
    else {
      if (it.waiting.length === 0) Object.assign(it, { dueAt: Math.max(it.dueAt, this.#now), order: this.#orders++ });
      it.waiting.push([name, cost]);
      if (this.#waiting().reduce((sum, { waiting }) => sum + waiting.length, 0) > this.#limits.maxWaiting) {
        const longest = this.#waiting().sort((a, b) => b.waiting.length - a.waiting.length || b.order - a.order)[0]!;
        this.refused.push(longest.waiting.pop()![0]);
      }
    }
    this.#start();
  }

  /** Ends the oldest running read. */
  end(): void {
    this.#running.shift()!.running -= 1;
    this.#start();
  }

  #start(): void {
    while (this.#running.length < this.#limits.maxConcurrent) {
      const mayStart = this.#waiting().filter(({ running }) => running < this.#limits.maxConcurrentPerClient!);
      const next = mayStart.sort((a, b) => a.dueAt - b.dueAt || a.order - b.order)[0];
      if (next === undefined) break;
      const [name, cost] = next.waiting.shift()!;
      this.started.push(name);
      this.#now = Math.max(this.#now, next.dueAt);
      next.dueAt += cost;
      next.running += 1;
      this.#running.push(next);
    }
    if (this.#running.length > 0) return;
    this.#clients.clear();
    this.#now = 0;
  }

  #waiting() {
    return [...this.#clients.values()].filter(({ waiting }) => waiting.length > 0);
  }
}

test('serves and refuses like loops over all clients', async () => {
  const limits = { maxConcurrent: 3, maxConcurrentPerClient: 2, maxWaitingPerClient: 6, maxWaiting: 12 };
  const requests = fc.record({ client: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), cost: fc.integer({ min: 1, max: 10 }) });
  const acts = fc.array(fc.oneof({ weight: 3, arbitrary: requests }, { weight: 2, arbitrary: fc.constant('end' as const) }), {
    maxLength: 80,
    size: 'max',
  });
  await fc.assert(
    fc.asyncProperty(acts, async (all) => {
      const [fair, naive] = [queue(limits), new NaiveQueue(limits)];
      let ended = 0;
      for (const [index, act] of all.entries()) {
        if (act !== 'end') {
          fair.enqueue(act.client, act.cost, `${act.client}${index}`);
          naive.enqueue(act.client, act.cost, `${act.client}${index}`);
        } else if (ended < naive.started.length) {
          ended += 1;
          naive.end();
          await fair.end();
        }
      }
      await Promise.resolve();
      expect(fair.started).toEqual(naive.started);
      expect(fair.refused).toEqual(naive.refused.map((name) => `${name}: rate_limited`));
    }),
    repeatable('engine/host/fair-queue.test.ts', 200),
  );
});

test('starts the next read after one fails', async () => {
  const fair = new FairQueue({ maxConcurrent: 1, maxWaitingPerClient: 1, maxWaiting: 1 });
  const reader = { client: 'a', cost: 1, isClosed: () => false };
  const failed = fair.run(reader, () => Promise.reject(new Error('planted')));
  const next = fair.run(reader, () => Promise.resolve('read'));
  await expect(failed).rejects.toThrow('planted');
  expect(await next).toBe('read');
});
