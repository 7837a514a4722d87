/**
 * The composition root: picks implementations and defines the order of start and stop.
 * Start: check prices (and ports if the venue is new), lock the directory, recover the journal, bind or check its environment,
 * open the services, publish prices, wait for realtime to catch up, report ready, start the market makers.
 * Stop: the reverse. Intake ends first; everything accepted is still answered and published.
 */

import type { AgentRunner } from '#agents/runner/runner.ts';
import { DEVNET_MARKETS, type DevnetMarket } from '#devnet/markets.ts';
import { closeAll } from '#host/close-all.ts';
import { startDueOrders } from '#host/due-orders.ts';
import { type Ledger, type LedgerOptions, openLedger } from '#host/ledger.ts';
import { inDirectory } from '#host/start-fault.ts';
import { countersInProcess } from '#http/access/rate-counters.ts';
import { createApiKey } from '#identity/api-key.ts';
import { identifyKey } from '#identity/directory.ts';
import { openInProcess, openOwnerStores } from '#identity/owner-stores.ts';
import { ProviderConditions } from '#identity/sign-in/provider-condition.ts';
import { MemoryTicketStore } from '#identity/ticket-store.ts';
import {
  type CreatedAccount,
  createAccountAction,
  type OperatorRequest,
  type VenueFigures,
  type VenueReport,
} from '#operator/action.ts';
import type { OperatedMarkets } from '#operator/market-actions.ts';
import { Operator } from '#operator/operator.ts';
import { operatorSocketPath } from '#operator/socket-path.ts';
import { openOperatorSocket } from '#operator/socket-server.ts';
import { readPriceChoice } from '#prices/price-choice.ts';
import type { OwnerDirectory } from '#reads/owner-directory.ts';
import type { Directory } from '#reads/reads.ts';
import { parseRendered, type RenderedReads } from '#reads/resource-reads.ts';
import { openInRedis } from '#redis/owner-stores.ts';
import { countersInRedis } from '#redis/rate-counters.ts';
import { RedisLink } from '#redis/redis-link.ts';
import { RedisTicketStore } from '#redis/ticket-store.ts';
import type { Time } from '#time/time.ts';
import { renderAccountId } from '#units/ids.ts';
import type { VenueCounts } from '#venue/venue.ts';
import type { Halt } from '#writer/port/halt.ts';
import { type Submit, VenueHalted, WriterBusy } from '#writer/port/submit.ts';
import type { RecoveryReport } from '#writer/recovery/recovery.ts';
import { deploymentsReport, startAgentRunner } from './agent-runner.ts';
import { startBuiltInMarketMakers } from './built-in-market-makers.ts';
import type { VenueConfig } from './config.ts';
import { watchConservation } from './conservation-watch.ts';
import { hasJournal, refuseMissingJournal } from './data-directory.ts';
import { FURTHER_MARKETS, replayedMarkets } from './default-market.ts';
import { listMarkets } from './devnet-listing.ts';
import { bindEnvironment } from './environment.ts';
import { startIndexPrices } from './index-prices.ts';
import { InternalErrors } from './internal-errors.ts';
import { historyOf } from './market-history.ts';
import { type MarketsReported, marketsReported } from './market-report.ts';
import { externalLedgerReport, operatedLedger } from './operated-ledger.ts';
import { operatedMarkets } from './operated-markets.ts';
import { Readiness } from './readiness.ts';
import { type LogRequests, openServices, refusePortsInUse, type ServiceParts, type Services } from './services.ts';
import { openSettlement, settlementFaults } from './settlement.ts';
import { readSignInProviders, signInFaults } from './sign-in-providers.ts';
import { VenueMetrics } from './venue-metrics.ts';

export interface VenueParts
  extends Time,
    Pick<ServiceParts, 'log' | 'onFatalError'>,
    Pick<LedgerOptions, 'flushToDisk' | 'segmentBytes'> {
  /** Logs an internal error at an edge. The venue keeps running. */
  readonly onInternalError: (error: unknown, where: string) => void;
  /** Called for every response. */
  readonly logRequests?: LogRequests | undefined;
  readonly onHalt: (halt: Halt) => void;
}

