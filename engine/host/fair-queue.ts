/**
 * Queues reads by client: start-time fair queueing (Goyal, Vin, Cheng 1996), weighted by cost. A client with few requests is
 * served next, however many requests others have.
 */
import { Refused } from '#contract/refused.ts';
import type { Reader } from '#reads/reader.ts';
import { IndexedHeap } from '#venue/order/indexed-heap.ts';

export interface FairQueueLimits {
  /** The maximum number of reads in progress. */
  readonly maxConcurrent: number;
  /** The maximum per client; `maxConcurrent` by default. */
  readonly maxConcurrentPerClient?: number;
  /**
   * Limits of queued reads. Beyond the first, the client's read is refused; beyond the second, a read of the client with the most
   * queued reads, among equals the one that queued last.
   */
  readonly maxWaitingPerClient: number;
  readonly maxWaiting: number;
}

/** The client of a read, and its cost. */
export type Turn = Pick<Reader, 'client' | 'cost' | 'isClosed'>;

interface Waiting {
  readonly turn: Turn;
  readonly start: () => Promise<unknown>;
  readonly refuse: (refusal: Refused) => void;
}

/** Times are virtual: they count the served cost. */
interface Client {
  readonly name: string;
  readonly waiting: Waiting[];
  /** The number of reads in progress, and of queued reads that may start beside them. */
  running: number;
  startable: number;
  /** When its next read is due. */
  dueAt: number;
  /** The order in which waiting clients started to wait. */
  order: number;
}

export class FairQueue {
  readonly #limits: FairQueueLimits;
  /** The waiting clients, and those due later than now without queued reads: coming back gives no advantage. */
  readonly #clients = new Map<string, Client>();
  /** Clients that may start a read, the earliest due first. */
  readonly #due = new IndexedHeap<Client>((a, b) => a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order));
  /** Waiting clients: the one with the most queued reads first, among equals the newest. */
  readonly #busiest = new IndexedHeap<Client>(
    ({ waiting: a, order: orderA }, { waiting: b, order: orderB }) =>
      a.length > b.length || (a.length === b.length && orderA > orderB),
  );
  #orders = 0;
  #waiting = 0;
  /** The number of queued reads that their clients may start. */
  #startable = 0;
  #running = 0;
  #now = 0;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  /**
   * Starts a read when it is its turn. Rejects with {@link Refused} `rate_limited` if the client has too many queued. A read
   * whose client has disconnected is dropped: its promise stays pending.
   */
  run<Result>(turn: Turn, start: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#add({ turn, start: () => start().then(resolve, reject), refuse: reject });
      this.#startEligible();
    });
  }

  #add(read: Waiting): void {
    const client = this.#clientOf(read.turn.client);
    const { maxWaitingPerClient, maxWaiting } = this.#limits;
    if (client.waiting.length >= maxWaitingPerClient) this.#dropClosed(client);
    if (client.waiting.length >= maxWaitingPerClient) {
      read.refuse(tooManyWait(client));
      return;
    }
    if (client.waiting.length === 0) {
      client.dueAt = Math.max(client.dueAt, this.#now);
      client.order = this.#orders;
      this.#orders += 1;
    }
    client.waiting.push(read);
    this.#waiting += 1;
    this.#changed(client);
    if (this.#waiting > maxWaiting) this.#refuseFromLargest();
  }

  #clientOf(name: string): Client {
    let client = this.#clients.get(name);
    if (client === undefined) {
      client = { name, waiting: [], running: 0, startable: 0, dueAt: 0, order: 0 };
      this.#clients.set(name, client);
    }
    return client;
  }

  #startEligible(): void {
    while (this.#running < this.#limits.maxConcurrent) {
      const client = this.#next();
      if (client === undefined) break;
      this.#start(client);
    }
    if (this.#waiting > 0 || this.#running > 0) return;
    this.#clients.clear();
    this.#due.clear();
    this.#now = 0;
  }

  #start(client: Client): void {
    const read = this.#remove(client, 0);
    this.#now = Math.max(this.#now, client.dueAt);
    client.dueAt += read.turn.cost;
    this.#running += 1;
    client.running += 1;
    this.#changed(client);
    read.start().finally(() => {
      this.#running -= 1;
      client.running -= 1;
      this.#changed(client);
      this.#startEligible();
    });
  }

  /** The client that is due first. */
  #next(): Client | undefined {
    for (let client = this.#due.first; client !== undefined && this.#startable > 0; client = this.#due.first) {
      while (client.waiting[0]?.turn.isClosed()) this.#remove(client, 0);
      if (client.waiting.length > 0) return client;
      // The other clients are due no earlier: it gains no advantage if it comes back.
      this.#due.delete(client);
      if (client.running === 0) this.#clients.delete(client.name);
    }
    return undefined;
  }

  #dropClosed(client: Client): void {
    const left = client.waiting.filter(({ turn }) => !turn.isClosed());
    this.#waiting -= client.waiting.length - left.length;
    client.waiting.splice(0, client.waiting.length, ...left);
    this.#changed(client);
  }

  #remove(client: Client, place: number): Waiting {
    const [read] = client.waiting.splice(place, 1);
    this.#waiting -= 1;
    this.#changed(client);
    return read!;
  }

  /** Updates the client's places in the heaps after a change of its queued or running reads. */
  #changed(client: Client): void {
    const { maxConcurrent, maxConcurrentPerClient = maxConcurrent } = this.#limits;
    const mayStart = client.running < maxConcurrentPerClient;
    const startable = mayStart ? client.waiting.length : 0;
    this.#startable += startable - client.startable;
    client.startable = startable;
    if (mayStart) this.#due.put(client);
    else this.#due.delete(client);
    if (client.waiting.length > 0) this.#busiest.put(client);
    else this.#busiest.delete(client);
  }

  /** Bounds the memory: drops the newest read of the client with the most queued reads. */
  #refuseFromLargest(): void {
    const largest = this.#busiest.first!;
    this.#dropClosed(largest);
    if (this.#waiting <= this.#limits.maxWaiting) return;
    this.#remove(largest, largest.waiting.length - 1).refuse(tooManyWait(largest));
  }
}

function tooManyWait({ waiting }: Client): Refused {
  const message = `${waiting.length} of your reads are already queued. Wait for responses before you send more.`;
  return new Refused('rate_limited', message, { headers: { 'retry-after': '1' } });
}
