/**
 * The venue's metrics at `/metrics`. Requests and commands are counted as they pass; all else is read at the scrape. Labels are
 * names of operations, codes, ledgers, markets and sign-in providers, never accounts.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunnerCounts } from '#agents/runner/runner-task.ts';
import { CONTRACT_VERSION } from '#contract/system.ts';
import { JOURNAL_FOLDER, type Ledger } from '#host/ledger.ts';
import type { RealtimeInThread } from '#host/realtime-in-thread.ts';
import type { ProviderConditions } from '#identity/sign-in/provider-condition.ts';
import { HttpMetrics } from '#observability/http-metrics.ts';
import { MetricRegistry } from '#observability/metric-registry.ts';
import { measureProcess } from '#observability/process-metrics.ts';
import { WriterMetrics } from '#observability/writer-metrics.ts';
import type { Conservation } from '#reads/reads.ts';
import { parseRendered } from '#reads/resource-reads.ts';
import type { Coordinator } from '#settlement/coordinator/coordinator.ts';
import type { Clock } from '#time/clock.ts';
import type { Time } from '#time/time.ts';
import { VENUE_STATUSES } from '#venue/command.ts';
import { VenueHalted, WriterBusy } from '#writer/port/submit.ts';
import type { InternalErrors } from './internal-errors.ts';
import type { MarketsReported } from './market-report.ts';
import type { Readiness } from './readiness.ts';

/** What the metrics read. */
export interface MeasuredVenue {
  readonly dataDirectory: string;
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly readiness: Readiness;
  readonly markets: () => Promise<MarketsReported>;
  readonly conservation: () => Promise<Conservation>;
  readonly realtime: Pick<RealtimeInThread, 'counts' | 'behindRecords'>;
  /** Absent on a venue without an external ledger. */
  readonly settlement: Pick<Coordinator, 'status'> | undefined;
  /** The ids of the configured sign-in providers. */
  readonly signInProviders: readonly string[];
  readonly signInConditions: Pick<ProviderConditions, 'faults'>;
  /** `undefined` before the runner of agents has started, and in environments without it. */
  readonly agents: () => RunnerCounts | undefined;
  /** Whether Redis responds; absent without Redis. */
  readonly isRedisUp: (() => boolean) | undefined;
}

export class VenueMetrics {
  readonly registry: MetricRegistry;
  readonly http: HttpMetrics;
  readonly writer: WriterMetrics;

  constructor({ clock, timers }: Time, resources: AsyncDisposableStack, internalErrors: InternalErrors) {
    this.registry = new MetricRegistry(timers, (error, part) => {
      // Status already reports both; the metrics that need the read are omitted.
      if (!(error instanceof VenueHalted || error instanceof WriterBusy))
        internalErrors.report(error, 'metrics', `metrics of ${part}`);
    });
    internalErrors.countIn(this.registry);
    this.http = new HttpMetrics(this.registry);
    this.writer = new WriterMetrics(this.registry);
    resources.defer(measureProcess(this.registry, clock));
    const build = this.registry.gauge('openperp_build_info', 'Always 1; the versions are in its labels.');
    build.child({ contract: CONTRACT_VERSION, node: process.version }).set(1);
  }

  measure(venue: MeasuredVenue): void {
    this.#measureState(venue);
    this.#measureSwitches(venue);
    this.#measureSettlement(venue);
    this.#measureSignIn(venue);
    this.#measureJournal(venue);
    this.#measureMoney(venue);
    this.#measureMarkets(venue);
    this.#measureRealtime(venue);
    this.#measureAgents(venue);
  }