/** The initial state of an account; every field has a default. */
export type AccountOptions = Omit<Extract<OperatorRequest, { action: 'account.create' }>, 'action'>;

/** A running venue. */
export interface RunningVenue extends Services {
  readonly recovered: RecoveryReport;
  /** The source of index prices, in one line. */
  readonly prices: string;
  readonly submit: Submit;
  readonly directory: Directory;
  readonly owners: OwnerDirectory;
  readonly reads: RenderedReads;
  /** Runs the operator's action through the writer. The API key is returned only here. */
  createAccount(options: AccountOptions): Promise<CreatedAccount>;
  /** Returns the account of a currently valid API key, else `undefined`. */
  accountOf(apiKey: string): string | undefined;
  /** As of the newest command, durable or not. */
  counts(): VenueCounts;
  /** Ends intake, answers accepted requests, saves a snapshot and closes everything. */
  stop(): Promise<void>;
}

/** Rejects with a fault that `start-fault.ts` lists, or with an internal error; everything opened is closed first. */
export async function startVenue(config: VenueConfig, parts: VenueParts): Promise<RunningVenue> {
  const resources = new AsyncDisposableStack();
  try {
    return await bringUp(config, parts, resources);
  } catch (error) {
    await closeAll(resources).catch((failure) => parts.onFatalError(failure, 'stopping'));
    throw error;
  }
}

