/**
 * What the venue shows of itself at `/metrics`. Requests and commands are counted where they pass; all else is looked at
 * when somebody asks. No account is in it: labels are names of operations, codes, ledgers and markets.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CONTRACT_VERSION } from '#contract/system.ts';
import { readBack } from '#http/answers.ts';
import { HttpMetrics } from '#observability/http-metrics.ts';
import { MetricRegistry } from '#observability/metric-registry.ts';
import { measureProcess } from '#observability/process-metrics.ts';
import { WriterMetrics } from '#observability/writer-metrics.ts';
import type { RealtimeCounts } from '#realtime/ports.ts';
import type { Clock } from '#writer/clock.ts';
import { JOURNAL_FOLDER, type Ledger } from './ledger.ts';
import type { MarketsReported } from './market-report.ts';
import type { Opened } from './opened.ts';
import type { Readiness } from './readiness.ts';

/** What is looked at. */
export interface MeasuredVenue {
  readonly dataDirectory: string;
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly readiness: Readiness;
  readonly markets: () => Promise<MarketsReported>;
  readonly realtime: () => RealtimeCounts | Promise<RealtimeCounts>;
  /** Whether it answers, where there is one. */
  readonly isRedisUp: (() => boolean) | undefined;
}

/** All money is counted so often at most: it takes the longer the more accounts there are. */
const MONEY_EVERY_MS = 10_000;

export class VenueMetrics {
  readonly registry = new MetricRegistry();
  readonly http = new HttpMetrics(this.registry);
  readonly writer = new WriterMetrics(this.registry);

  constructor(clock: Clock, opened: Opened) {
    opened.add(measureProcess(this.registry, clock));
    const build = this.registry.gauge('openperp_build_info', 'Always 1; what runs is in its labels.');
    build.child({ contract: CONTRACT_VERSION, node: process.version }).set(1);
  }

  measure(venue: MeasuredVenue): void {
    venue.ledger.addFollower(this.writer.follow);
    this.#measureState(venue);
    this.#measureJournal(venue);
    this.#measureMoney(venue);
    this.#measureMarkets(venue);
    this.#measureRealtime(venue);
  }