  #measureState({ ledger, readiness, isRedisUp }: MeasuredVenue): void {
    const rebuilds = this.registry
      .counter('openperp_projection_rebuilds_total', 'Rebuilds of the projection because it contradicted the journal.')
      .child();
    const writeFaults = this.registry
      .counter('openperp_projection_write_faults_total', 'Failed writes of the projection to disk.')
      .child();
    this.registry.part('state', (part) => {
      const ready = part.gauge('openperp_ready', 'Whether GET /ready answers 200, 1 or 0.').child();
      const halted = part.gauge('openperp_halted', 'Whether the writer is halted, 1 or 0.').child();
      const queued = part.gauge('openperp_commands_queued', 'Commands that wait for their turn.').child();
      const clockOff = part.gauge('openperp_clock_offset_seconds', "The machine's clock minus the journal's time.").child();
      const lagRecords = part
        .gauge('openperp_projection_lag_records', 'Durable records that the projection has not folded yet.')
        .child();
      const lag = part
        .gauge('openperp_projection_lag_seconds', 'The age of the oldest durable record that is not folded yet.')
        .child();
      const unwritten = part
        .gauge('openperp_projection_unwritten', 'Whether the projection cannot be written to disk, 1 or 0.')
        .child();
      const redis = part.gauge('openperp_redis_up', 'Whether Redis responds, 1 or 0; absent without Redis.').child();
      return async () => {
        const status = ledger.writer.status();
        halted.set(Number(status.halt !== undefined));
        queued.set(status.queued);
        clockOff.set(status.clockOffByMs / 1_000);
        lagRecords.set(ledger.projection.lag.records);
        lag.set(ledger.projection.lag.ms / 1_000);
        const { condition } = ledger.projection;
        unwritten.set(Number(condition.isUnwritten));
        rebuilds.countedTo(condition.rebuildCount);
        writeFaults.countedTo(condition.writeFaultCount);
        if (isRedisUp !== undefined) redis.set(Number(isRedisUp()));
        ready.set(Number((await readiness.status()).isReady));
      };
    });
  }

  #measureSwitches({ ledger: { projection } }: MeasuredVenue): void {
    this.registry.part('switches', (part) => {
      const environments = part.gauge('openperp_environment_info', 'Always 1; the environment is in its label.');
      const statuses = part.gauge('openperp_venue_status', 'Whether this is the status that the operator set, 1 or 0.');
      const on = part.gauge('openperp_capability_on', 'Whether the capability is on, 1 or 0.');
      return async () => {
        const { environment, status, capabilities } = projection.directory.switches();
        environments.child({ environment }).set(1);
        for (const known of VENUE_STATUSES) statuses.child({ status: known }).set(Number(known === status));
        for (const [capability, isOn] of Object.entries(capabilities)) on.child({ capability }).set(Number(isOn));
      };
    });
  }

  #measureSignIn({ signInProviders, signInConditions }: MeasuredVenue): void {
    if (signInProviders.length === 0) return;
    this.registry.part('sign-in', (part) => {
      const up = part.gauge(
        'openperp_sign_in_provider_up',
        'Whether owners can sign in with the provider, as far as known, 1 or 0.',
      );
      return async () => {
        const failing = signInConditions.faults.map(({ provider }) => provider);
        for (const provider of signInProviders) up.child({ provider }).set(Number(!failing.includes(provider)));
      };
    });
  }

  #measureSettlement({ settlement }: MeasuredVenue): void {
    if (settlement === undefined) return;
    const toRetired = this.registry
      .counter('openperp_deposits_to_retired_total', 'Deposits that were credited to an account that was retired meanwhile.')
      .child();
    const beyondBound = this.registry
      .counter('openperp_deposits_beyond_bound_total', 'Deposits and faucet grants refused because of the bound of all deposits.')
      .child();
    this.registry.part('settlement', (part) => {
      const up = part.gauge('openperp_external_ledger_up', 'Whether the external ledger answered the last call, 1 or 0.').child();
      const busy = part.gauge('openperp_external_ledger_busy', 'Whether the external ledger takes no commands, 1 or 0.').child();
      const pending = part
        .gauge('openperp_external_ledger_pending_commands', 'Commands that the external ledger has not sequenced yet.')
        .child();
      const stuck = part
        .gauge(
          'openperp_external_ledger_stuck_items',
          'Deposits, withdrawals and parties that the external ledger or the venue refuses.',
        )
        .child();
      const differs = part
        .gauge(
          'openperp_external_ledger_difference',
          'Whether it differs from the journal, so that transfers are halted, 1 or 0.',
        )
        .child();
      return async () => {
        const { status } = settlement;
        up.set(Number(status.isUp));
        busy.set(Number(status.isBusy));
        pending.set(status.pending);
        stuck.set(status.stuck);
        toRetired.countedTo(status.depositsToRetired);
        beyondBound.countedTo(status.depositsBeyondBound);
        differs.set(Number(status.difference !== null));
      };
    });
  }

  #measureJournal({ dataDirectory, clock, ledger }: MeasuredVenue): void {
    const journal = join(dataDirectory, JOURNAL_FOLDER);
    this.registry.part('journal', (part) => {
      const sequence = part.gauge('openperp_journal_sequence', 'The newest durable record.').child();
      const bytes = part.gauge('openperp_journal_bytes', 'The size of the journal files, live and archived.');
      const snapshot = part.gauge('openperp_snapshot_sequence', 'The last record of the newest snapshot.').child();
      const age = part.gauge('openperp_snapshot_age_seconds', 'The age of the newest snapshot.').child();
      return async () => {
        const status = ledger.writer.status();
        sequence.set(status.sequence);
        snapshot.set(status.snapshotSequence);
        const [live, archived] = await Promise.all([journal, join(journal, 'archive')].map(filesIn));
        bytes.child({ place: 'live' }).set(total(live!, '.journal'));
        bytes.child({ place: 'archive' }).set(total(archived!, '.journal'));
        const saved = live!.filter(({ name }) => name.endsWith('.state')).map(({ savedAtMs }) => savedAtMs);
        if (saved.length > 0) age.set(Math.max(0, clock.now() - Math.max(...saved)) / 1_000);
      };
    });
  }

  #measureMoney({ ledger, conservation }: MeasuredVenue): void {
    const { reads } = ledger.projection;
    this.registry.part('money', (part) => {
      const balance = part.gauge('openperp_ledger_usde', "The venue's own ledgers, in USD.E.");
      const deposits = part.gauge('openperp_net_deposits_usde', 'Deposits minus settled withdrawals, in USD.E.').child();
      const imbalance = part
        .gauge('openperp_conservation_imbalance_usde', 'All balances minus net deposits, in USD.E: 0 unless there is a bug.')
        .child();
      return async () => {
        for (const [name, amount] of Object.entries(parseRendered(await reads.ledgers())))
          balance.child({ ledger: name }).set(Number(amount));
        const money = await conservation();
        deposits.set(Number(money.netDeposits));
        imbalance.set(Number(money.imbalance));
      };
    });
  }

  #measureMarkets({ markets }: MeasuredVenue): void {
    this.registry.part('markets', (part) => {
      const current = part.gauge('openperp_market_index_current', 'Whether the index of a market is current, 1 or 0.');
      const openInterest = part.gauge('openperp_market_open_interest_base', 'All long positions of a market, in its base.');
      return async () => {
        for (const { marketId: market, indexStatus, openInterest: base } of await markets()) {
          current.child({ market }).set(Number(indexStatus === 'current'));
          openInterest.child({ market }).set(Number(base));
        }
      };
    });
  }

  #measureAgents({ agents }: MeasuredVenue): void {
    const bars = this.registry
      .counter('openperp_agent_bars_total', 'Bars of deployments that were worked since the start.')
      .child();
    const orders = this.registry
      .counter('openperp_agent_paper_orders_total', 'Paper orders that the runner placed since the start.')
      .child();
    this.registry.part('agents', (part) => {
      const deployments = part.gauge('openperp_agent_deployments', 'Deployments that run or wait for their start, by state.');
      const behind = part.gauge('openperp_agent_deployments_behind', 'Deployments whose bars are being worked.').child();
      const lag = part
        .gauge('openperp_agent_lag_seconds', 'How long ago the oldest bar closed that a deployment has not worked yet.')
        .child();
      return async () => {
        const counts = agents();
        if (counts === undefined) return;
        deployments.child({ state: 'running' }).set(counts.running);
        deployments.child({ state: 'pending' }).set(counts.pending);
        behind.set(counts.behind);
        lag.set(counts.lagMs / 1_000);
        bars.countedTo(counts.barsWorked);
        orders.countedTo(counts.ordersPlaced);
      };
    });
  }

  #measureRealtime({ realtime }: MeasuredVenue): void {
    const frames = this.registry.counter('openperp_realtime_frames_sent_total', 'Frames sent to clients.').child();
    const closed = this.registry.counter(
      'openperp_realtime_closed_total',
      'Connections that the venue closed, by the reason sent to the client.',
    );
    const conflated = this.registry
      .counter('openperp_realtime_spared_total', 'Book and ticker updates conflated for slow readers.')
      .child();
    this.registry.part('realtime', (part) => {
      const sockets = part.gauge('openperp_realtime_sockets', 'Open connections of the realtime service.').child();
      const subscriptions = part.gauge('openperp_realtime_subscriptions', 'Subscriptions of all connections.').child();
      const replays = part.gauge('openperp_realtime_waiting_replays', 'Subscriptions that wait for their replay.').child();
      const behind = part.gauge('openperp_realtime_lag_records', 'Durable records not published to clients yet.').child();
      const delay = part
        .gauge(
          'openperp_realtime_loop_delay_seconds',
          'The maximum event loop delay of the realtime thread since the last scrape.',
        )
        .child();
      return async () => {
        behind.set(realtime.behindRecords);
        const counts = await realtime.counts();
        sockets.set(counts.sockets);
        subscriptions.set(counts.subscriptions);
        replays.set(counts.waitingReplays);
        frames.countedTo(counts.framesSent);
        conflated.countedTo(counts.conflated);
        delay.set(counts.loopDelayMs / 1_000);
        for (const [reason, count] of Object.entries(counts.closed)) closed.child({ reason }).countedTo(count);
      };
    });
  }
}

interface MeasuredFile {
  readonly name: string;
  readonly bytes: number;
  readonly savedAtMs: number;
}

/** A file may disappear between the calls, and the archive may not exist. */
async function filesIn(directory: string): Promise<readonly MeasuredFile[]> {
  const names = await readdir(directory).catch(() => []);
  const seen = names.map(async (name) => {
    const found = await stat(join(directory, name)).catch(() => undefined);
    return found === undefined ? [] : [{ name, bytes: found.size, savedAtMs: found.mtimeMs }];
  });
  return (await Promise.all(seen)).flat();
}

function total(files: readonly MeasuredFile[], suffix: string): number {
  return files.filter(({ name }) => name.endsWith(suffix)).reduce((sum, { bytes }) => sum + bytes, 0);
}
