/**
 * Reads that wait for their turn by client: start-time fair queueing (Goyal, Vin, Cheng 1996), weighed by cost. A client that asks for
 * little is next, however much others ask for.
 */
import { Refused } from '#contract/refused.ts';
import type { Reader } from '#http/reader.ts';

export interface FairQueueLimits {
  /** Reads that are started and not done. */
  readonly atOnce: number;
  /** Waiting. Beyond that the client is refused; in all, the client that has the most. */
  readonly maxWaitingPerClient: number;
  readonly maxWaiting: number;
}

/** Whose turn a read takes, and how much of it. */
export type Turn = Pick<Reader, 'client' | 'cost' | 'isGone'>;

interface Waiting {
  readonly turn: Turn;
  readonly start: () => Promise<unknown>;
  readonly refuse: (refusal: Refused) => void;
}

/** Times are virtual: they count the cost that was served. */
interface Client {
  readonly waiting: Waiting[];
  /** When its next read is due. */
  dueAt: number;
}

export class FairQueue {
  readonly #limits: FairQueueLimits;
  /** Those that wait, and those that are due later than now although nothing of theirs waits: coming back is no way to be ahead. */
  readonly #clients = new Map<string, Client>();
  #waiting = 0;
  #underWay = 0;
  #now = 0;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  /**
   * Starts a read when it is its turn. Rejects with {@link Refused} `rate_limited` if too many of the client's wait. A read whose client
   * is gone by then is dropped: its promise stays pending.
   */
  run<Result>(turn: Turn, start: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#add({ turn, start: () => start().then(resolve, reject), refuse: reject });
      this.#startWhatMay();
    });
  }

  #add(read: Waiting): void {
    const client = this.#clientOf(read.turn.client);
    const { maxWaitingPerClient, maxWaiting } = this.#limits;
    if (client.waiting.length >= maxWaitingPerClient) this.#dropGone(client);
    if (client.waiting.length >= maxWaitingPerClient) {
      read.refuse(tooManyWait(client));
      return;
    }
    if (client.waiting.length === 0) client.dueAt = Math.max(client.dueAt, this.#now);
    client.waiting.push(read);
    this.#waiting += 1;
    if (this.#waiting > maxWaiting) this.#refuseOneOfMost();
  }

  #clientOf(name: string): Client {
    let client = this.#clients.get(name);
    if (client === undefined) {
      client = { waiting: [], dueAt: 0 };
      this.#clients.set(name, client);
    }
    return client;
  }

  #startWhatMay(): void {
    while (this.#underWay < this.#limits.atOnce) {
      const client = this.#next();
      if (client === undefined) break;
      this.#start(client);
    }
    if (this.#waiting > 0 || this.#underWay > 0) return;
    this.#clients.clear();
    this.#now = 0;
  }

  #start(client: Client): void {
    const read = client.waiting.shift()!;
    this.#waiting -= 1;
    this.#now = client.dueAt;
    client.dueAt += read.turn.cost;
    this.#underWay += 1;
    read.start().finally(() => {
      this.#underWay -= 1;
      this.#startWhatMay();
    });
  }

  /** The client that is due first. */
  #next(): Client | undefined {
    if (this.#waiting === 0) return undefined;
    let next: Client | undefined;
    for (const [name, client] of this.#clients) {
      while (client.waiting[0]?.turn.isGone()) this.#forget(client.waiting.splice(0, 1));
      if (client.waiting.length > 0 && (next === undefined || client.dueAt < next.dueAt)) next = client;
      if (client.waiting.length === 0 && client.dueAt <= this.#now) this.#clients.delete(name);
    }
    return next;
  }

  #dropGone({ waiting }: Client): void {
    const left = waiting.filter(({ turn }) => !turn.isGone());
    this.#forget(waiting.splice(0, waiting.length, ...left).slice(left.length));
  }

  #forget(dropped: readonly Waiting[]): void {
    this.#waiting -= dropped.length;
  }

  /** Memory is bounded whoever asks: the newest read of the client that has the most makes room. */
  #refuseOneOfMost(): void {
    const most = [...this.#clients.values()].reduce((a, b) => (b.waiting.length > a.waiting.length ? b : a));
    this.#waiting -= 1;
    most.waiting.pop()!.refuse(tooManyWait(most));
  }
}

function tooManyWait({ waiting }: Client): Refused {
  const message = `${waiting.length} of your reads wait for their turn already. Wait for answers before you send more.`;
  return new Refused('rate_limited', message, { headers: { 'retry-after': '1' } });
}