async function bringUp(config: VenueConfig, parts: VenueParts, resources: AsyncDisposableStack): Promise<RunningVenue> {
  const { dataDirectory } = config;
  const { clock, steadyClock, timers, log, onFatalError, onHalt, flushToDisk, segmentBytes } = parts;
  const builtIn = [...DEVNET_MARKETS, ...FURTHER_MARKETS].slice(0, config.marketCount ?? DEVNET_MARKETS.length);
  const choice = readPriceChoice(config.prices, namesOf([...DEVNET_MARKETS, ...FURTHER_MARKETS]));
  const wanted = [...builtIn, ...replayedMarkets(choice, builtIn)];
  const known = namesOf(wanted);
  const signInProviders = readSignInProviders(config.signInProviders, config.environment);
  await refuseFirstStart(config);
  const archiveAfterMs = config.journalArchiveAfterMs;
  const internalErrors = new InternalErrors(steadyClock, parts.onInternalError);
  const { report: reportInternalError } = internalErrors;
  const metrics = new VenueMetrics(parts, resources, internalErrors);
  // A failing metric does not stop commits: a durable group is answered either way.
  const onCommitted = internalErrors.observing(metrics.writer.onCommitted);
  const onUnrecorded = internalErrors.observing(metrics.writer.onUnrecorded);
  const ledger = await inDirectory(dataDirectory, () =>
    openLedger(
      {
        dataDirectory,
        clock,
        steadyClock,
        timers,
        onHalt,
        onCommitted,
        onUnrecorded,
        log,
        archiveAfterMs,
        flushToDisk,
        segmentBytes,
      },
      resources,
    ),
  );
  // Before the first request, so that every command is counted.
  ledger.addListener(internalErrors.observing(metrics.writer.follow));
  await bindEnvironment(ledger, config.environment);
  const { recovered, time } = ledger.writer;
  const { submit } = ledger;
  const { directory, reads } = ledger.projection;
  const reportMarkets = () => marketsReported(directory, reads);
  const onRedisError = (error: unknown) => reportInternalError(error, 'realtime', 'a message from Redis');
  const redis = await openRedis(config, parts, onRedisError, resources);
  const onLedgerError = (error: unknown) => reportInternalError(error, 'settlement');
  const settlement = await openSettlement(config, ledger, { timers, log, onInternalError: onLedgerError }, resources);
  const signInConditions = new ProviderConditions(log);
  const unavailable = () => [
    ...(redis === undefined || redis.isUp ? [] : [REDIS_UNAVAILABLE]),
    ...settlementFaults(settlement),
    ...signInFaults(signInConditions),
  ];
  const onReadError = (error: unknown) => reportInternalError(error, 'readiness', 'the reads that readiness needs');
  const conservation = watchConservation(steadyClock, reads, log);
  const readiness = new Readiness({
    ...ledger,
    steadyClock,
    timers,
    markets: reportMarkets,
    switches: () => directory.switches(),
    imbalance: async () => (await conservation()).imbalance,
    unavailable,
    onInternalError: onReadError,
  });
  const inProcess = countersInProcess(steadyClock);
  const { realtime, ...services } = await openServices(
    config,
    ledger,
    {
      // The journal's time: a change of the machine's clock expires no key, session or ticket.
      clock: time,
      steadyClock,
      timers,
      status: () => readiness.status(),
      rateCounters: redis === undefined ? inProcess : countersInRedis(redis, inProcess),
      ticketStore: redis === undefined ? new MemoryTicketStore() : new RedisTicketStore(redis),
      ownerStores: openOwnerStores(redis === undefined ? openInProcess : openInRedis(redis), time),
      signInProviders,
      signInConditions,
      settlement,
      metrics,
      logRequests: parts.logRequests,
      pricedUnderlyings: known,
      log,
      onFatalError,
      reportInternalError,
    },
    resources,
  );
  let agentRunner: ReturnType<typeof startAgentRunner>;
  metrics.measure({
    dataDirectory,
    clock,
    ledger,
    readiness,
    markets: reportMarkets,
    conservation,
    realtime,
    settlement,
    signInProviders: signInProviders.map(({ id }) => id),
    signInConditions,
    isRedisUp: redis && (() => redis.isUp),
    agents: () => agentRunner?.counts(),
  });
  const markets = await listMarkets(wanted, {
    environment: config.environment,
    submit,
    directory,
    reads,
    historyOf: (market) => historyOf(market, config, choice, time.now()),
    log,
  });
  const onPriceError = (error: unknown) => reportInternalError(error, 'prices');
  const prices = await startIndexPrices(
    { config, choice, markets, reads, submit, clock: time, timers, log, onInternalError: onPriceError },
    resources,
  );
  const endDueOrders = startDueOrders({
    ...ledger,
    timers,
    onInternalError: (error) => reportInternalError(error, 'orders', 'the orders that are due'),
  });
  resources.defer(endDueOrders);
  await prices.published;
  // When the venue reports ready, realtime already knows its markets and prices.
  await realtime.hasCaughtUp();
  readiness.started();
  agentRunner = startAgentRunner(config, ledger, { steadyClock, timers, log, internalErrors }, resources);
  const operator = operatorOf(ledger, services, readiness, prices.description, reportMarkets, {
    markets: operatedMarkets(directory, markets, prices),
    settlement,
    signInConditions,
    agentRunner,
  });
  const perform = operator.perform.bind(operator);
  const onOperatorError = (error: unknown) => reportInternalError(error, 'operator');
  const socket = await inDirectory(dataDirectory, () =>
    openOperatorSocket({ dataDirectory, perform, onInternalError: onOperatorError, log }),
  );
  resources.defer(() => socket.close());
  const venue: RunningVenue = {
    ...services,
    recovered,
    prices: prices.description,
    submit,
    directory,
    owners: ledger.owners,
    reads,
    createAccount: (options) => operator.createAccount(createAccountAction.parse({ action: 'account.create', ...options })),
    accountOf: (apiKey) => {
      const identified = identifyKey(apiKey, (keyId) => directory.apiKey(keyId), time.now());
      return 'principal' in identified ? renderAccountId(identified.principal.account) : undefined;
    },
    counts: () => ledger.counts(),
    stop: () => closeAll(resources),
  };
  if (config.withMarketMakers)
    await startBuiltInMarketMakers(
      venue,
      config,
      { ...parts, reportInternalError, marketIds: known.map(({ marketId }) => marketId) },
      resources,
    );
  return venue;
}

