/**
 * Book updates to a thousand sockets, each client verifying every sequence: the realtime service compared with a bare `ws` server
 * that sends the same rendered frames to each client, and with one that batches them like the service. Another thread feeds all
 * of them.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { BenchOptions } from './contender.ts';
import type { ClientsOrder, Delivery } from './fan-out-clients.ts';
import type { Feed, FeederMessage, FeedKind } from './fan-out-feeder.ts';
import type { Part, Report } from './part.ts';
import { inRange, thousands } from './prose.ts';
import { type Spread, spreadOf } from './race.ts';

const SOCKETS = 1_000;
const ROUNDS = 5;
/** The rate of a busy book. */
const OFFERED_PER_SECOND = 1_000;
/** The naive server buffers unsent frames in memory: with more updates, the buffering would be measured. */
const FLOOD: Readonly<Record<FeedKind, number>> = { venue: 2_000, naive: 100, windowed: 2_000 };
/** The same for all, and far enough apart that each update is a frame of its own. */
const STEADY: Feed = { updates: 60, perSecond: 20 };
const QUICK_SHARE = 20;
const KINDS = ['venue', 'naive', 'windowed'] as const satisfies FeedKind[];

interface Sample extends Delivery {
  readonly updatesPerSecond: number;
  /** Per client and update. */
  readonly framesPerUpdate: number;
}

interface Round {
  readonly flood: Readonly<Record<FeedKind, Sample>>;
  readonly steady: Readonly<Record<FeedKind, Sample>>;
}

export const fanOut: Part = {
  name: 'fan-out',
  async run(options: BenchOptions): Promise<Report> {
    const sockets = options.isQuick ? SOCKETS / QUICK_SHARE : SOCKETS;
    const contenders = {
      venue: await Contender.start('venue', sockets),
      naive: await Contender.start('naive', sockets),
      windowed: await Contender.start('windowed', sockets),
    };
    try {
      return report(sockets, await race(contenders, options));
    } finally {
      for (const contender of Object.values(contenders)) await contender.stop();
    }
  },
};

async function race(contenders: Readonly<Record<FeedKind, Contender>>, { isQuick }: BenchOptions): Promise<readonly Round[]> {
  const share = isQuick ? QUICK_SHARE : 1;
  const flood = (kind: FeedKind) => contenders[kind].sample({ updates: FLOOD[kind] / share, perSecond: OFFERED_PER_SECOND });
  const steady = (kind: FeedKind) => contenders[kind].sample({ ...STEADY, updates: STEADY.updates / share });
  for (const kind of KINDS) await flood(kind);
  const rounds: Round[] = [];
  while (rounds.length < (isQuick ? 2 : ROUNDS)) {
    rounds.push({ flood: await sampleOfEach(flood), steady: await sampleOfEach(steady) });
  }
  return rounds;
}

async function sampleOfEach(sample: (kind: FeedKind) => Promise<Sample>): Promise<Readonly<Record<FeedKind, Sample>>> {
  return { venue: await sample('venue'), naive: await sample('naive'), windowed: await sample('windowed') };
}

/** A server in a process of its own, and its clients in a thread of this one. */
class Contender {
  readonly #server: ChildProcess;
  readonly #clients = new Worker(new URL('./fan-out-clients.ts', import.meta.url));
  readonly #sockets: number;
  readonly #failed: Promise<never>;

