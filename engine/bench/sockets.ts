/**
 * The venue with a thousand idle sockets and a hundred that are subscribed to everything, during trading: does its memory grow,
 * and is any update lost? The data that trading itself retains is filled up before, so that later growth is due to the sockets.
 * Runs only by name; `OPENPERP_SOCKETS_MINUTES` sets the duration.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { CHANNEL_NAMES, isPrivate, isServed, type ServedChannel } from '#contract/realtime-channels.ts';
import { inBenchDirectory } from './bench-directory.ts';
import type { BenchOptions } from './contender.ts';
import type { ClientsOrder, Delivery } from './fan-out-clients.ts';
import type { Part, Report } from './part.ts';
import { thousands } from './prose.ts';
import { KEYS_PER_ACCOUNT } from './soak.ts';
import { SoakLoad } from './soak-load.ts';
import { slopeOf } from './soak-trend.ts';
import { type VenueAccount, VenueProcess } from './venue-process.ts';

const MINUTES = 10;
const QUICK_MINUTES = 0.06;
const SETTLED_MINUTES = 3;
const SAMPLE_MS = 10_000;
const QUICK_SAMPLE_MS = 500;
const IDLE = 1_000;
const BUSY = 100;
const QUICK_SHARE = 20;
const COMMANDS_PER_SECOND = 300;
const QUICK_KEYS = 40;
/** Of both accounts, per key of one: the maker cancels every quote. */
const COMMANDS_PER_KEY = 4;
const CREDIT = '5000000';
const MAX_MIB_PER_MINUTE = 1;
const MIB = 1 << 20;
/** Disk space of a command in the journal and in the projection's file. */
const BYTES_ON_DISK = 1_500;
const MARKETS = ['BTC-USD-PERP', 'ETH-USD-PERP', 'SOL-USD-PERP'];
/** Earnings are refused while the affiliate program is off. */
const CHANNELS = CHANNEL_NAMES.filter(isServed).filter((name) => name !== 'account.earnings');
/** Subscriptions of one channel differ by these. */
const OPTIONS: { readonly [Name in ServedChannel]?: readonly object[] } = {
  'market.candles': ['trade', 'index'].map((series) => ({ series, timeframe: '1m' })),
};

interface Sample extends Delivery {
  readonly minutes: number;
  readonly residentMib: number;
}

export const sockets: Part = {
  name: 'sockets',
  run({ isQuick }: BenchOptions): Promise<Report> {
    const minutes = Number(process.env.OPENPERP_SOCKETS_MINUTES ?? (isQuick ? QUICK_MINUTES : MINUTES));
    const commands = minutes * 60 * COMMANDS_PER_SECOND + (isQuick ? QUICK_KEYS : KEYS_PER_ACCOUNT) * COMMANDS_PER_KEY;
    return inBenchDirectory(commands * BYTES_ON_DISK, async (directory) => {
      const venue = await VenueProcess.start(directory);
      const clients = new Worker(new URL('./fan-out-clients.ts', import.meta.url));
      try {
        const samples = await watch(venue, clients, minutes, isQuick);
        await clients.terminate();
        await venue.stop();
        return report(samples, minutes, isQuick);
      } finally {
        await clients.terminate();
        venue.kill();
      }
    });
  },
};

