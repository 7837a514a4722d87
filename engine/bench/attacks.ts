/**
 * The latency of a polite client during each attack of {@link ATTACKS}, compared with a crowd of the same size that sends valid
 * requests at the same rate. The venue has its published limits. Target: p50 and p99 at most three times as long, no connection
 * cut.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { callOperator } from '#operator/client.ts';
import type { AttackOrder, AttackResult } from './attack-crowd.ts';
import { ATTACKS, type Attack, MARKET, type Stage, type Traffic } from './attack-rows.ts';
import { inBenchDirectory } from './bench-directory.ts';
import type { BenchOptions } from './contender.ts';
import type { Part, Report } from './part.ts';
import type { Lane, PoliteClientResult, PoliteClientTask, PoliteClientWindow } from './polite-client.ts';
import { inRange } from './prose.ts';
import { type Spread, spreadOf } from './race.ts';
import { type VenueAccount, VenueProcess } from './venue-process.ts';

const LANES: readonly Lane[] = ['orders', 'reads', 'pings'];
const ROUNDS = 5;
const WINDOW_MS = 3_000;
const QUICK_WINDOW_MS = 150;
/** The crowd sends this long before the polite client starts. */
const SETTLE_MS = 300;
const CREDIT = '1000000';
/** Disk space of an order and its cancel. */
const BYTES_ON_DISK = 100_000_000;
const POLITE_ADDRESS = '198.51.100.1';
const MAX_RATIO = 3;

interface Window {
  readonly polite: PoliteClientResult;
  readonly crowd: AttackResult;
}

interface Round {
  readonly baseline: Window;
  readonly hostile: Window;
}

export const attacks: Part = {
  name: 'attacks',
  run: ({ isQuick }: BenchOptions): Promise<Report> =>
    inBenchDirectory(isQuick ? 0 : BYTES_ON_DISK, async (directory) => {
      const venue = await VenueProcess.start(directory, ['--trusted-proxy', '127.0.0.1,::1', '--history', '365d']);
      const arena = await Arena.open(directory, venue, isQuick);
      try {
        const rows: [Attack, readonly Round[]][] = [];
        for (const attack of chosenAttacks()) rows.push([attack, await arena.race(attack)]);
        await arena.close();
        await venue.stop();
        return report(rows);
      } finally {
        await arena.close();
        venue.kill();
      }
    }),
};

/** The attacks whose name contains `OPENPERP_ATTACK`, or all. */
function chosenAttacks(): readonly Attack[] {
  const wanted = process.env.OPENPERP_ATTACK ?? '';
  return ATTACKS.filter(({ name }) => name.includes(wanted));
}

/** The venue, a polite client and a crowd, each in its own thread or process. */
class Arena {
  readonly #directory: string;
  readonly #venue: VenueProcess;
  readonly #isQuick: boolean;
  readonly #rich: VenueAccount;
  readonly #counterparty: VenueAccount;
  readonly #polite: Worker;
  readonly #crowd = new Worker(new URL('./attack-crowd.ts', import.meta.url));
  #crowds = 0;

  private constructor(
    directory: string,
    venue: VenueProcess,
    isQuick: boolean,
    [rich, counterparty]: readonly [VenueAccount, VenueAccount],
    polite: Worker,
  ) {
    this.#directory = directory;
    this.#venue = venue;
    this.#isQuick = isQuick;
    this.#rich = rich;
    this.#counterparty = counterparty;
    this.#polite = polite;
  }

  static async open(directory: string, venue: VenueProcess, isQuick: boolean): Promise<Arena> {
    const account = await createAccount(directory, 'polite', CREDIT);
    const rich = await createAccount(directory, 'rich', CREDIT);
    const counterparty = await createAccount(directory, 'counterparty', CREDIT);
    const { url, realtimeUrl } = venue.addresses;
    const price = ((await markOf(url)) * 0.97).toFixed(1);
    const workerData: PoliteClientTask = { account, url, realtimeUrl, address: POLITE_ADDRESS, price };
    const polite = new Worker(new URL('./polite-client.ts', import.meta.url), { workerData });
    return new Arena(directory, venue, isQuick, [rich, counterparty], polite);
  }