  private constructor(kind: FeedKind, sockets: number) {
    this.#server = fork(new URL('./fan-out-server.ts', import.meta.url), [JSON.stringify({ kind })]);
    this.#sockets = sockets;
    this.#failed = new Promise((_, reject) => {
      this.#clients.once('error', reject);
      this.#server.once('exit', (status) => reject(new Error(`the ${kind} server ended with status ${status}`)));
    });
    this.#failed.catch(() => {});
    process.once('exit', this.#kill);
  }

  readonly #kill = () => this.#server.kill('SIGKILL');

  static async start(kind: FeedKind, sockets: number): Promise<Contender> {
    const contender = new Contender(kind, sockets);
    const { port } = await contender.#received<{ port: number }>(contender.#server);
    const frames = [JSON.stringify({ op: 'subscribe', channel: 'market.book', marketId: 'BTC-USD-PERP' })];
    await contender.#ordered({ type: 'connect', port, clients: Array.from({ length: sockets }, () => frames) });
    return contender;
  }

  async sample(feed: Feed): Promise<Sample> {
    this.#server.send(feed);
    const { startedAtMs, sequence } = await this.#received<Extract<FeederMessage, { type: 'done' }>>(this.#server);
    const reached = await this.#ordered<Delivery>({ type: 'reach', sequence });
    return {
      ...reached,
      updatesPerSecond: (feed.updates * 1_000) / (reached.atMs - startedAtMs),
      framesPerUpdate: reached.frames / this.#sockets / feed.updates,
    };
  }

  async stop(): Promise<void> {
    await this.#clients.terminate();
    this.#server.removeAllListeners('exit');
    process.off('exit', this.#kill);
    this.#kill();
  }

  #ordered<Result>(order: ClientsOrder): Promise<Result> {
    this.#clients.postMessage(order);
    return this.#received(this.#clients);
  }

  async #received<Message>(from: ChildProcess | Worker): Promise<Message> {
    const [message] = await Promise.race([once(from, 'message'), this.#failed]);
    return message as Message;
  }
}

function report(sockets: number, rounds: readonly Round[]): Report {
  const spread = (of: (round: Round) => number): Spread => spreadOf(rounds.map(of));
  const perSecondBeside = (kind: FeedKind) => spread(({ flood }) => flood.venue.updatesPerSecond / flood[kind].updatesPerSecond);
  // The timestamps of frames have a resolution of a millisecond.
  const p99Beside = (kind: FeedKind) => spread(({ steady }) => Math.max(1, steady.venue.p99Ms) / Math.max(1, steady[kind].p99Ms));
  const ratio = { naive: perSecondBeside('naive'), windowed: perSecondBeside('windowed') };
  const p99Ratio = { naive: p99Beside('naive'), windowed: p99Beside('windowed') };
  const beside = (name: string, kind: keyof typeof ratio) => [
    name,
    inRange(ratio[kind], (value) => `${value.toFixed(1)} ×`),
    '',
    '',
    inRange(p99Ratio[kind], (value) => `${value.toFixed(2)} ×`),
  ];
  const row = (name: string, kind: FeedKind) => [
    name,
    inRange(
      spread(({ flood }) => flood[kind].updatesPerSecond),
      (value) => thousands(Math.round(value)),
    ),
    spread(({ flood }) => flood[kind].framesPerUpdate).median.toFixed(2),
    inRange(
      spread(({ steady }) => steady[kind].p50Ms),
      (value) => value.toFixed(0),
    ),
    inRange(
      spread(({ steady }) => steady[kind].p99Ms),
      (value) => value.toFixed(0),
    ),
  ];
  const table = {
    title: `Fan-out: updates of a book of 100 levels to ${thousands(sockets)} sockets, every client verifying every sequence`,
    notes: [
      `updates per second: ${thousands(OFFERED_PER_SECOND)} per second are offered, until the last client has the last one`,
      'the service and the server with its window put updates within 10 ms into one frame',
      `latency: from the update to its receipt, ${STEADY.perSecond} per second, each a frame of its own`,
    ],
    columns: ['', 'updates per second', 'frames per update', 'p50, ms', 'p99, ms'],
    rows: [
      row('realtime service', 'venue'),
      row('ws.send to each client', 'naive'),
      row('ws.send, with the same window', 'windowed'),
      beside('the service : ws.send', 'naive'),
      beside('the service : ws.send with the window', 'windowed'),
    ],
  };
  return { tables: [table], figures: { fanOut: { sockets, rounds, ratio, p99Ratio } } };
}