async function watch(venue: VenueProcess, clients: Worker, minutes: number, isQuick: boolean): Promise<readonly Sample[]> {
  const accounts = [await venue.createAccount(CREDIT), await venue.createAccount(CREDIT)] as const;
  const share = isQuick ? QUICK_SHARE : 1;
  // A lost update or a closed socket is an error of the clients' thread.
  const failed = once(clients, 'error').then(([error]) => Promise.reject(error));
  failed.catch(() => {});
  const order = async <Result>(it: ClientsOrder): Promise<Result> => {
    clients.postMessage(it);
    const [answer] = await Promise.race([once(clients, 'message'), failed]);
    return answer as Result;
  };
  const busy = Array.from({ length: BUSY / share }, (_, index) => everything(venue, accounts[index % 2]!));
  const idle = Array.from({ length: IDLE / share }, () => []);
  const load = await SoakLoad.begin(venue.addresses, accounts, Number.POSITIVE_INFINITY);
  await filled(load, accounts, isQuick ? QUICK_KEYS : KEYS_PER_ACCOUNT);
  load.pace(COMMANDS_PER_SECOND);
  const port = Number(new URL(venue.addresses.realtimeUrl).port);
  await order({ type: 'connect', port, clients: [...idle, ...(await Promise.all(busy))] });
  const samples: Sample[] = [];
  const startedAt = performance.now();
  const sampleMs = isQuick ? QUICK_SAMPLE_MS : SAMPLE_MS;
  for (let due = startedAt + sampleMs; due <= startedAt + minutes * 60_000; due += sampleMs) {
    await sleep(due - performance.now());
    load.demandValid();
    const seen = await order<Delivery>({ type: 'read' });
    const sample = { ...seen, minutes: (performance.now() - startedAt) / 60_000, residentMib: venue.residentBytes() / MIB };
    samples.push(sample);
    console.error(
      `sockets: minute ${sample.minutes.toFixed(1)}: ${sample.residentMib.toFixed(0)} MiB, ${thousands(sample.frames)} frames, p99 ${sample.p99Ms} ms`,
    );
  }
  await load.end();
  return samples;
}

/** Resolves when each account has the retained number of keys and client order ids: it stays constant from then on. */
async function filled(load: SoakLoad, accounts: readonly VenueAccount[], keysPerAccount: number): Promise<void> {
  const placed = () => Math.min(...accounts.map(({ accountId }) => load.placed.get(accountId) ?? 0));
  for (let reported = 0; placed() < keysPerAccount; ) {
    await sleep(100);
    load.demandValid();
    if (placed() < reported + keysPerAccount / 10) continue;
    reported = placed();
    console.error(`sockets: ${thousands(reported)} of ${thousands(keysPerAccount)} keys of each account`);
  }
}

/** An auth frame, and a subscription to every channel of every market and of the account. */
async function everything({ addresses }: VenueProcess, { accountId, apiKey }: VenueAccount): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await fetch(`${addresses.url}/v1/realtime/ticket`, { method: 'POST', headers });
  const { ticket } = (await response.json()) as { ticket: string };
  const subscribe = (channel: string, subject: object) => ({ op: 'subscribe', channel, ...subject });
  const frames = [
    { op: 'auth', ticket },
    ...CHANNELS.flatMap((channel) => {
      const subjects = isPrivate(channel) ? [{ accountId }] : MARKETS.map((marketId) => ({ marketId }));
      return subjects.flatMap((subject) => (OPTIONS[channel] ?? [{}]).map((it) => subscribe(channel, { ...subject, ...it })));
    }),
  ];
  return frames.map((frame) => JSON.stringify(frame));
}

function report(samples: readonly Sample[], minutes: number, isQuick: boolean): Report {
  const settled = samples.filter((sample) => sample.minutes >= Math.min(SETTLED_MINUTES, minutes / 2));
  const mibPerMinute = slopeOf(settled.map((sample) => [sample.minutes, sample.residentMib]));
  const frames = samples.reduce((sum, sample) => sum + sample.frames, 0);
  const isFlat = mibPerMinute <= MAX_MIB_PER_MINUTE;
  const table = {
    title: `Sockets: ${thousands(IDLE / (isQuick ? QUICK_SHARE : 1))} idle and ${BUSY / (isQuick ? QUICK_SHARE : 1)} subscribed to everything, ${minutes} minutes`,
    notes: [`${thousands(frames)} frames; on lossless channels each was verified to follow the one before it: 0 lost`],
    columns: ['', '', 'verdict'],
    rows: [
      [
        'memory, from the settled minute on',
        `${mibPerMinute.toFixed(2)} MiB per minute`,
        isFlat ? 'flat: at most 1 MiB' : 'IT GROWS',
      ],
      ['memory at the end', `${samples.at(-1)!.residentMib.toFixed(0)} MiB`, ''],
      ['p99 of the receipt, worst sample', `${Math.max(...samples.map(({ p99Ms }) => p99Ms))} ms`, ''],
    ],
  };
  return { tables: [table], figures: { sockets: { minutes, frames, lost: 0, mibPerMinute, isFlat, samples } } };
}