  /** Baseline, hostile, baseline, hostile: compared measurements follow each other directly. */
  async race(attack: Attack): Promise<readonly Round[]> {
    await attack.prepare?.(await this.#newStage());
    const rounds: Round[] = [];
    while (rounds.length < (this.#isQuick ? 1 : ROUNDS)) {
      const baseline = await this.#window(attack, attack.baseline);
      const hostile = await this.#window(attack, attack.hostile);
      rounds.push({ baseline, hostile });
    }
    return rounds;
  }

  async close(): Promise<void> {
    await Promise.all([this.#polite.terminate(), this.#crowd.terminate()]);
  }

  async #window({ clients, perSecond, burst }: Attack, trafficOf: (stage: Stage) => Traffic): Promise<Window> {
    const traffic = trafficOf(await this.#newStage());
    const target = { ...this.#venue.addresses, address: `127.0.1.${1 + (this.#crowds % 250)}` };
    await this.#order({ type: 'send', target, traffic, clients, perSecond, ...(burst !== undefined && { burst }) });
    await sleep(SETTLE_MS);
    this.#polite.postMessage({ milliseconds: this.#isQuick ? QUICK_WINDOW_MS : WINDOW_MS } satisfies PoliteClientWindow);
    const [polite] = (await once(this.#polite, 'message')) as [PoliteClientResult];
    const crowd = (await this.#order({ type: 'stop' })) as AttackResult;
    this.#venue.demandRunning();
    return { polite, crowd };
  }

  async #order(order: AttackOrder): Promise<unknown> {
    this.#crowd.postMessage(order);
    const [answer] = await once(this.#crowd, 'message');
    return answer;
  }

  /** With a crowd that has not used its limits yet. */
  async #newStage(): Promise<Stage> {
    this.#crowds += 1;
    const crowd = await createAccount(this.#directory, `crowd ${this.#crowds}`, '0');
    return { crowd, rich: this.#rich, counterparty: this.#counterparty, url: this.#venue.addresses.url };
  }
}

async function createAccount(directory: string, label: string, credit: string): Promise<VenueAccount> {
  return (await callOperator(directory, { action: 'account.create', label, credit })) as VenueAccount;
}

async function markOf(url: string): Promise<number> {
  const response = await fetch(`${url}/v1/markets/${MARKET}/stats`);
  return Number(((await response.json()) as { markPrice: string }).markPrice);
}

function report(rows: readonly [Attack, readonly Round[]][]): Report {
  const cells = rows.flatMap(([{ name }, rounds]) => LANES.map((lane) => rowOf(name, lane, rounds)));
  const table = {
    title: `Attacks: latency of a polite client, as a multiple of that beside valid requests (target: at most ${MAX_RATIO} ×, 0 cut)`,
    notes: rows.map(([{ name }, rounds]) => `${name}: ${crowdsOf(rounds)}`),
    columns: ['', 'p50, ms', 'p99, ms', 'p50', 'p99', 'cut', 'refused'],
    rows: cells.map(({ attack, lane, ...figures }) => [
      `${attack}: ${lane}`,
      `${figures.p50Ms.median.toFixed(2)}`,
      `${figures.p99Ms.median.toFixed(2)}`,
      inRange(figures.p50Ratio, times),
      inRange(figures.p99Ratio, times),
      String(figures.cut),
      String(figures.refused),
    ]),
  };
  return {
    tables: [table],
    figures: { attacks: { rows: cells, rounds: Object.fromEntries(rows.map(([{ name }, it]) => [name, it])) } },
  };
}

interface Row {
  readonly attack: string;
  readonly lane: Lane;
  readonly p50Ms: Spread;
  readonly p99Ms: Spread;
  readonly p50Ratio: Spread;
  readonly p99Ratio: Spread;
  readonly cut: number;
  readonly refused: number;
}

function rowOf(attack: string, lane: Lane, rounds: readonly Round[]): Row {
  const spread = (of: (round: Round) => number) => spreadOf(rounds.map(of));
  const sum = (of: 'cut' | 'refused') => rounds.reduce((total, { hostile }) => total + hostile.polite[lane][of], 0);
  return {
    attack,
    lane,
    p50Ms: spread(({ hostile }) => hostile.polite[lane].p50Ms),
    p99Ms: spread(({ hostile }) => hostile.polite[lane].p99Ms),
    p50Ratio: spread(({ baseline, hostile }) => hostile.polite[lane].p50Ms / baseline.polite[lane].p50Ms),
    p99Ratio: spread(({ baseline, hostile }) => hostile.polite[lane].p99Ms / baseline.polite[lane].p99Ms),
    cut: sum('cut'),
    refused: sum('refused'),
  };
}

/** The rate and the outcomes of each crowd in the last round. */
function crowdsOf(rounds: readonly Round[]): string {
  const { baseline, hostile } = rounds.at(-1)!;
  const rateText = ({ crowd }: Window) => `${crowd.sentPerSecond.toFixed(0)}/s ${JSON.stringify(crowd.outcomes)}`;
  return `baseline ${rateText(baseline)}, hostile ${rateText(hostile)}`;
}

function times(ratio: number): string {
  return `${ratio.toFixed(2)} ×`;
}