function namesOf(markets: readonly DevnetMarket[]) {
  return markets.map(({ specification }) => specification);
}

/** Checks a new venue's settings before its directory is made, so that a failure leaves no files behind. */
async function refuseFirstStart(config: VenueConfig): Promise<void> {
  const { dataDirectory } = config;
  if (await inDirectory(dataDirectory, () => hasJournal(dataDirectory))) return;
  await inDirectory(dataDirectory, () => refuseMissingJournal(dataDirectory));
  operatorSocketPath(dataDirectory);
  await refusePortsInUse(config);
}

const REDIS_UNAVAILABLE =
  'redis_unavailable: realtime tickets are neither issued nor accepted, owners cannot sign in or use their sessions, and each process counts rate limits separately';

/** If Redis is unavailable at the start, the venue starts without it and connects when it becomes available. */
async function openRedis(
  { redis }: VenueConfig,
  { steadyClock, log }: VenueParts,
  onInternalError: (error: unknown) => void,
  resources: AsyncDisposableStack,
): Promise<RedisLink | undefined> {
  if (redis === undefined) return undefined;
  const link = new RedisLink({ ...redis, steadyClock, log, onInternalError });
  resources.defer(() => link.close());
  await link.settled();
  return link;
}

interface ReportedParts extends Pick<ServiceParts, 'settlement' | 'signInConditions'> {
  readonly markets: OperatedMarkets;
  readonly agentRunner: AgentRunner | undefined;
}

function operatorOf(
  { writer, submit, projection: { directory, reads } }: Ledger,
  services: Services,
  readiness: Readiness,
  prices: string,
  reportMarkets: () => Promise<MarketsReported>,
  { markets, settlement, signInConditions, agentRunner }: ReportedParts,
): Operator {
  const figures = async (): Promise<VenueFigures> => ({
    ...parseRendered(await reads.ledgers()),
    markets: await reportMarkets(),
  });
  const report = async (): Promise<VenueReport> => ({
    ...services,
    ...(await readiness.report()),
    ...switchesOf(directory),
    ...(settlement === undefined ? {} : { externalLedger: externalLedgerReport(settlement) }),
    ...(signInConditions.faults.length === 0 ? {} : { signInFaults: signInConditions.faults }),
    ...(agentRunner === undefined ? {} : { deployments: deploymentsReport(agentRunner) }),
    journalSequence: writer.status().sequence,
    snapshotSequence: writer.status().snapshotSequence,
    snapshotFailure: writer.status().snapshotFailure,
    prices,
    ...(await figures().catch(undefinedIfRefused)),
  });
  return new Operator({
    submit,
    createApiKey,
    markets,
    marketOf: (marketId) => directory.listedMarket(marketId)?.market,
    report,
    accounts: {
      list: async (query) => parseRendered(await reads.accountList(query)),
      show: async (account) => parseRendered(await reads.accountDetails(account)),
      apiKeys: async (account) => parseRendered(await reads.apiKeysOf(account)),
    },
    ledger: settlement === undefined ? undefined : operatedLedger(settlement),
    now: () => writer.time.now(),
  });
}

function switchesOf(directory: Directory): Pick<VenueReport, 'environment' | 'venueStatus' | 'capabilities'> {
  const { environment, status, capabilities } = directory.switches();
  const states = Object.entries(capabilities).map(([capability, isOn]) => ({ capability, state: isOn ? 'on' : 'off' }) as const);
  return { environment, venueStatus: status, capabilities: states };
}

/** Returns `undefined` for a refused read, so that the operator's report continues. */
function undefinedIfRefused(error: unknown): undefined {
  if (!(error instanceof VenueHalted || error instanceof WriterBusy)) throw error;
}