  #measureState({ ledger, readiness, isRedisUp }: MeasuredVenue): void {
    const ready = this.registry.gauge('openperp_ready', 'Whether orders are taken, 1 or 0.').child();
    const halted = this.registry.gauge('openperp_halted', 'Whether the writer has stopped for good, 1 or 0.').child();
    const queued = this.registry.gauge('openperp_commands_queued', 'Commands that wait for their turn.').child();
    const clockOff = this.registry
      .gauge('openperp_clock_offset_seconds', "By how much the machine's clock is ahead of the journal's time.")
      .child();
    const lagRecords = this.registry
      .gauge('openperp_projection_lag_records', 'Durable records that reads do not show yet.')
      .child();
    const lag = this.registry.gauge('openperp_projection_lag_seconds', 'How long durable records wait to be read.').child();
    const redis = this.registry.gauge('openperp_redis_up', 'Whether Redis answers, 1 or 0; absent where there is none.').child();
    this.registry.onScrape('state', async () => {
      const status = ledger.writer.status();
      halted.set(Number(status.halt !== undefined));
      queued.set(status.queued);
      clockOff.set(status.clockOffByMs / 1_000);
      lagRecords.set(ledger.projection.lag.records);
      lag.set(ledger.projection.lag.ms / 1_000);
      if (isRedisUp !== undefined) redis.set(Number(isRedisUp()));
      ready.set(Number((await readiness.status()).isReady));
    });
  }

  #measureJournal({ dataDirectory, clock, ledger }: MeasuredVenue): void {
    const sequence = this.registry.gauge('openperp_journal_sequence', 'The newest durable record.').child();
    const bytes = this.registry.gauge('openperp_journal_bytes', 'Files of the journal: those in use, and the archive.');
    const snapshot = this.registry.gauge('openperp_snapshot_sequence', 'The last record of the newest snapshot.').child();
    const age = this.registry.gauge('openperp_snapshot_age_seconds', 'Since the newest snapshot was saved.').child();
    const journal = join(dataDirectory, JOURNAL_FOLDER);
    this.registry.onScrape('journal', async () => {
      const status = ledger.writer.status();
      sequence.set(status.sequence);
      snapshot.set(status.snapshotSequence);
      const [live, archived] = await Promise.all([journal, join(journal, 'archive')].map(filesIn));
      bytes.child({ place: 'live' }).set(total(live!, '.journal'));
      bytes.child({ place: 'archive' }).set(total(archived!, '.journal'));
      const saved = live!.filter(({ name }) => name.endsWith('.state')).map(({ savedAtMs }) => savedAtMs);
      if (saved.length > 0) age.set(Math.max(0, clock.now() - Math.max(...saved)) / 1_000);
    });
  }

  #measureMoney({ ledger }: MeasuredVenue): void {
    const { ask } = ledger.projection;
    const balance = this.registry.gauge('openperp_ledger_usde', "The venue's own ledgers, in USD.E.");
    const deposits = this.registry.gauge('openperp_net_deposits_usde', 'What came in less what left for good, in USD.E.').child();
    const imbalance = this.registry
      .gauge('openperp_conservation_imbalance_usde', 'What all accounts and ledgers hold beyond that, in USD.E: 0, or a defect.')
      .child();
    let countedAtMs = Number.NEGATIVE_INFINITY;
    this.registry.onScrape('money', async () => {
      for (const [name, amount] of Object.entries(readBack(await ask.ledgers())))
        balance.child({ ledger: name }).set(Number(amount));
      if (performance.now() - countedAtMs < MONEY_EVERY_MS) return;
      countedAtMs = performance.now();
      const counted = readBack(await ask.conservation());
      deposits.set(Number(counted.netDeposits));
      imbalance.set(Number(counted.imbalance));
    });
  }

  #measureMarkets({ markets }: MeasuredVenue): void {
    const current = this.registry.gauge('openperp_market_index_current', 'Whether the index of a market is current, 1 or 0.');
    const openInterest = this.registry.gauge(
      'openperp_market_open_interest_base',
      'All long positions of a market, in its base.',
    );
    this.registry.onScrape('markets', async () => {
      for (const { marketId: market, indexStatus, openInterest: base } of await markets()) {
        current.child({ market }).set(Number(indexStatus === 'current'));
        openInterest.child({ market }).set(Number(base));
      }
    });
  }

  #measureRealtime({ realtime }: MeasuredVenue): void {
    const sockets = this.registry.gauge('openperp_realtime_sockets', 'Clients of the realtime service.').child();
    const subscriptions = this.registry.gauge('openperp_realtime_subscriptions', 'What they are subscribed to.').child();
    const frames = this.registry.counter('openperp_realtime_frames_sent_total', 'Frames that were sent to them.').child();
    const closed = this.registry.counter(
      'openperp_realtime_closed_total',
      'Clients that were cut off, by the reason they were told.',
    );
    this.registry.onScrape('realtime', async () => {
      const counts = await realtime();
      sockets.set(counts.sockets);
      subscriptions.set(counts.subscriptions);
      frames.countedTo(counts.framesSent);
      for (const [reason, count] of Object.entries(counts.closed)) closed.child({ reason }).countedTo(count);
    });
  }
}

interface FileSeen {
  readonly name: string;
  readonly bytes: number;
  readonly savedAtMs: number;
}

/** A file may go while it is looked at, and there may be no archive. */
async function filesIn(directory: string): Promise<readonly FileSeen[]> {
  const names = await readdir(directory).catch(() => []);
  const seen = names.map(async (name) => {
    const found = await stat(join(directory, name)).catch(() => undefined);
    return found === undefined ? [] : [{ name, bytes: found.size, savedAtMs: found.mtimeMs }];
  });
  return (await Promise.all(seen)).flat();
}

function total(files: readonly FileSeen[], suffix: string): number {
  return files.filter(({ name }) => name.endsWith(suffix)).reduce((sum, { bytes }) => sum + bytes, 0);
}
