/** The configuration of a venue, and its command-line options. */
import { parseArgs } from 'node:util';
import type { RealtimeUrl } from '#contract/asyncapi.ts';
import { DEFAULT_RATES } from '#contract/limits.ts';
import { isNetwork } from '#http/server/trusted-proxies.ts';
import { relyingPartyOf } from '#identity/webauthn/relying-party.ts';
import { LOG_LEVELS, type LogLevel } from '#observability/structured-log.ts';
import { NO_PRICES } from '#prices/price-choice.ts';
import { DEFAULT_MAX_LOG_BYTES } from '#settlement/local/local-ledger.ts';
import { ENVIRONMENTS, type Environment, UNBOUND_ENVIRONMENT } from '#venue/command.ts';
import { hasRealFunds, hasTestFunds } from './environment.ts';

export interface VenueConfig {
  /** Root of all files. Created if missing. */
  readonly dataDirectory: string;
  /** The first start binds the journal to it for good. */
  readonly environment: Environment;
  /** Makes generated prices and the market makers' trades repeatable. */
  readonly seed: number;
  /** Public URL of the realtime service, as `/asyncapi.json` shows it. Default: the address that it listens on. */
  readonly realtimeUrl?: RealtimeUrl;
  /** Origin of the owner's page, to which passkeys are bound. Default: localhost, with the port of the REST service. */
  readonly publicOrigin?: string;
  /** The file of sign-in providers. Absent: only the built-in one of local and development. */
  readonly signInProviders?: string;
  /** The address to listen on. `localhost` is reachable from this machine only. */
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** 0 picks a free port. */
  readonly realtimePort: number;
  /** `generated`, `none`, or `file:` with candle files. */
  readonly prices: string;
  /** Replay speed of candle files: 60 replays one minute of them per second. */
  readonly speed: number;
  /** Length of the synthetic history of markets that the first start lists; 0 for no history. */
  readonly historyMs: number;
  /** Sustained rate of orders, and separately of cancels, per API key; the burst is twice that. */
  readonly ordersPerSecond: number;
  /** Sustained rate of other requests per API key, and per network without a key; the burst is twice that. */
  readonly readsPerSecond: number;
  /** Origins of pages that may open sockets, besides the venue's own host; `*` allows all. */
  readonly origins: readonly string[];
  /** Proxies whose X-Forwarded-For is trusted: addresses, and networks as CIDRs. */
  readonly trustedProxies: readonly string[];
  /** How many markets a start lists and, with the built-in market makers, quotes. Absent: the three built-in ones. */
  readonly marketCount?: number;
  /** Whether the market makers (built-in) trade. */
  readonly withMarketMakers: boolean;
  /** Age at which parts of the journal move into its archive. Absent: never. */
  readonly journalArchiveAfterMs?: number;
  /** The size of the local ledger's log from which on it takes no new commands. Absent: the ledger's default. */
  readonly maxLedgerLogBytes?: number;
  /** Writes JSON log lines of this level and above instead of text for people. */
  readonly logLevel?: LogLevel;
  /** Where metrics are served; port 0 picks a free one. Absent: not served. */
  readonly metrics?: { readonly host: string; readonly port: number } | undefined;
  /** Where rate limit counters, tickets and owners' sessions are stored if several processes share them. Absent: in this process. */
  readonly redis?: { readonly url: string; readonly prefix: string };
}

/** An invalid command line. The message is one line and says what to write instead. */
export class UsageFault extends Error {
  override readonly name = 'UsageFault';
}

export const DEFAULT_DATA_DIRECTORY = './openperp-data';
const DEFAULT_PORT = 8080;
export const MAX_PORT = 65_535;
/** BTC, ETH and SOL. */
const DEFAULT_MARKETS = 3;
const MAX_MARKETS = 20;
const MAX_SEED = 2 ** 31 - 1;
const MAX_SPEED = 100_000;
export const DEFAULT_ORDERS_PER_SECOND = DEFAULT_RATES.orders.perSecond;
export const DEFAULT_READS_PER_SECOND = DEFAULT_RATES.reads.perSecond;
const MAX_RATE = 1_000_000;
const MAX_DAYS = 36_500;
const DAY_MS = 24 * 60 * 60 * 1000;
const MIB = 1 << 20;
/** A start reads the whole log into memory. */
const MAX_LEDGER_LOG_MIB = 1_024;
const DEFAULT_HISTORY = '30d';
const HISTORY_UNITS_MS = { m: 60_000, h: 3_600_000, d: DAY_MS };
const MAX_HISTORY_DAYS = 365;

export const START_HELP = `Usage: npm start -- [options]

Runs a venue. It continues from its state at the last stop.

  --data-dir <path>         the directory of all files (${DEFAULT_DATA_DIRECTORY})
  --environment <name>      local, development, testnet or mainnet: the first start binds the data directory
                            to it for good; on testnet and mainnet trading and funding are off until the
                            operator switches them on (${UNBOUND_ENVIRONMENT})
  --port <number>           the port of the REST service, 0 for a free one (${DEFAULT_PORT})
  --realtime-port <number>  the port of the realtime service (the next one)
  --realtime-url <url>      ws:// or wss://: the public URL of the realtime service, as /asyncapi.json
                            shows it, if it is behind a proxy (the address that it listens on)
  --public-origin <origin>  the origin of the owner's page, such as https://venue.example: passkeys are bound
                            to its name, so a later change makes them unusable (http://localhost:<port>)
  --sign-in-providers <file>
                            a JSON list of OpenID Connect providers with which owners sign in: provider,
                            name, issuer, clientId and clientSecretFile of each (none)
  --host <name>             the address to listen on (localhost: this machine only)
  --prices <source>         generated, none, or file:<candles>[,<candles>...], where a file has rows of
                            [openTimeMs, open, high, low, close, volume] as JSON or CSV, gzip or not;
                            its name names the market, or write <market>=<candles>, which also lists a
                            market that the venue does not have. Without prices nothing
                            trades; mainnet has none in this release (generated)
  --markets <number>        how many markets the venue lists at least, from ${DEFAULT_MARKETS} to ${MAX_MARKETS}, all with market makers and
                            prices; others are listed by openperp market create (${DEFAULT_MARKETS})
  --speed <number>          the replay speed of candles (1)
  --seed <number>           makes generated prices repeatable (1)
  --history <length>        how far candles and funding rates go back before the first start, such as 12h
                            or 30d: they are generated, and marked as synthetic; 0 for no history.
                            Later starts keep the history of the first (${DEFAULT_HISTORY})
  --orders-per-second <number>
                            how many orders, and separately cancels, an API key may send per second; the
                            burst is twice that, and an account with several keys gets twice the rate of
                            one key (${DEFAULT_ORDERS_PER_SECOND})
  --reads-per-second <number>
                            how many other requests an API key, or a network without one, may send per
                            second, with the same burst; behind a proxy all clients share one network,
                            unless the proxy is trusted (${DEFAULT_READS_PER_SECOND})
  --trusted-proxy <address>[,<address>...]
                            proxies in front of both services, or networks of them such as 10.0.0.0/8: a
                            request counts for the client that the nearest proxy reports in
                            X-Forwarded-For (none)
  --ledger-log-mib <number> the size up to which the log of the local ledger grows, which is on local and
                            development only: a full one takes no deposits and withdrawals any more. At a
                            start it is read as a whole (${DEFAULT_MAX_LOG_BYTES / MIB})
  --log-level <level>       error, warn, info or debug: writes JSON log lines to stderr instead of text for
                            people; info writes a line for every request (text for people)
  --metrics-port <number>   the port of GET /metrics, 0 for a free one, or off: for the operator, do not
                            expose it (the port after that of the realtime service)
  --metrics-host <name>     the address of that port (127.0.0.1: this machine only)
  --redis <url>             redis:// or rediss://: stores rate limit counters, tickets and owners' sessions,
                            for several processes to share (in this process). OPENPERP_REDIS_URL sets it too, and
                            other users of the machine cannot read it there
  --redis-prefix <text>     the prefix of all keys there: one for each venue (openperp)
  --origins <origin>[,<origin>...]
                            the pages that may open sockets, besides the venue's own host; * for all
                            (none)
  --no-house                starts without the built-in market makers (testnet and mainnet never have them)
  --journal-archive-after <days>
                            moves parts of the journal that are older, and that a start does not need,
                            into journal/archive; they may be removed from there, the oldest first
                            (never)
  --help                    this text`;

/** Reads the options of `start`; returns `help` if the caller should print {@link START_HELP}. Throws {@link UsageFault}. */
export function readConfig(args: readonly string[], environment: NodeJS.ProcessEnv = {}): VenueConfig | 'help' {
  const values = parseOptions(args);
  if (values.help === true) return 'help';
  const port = wholeNumber('--port', values.port, DEFAULT_PORT, MAX_PORT);
  const realtimePort = realtimePortOf(port, values['realtime-port']);
  const venueEnvironment = environmentOf(values.environment ?? UNBOUND_ENVIRONMENT);
  const prices = pricesOf(venueEnvironment, values.prices);
  if (values.speed !== undefined && !prices.startsWith('file:'))
    throw new UsageFault('--speed needs replayed candles: add --prices file:<candles>');
  return {
    dataDirectory: nonEmpty('--data-dir', values['data-dir'] ?? DEFAULT_DATA_DIRECTORY),
    environment: venueEnvironment,
    seed: wholeNumber('--seed', values.seed, 1, MAX_SEED),
    host: nonEmpty('--host', values.host ?? 'localhost'),
    port,
    realtimePort,
    prices,
    speed: speedOf(values.speed),
    historyMs: historyOf(venueEnvironment, values.history),
    ordersPerSecond: wholeNumber('--orders-per-second', values['orders-per-second'], DEFAULT_ORDERS_PER_SECOND, MAX_RATE, 1),
    readsPerSecond: wholeNumber('--reads-per-second', values['reads-per-second'], DEFAULT_READS_PER_SECOND, MAX_RATE, 1),
    ...realtimeUrlOf(values['realtime-url']),
    ...publicOriginOf(values['public-origin']),
    ...signInProvidersOf(values['sign-in-providers']),
    origins: originsOf(values.origins),
    trustedProxies: trustedProxiesOf(values['trusted-proxy']),
    ...marketsOf(values.markets),
    withMarketMakers: marketMakersIn(venueEnvironment, values.house),
    ...archiveOf(values['journal-archive-after']),
    ...ledgerLogOf(values['ledger-log-mib']),
    ...logLevelOf(values['log-level']),
    ...metricsOf([port, realtimePort], values['metrics-port'], values['metrics-host']),
    ...redisOf(values.redis ?? environment.OPENPERP_REDIS_URL, values['redis-prefix']),
  };
}

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowNegative: true,
      options: {
        'data-dir': { type: 'string' },
        environment: { type: 'string' },
        seed: { type: 'string' },
        host: { type: 'string' },
        port: { type: 'string' },
        'realtime-port': { type: 'string' },
        'realtime-url': { type: 'string' },
        'public-origin': { type: 'string' },
        'sign-in-providers': { type: 'string' },
        prices: { type: 'string' },
        markets: { type: 'string' },
        speed: { type: 'string' },
        history: { type: 'string' },
        'orders-per-second': { type: 'string' },
        'reads-per-second': { type: 'string' },
        origins: { type: 'string' },
        'trusted-proxy': { type: 'string' },
        house: { type: 'boolean' },
        'journal-archive-after': { type: 'string' },
        'ledger-log-mib': { type: 'string' },
        'log-level': { type: 'string' },
        'metrics-port': { type: 'string' },
        'metrics-host': { type: 'string' },
        redis: { type: 'string' },
        'redis-prefix': { type: 'string' },
        help: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw usageFaultOf(error, 'npm start -- --help');
  }
}

/** Keeps the parser's first sentence and replaces its advice. */
export function usageFaultOf(error: unknown, help: string): UsageFault {
  const [sentence = ''] = (error instanceof Error ? error.message : String(error)).split(/\. |\n/);
  return new UsageFault(`${sentence.replace(/\.$/, '')}; see ${help}`);
}

export function wholeNumber(option: string, text: string | undefined, fallback: number, largest: number, smallest = 0): number {
  if (text === undefined) return fallback;
  const value = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= smallest && value <= largest))
    throw new UsageFault(`${option} ${text}: expected an integer from ${smallest} to ${largest}`);
  return value;
}

function environmentOf(text: string): Environment {
  const environment = ENVIRONMENTS.find((known) => known === text);
  if (environment === undefined) throw new UsageFault(`--environment ${text}: expected one of ${ENVIRONMENTS.join(', ')}`);
  return environment;
}

function marketMakersIn(environment: Environment, isWanted: boolean | undefined): boolean {
  if (hasTestFunds(environment)) return isWanted !== false;
  if (isWanted) throw new UsageFault(`--house: ${environment} has no built-in market makers, only clients trade there`);
  return false;
}

function realtimeUrlOf(text: string | undefined): Pick<VenueConfig, 'realtimeUrl'> {
  if (text === undefined) return {};
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isAddress = url !== undefined && ['ws:', 'wss:'].includes(url.protocol);
  // The URL is published, so it may contain no part that could be a secret.
  if (!isAddress || url.search + url.hash + url.username + url.password !== '')
    throw new UsageFault(`--realtime-url ${text}: expected a URL such as wss://venue.example/realtime`);
  return { realtimeUrl: text as RealtimeUrl };
}

function signInProvidersOf(path: string | undefined): Pick<VenueConfig, 'signInProviders'> {
  return path === undefined ? {} : { signInProviders: nonEmpty('--sign-in-providers', path) };
}

function publicOriginOf(text: string | undefined): Pick<VenueConfig, 'publicOrigin'> {
  if (text === undefined) return {};
  try {
    relyingPartyOf(text);
  } catch (error) {
    throw new UsageFault(`--public-origin: ${(error as Error).message}`);
  }
  return { publicOrigin: text };
}

function originsOf(text: string | undefined): readonly string[] {
  const origins = text === undefined ? [] : text.split(',');
  for (const origin of origins) {
    if (origin !== '*' && !(URL.canParse(origin) && new URL(origin).origin === origin))
      throw new UsageFault(`--origins ${origin}: expected an origin such as https://app.example, or *`);
  }
  return origins;
}

export function trustedProxiesOf(text: string | undefined): readonly string[] {
  const networks = text === undefined ? [] : text.split(',');
  for (const network of networks) {
    if (!isNetwork(network))
      throw new UsageFault(`--trusted-proxy ${network}: expected an address, or a network such as 10.0.0.0/8`);
  }
  return networks;
}

function realtimePortOf(port: number, text: string | undefined): number {
  if (text === undefined && port === MAX_PORT) throw new UsageFault(`--port ${port} leaves no next port: add --realtime-port`);
  const realtimePort = wholeNumber('--realtime-port', text, port === 0 ? 0 : port + 1, MAX_PORT);
  if (realtimePort === port && port !== 0)
    throw new UsageFault(`--realtime-port ${port} is the port of the REST service: choose another`);
  return realtimePort;
}

function marketsOf(text: string | undefined): Pick<VenueConfig, 'marketCount'> {
  if (text === undefined) return {};
  return { marketCount: wholeNumber('--markets', text, DEFAULT_MARKETS, MAX_MARKETS, DEFAULT_MARKETS) };
}

function speedOf(text: string | undefined): number {
  if (text === undefined) return 1;
  const speed = /^[0-9]+(?:\.[0-9]+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(speed > 0 && speed <= MAX_SPEED)) throw new UsageFault(`--speed ${text}: expected a number above 0, up to ${MAX_SPEED}`);
  return speed;
}

/** This release has no source of real prices. */
function pricesOf(environment: Environment, text: string | undefined): string {
  if (!hasRealFunds(environment)) return text ?? 'generated';
  if (text !== undefined && text !== NO_PRICES)
    throw new UsageFault(
      `--prices ${text}: ${environment} has real funds, and generated or replayed prices are not those of a market now; leave it out: ` +
        'markets then have no index price, and nothing trades',
    );
  return NO_PRICES;
}

function historyOf(environment: Environment, given: string | undefined): number {
  const text = given ?? (hasRealFunds(environment) ? '0' : DEFAULT_HISTORY);
  if (text === '0') return 0;
  if (hasRealFunds(environment)) throw new UsageFault(`--history ${text}: ${environment} has no synthetic history`);
  const [, count, unit] = /^([1-9][0-9]{0,7})([mhd])$/.exec(text) ?? [];
  const historyMs = Number(count) * HISTORY_UNITS_MS[unit as 'm'];
  if (!(historyMs <= MAX_HISTORY_DAYS * DAY_MS))
    throw new UsageFault(
      `--history ${text}: expected a length such as 90m, 12h or 30d, up to ${MAX_HISTORY_DAYS}d, or 0 for no history`,
    );
  return historyMs;
}

function archiveOf(days: string | undefined): Pick<VenueConfig, 'journalArchiveAfterMs'> {
  if (days === undefined) return {};
  return { journalArchiveAfterMs: wholeNumber('--journal-archive-after', days, 1, MAX_DAYS, 1) * DAY_MS };
}

function ledgerLogOf(mib: string | undefined): Pick<VenueConfig, 'maxLedgerLogBytes'> {
  return mib === undefined ? {} : { maxLedgerLogBytes: wholeNumber('--ledger-log-mib', mib, 0, MAX_LEDGER_LOG_MIB, 1) * MIB };
}

function logLevelOf(level: string | undefined): Pick<VenueConfig, 'logLevel'> {
  if (level === undefined) return {};
  const logLevel = LOG_LEVELS.find((known) => known === level);
  if (logLevel === undefined) throw new UsageFault(`--log-level ${level}: expected one of ${LOG_LEVELS.join(', ')}`);
  return { logLevel };
}

function metricsOf(
  services: readonly [port: number, realtimePort: number],
  text: string | undefined,
  host: string | undefined,
): Pick<VenueConfig, 'metrics'> {
  if (text === 'off') {
    if (host !== undefined) throw new UsageFault('--metrics-host needs a port, but --metrics-port is off');
    return {};
  }
  const port = metricsPortOf(services[1], text);
  if (port !== 0 && services.includes(port))
    throw new UsageFault(`--metrics-port ${port} is the port of another service: choose another`);
  return { metrics: { port, host: nonEmpty('--metrics-host', host ?? '127.0.0.1') } };
}

function metricsPortOf(realtimePort: number, text: string | undefined): number {
  if (text !== undefined && !/^[0-9]+$/.test(text))
    throw new UsageFault(`--metrics-port ${text}: expected an integer from 0 to ${MAX_PORT}, or off`);
  if (text === undefined && realtimePort === MAX_PORT)
    throw new UsageFault(`--realtime-port ${realtimePort} leaves no next port: add --metrics-port`);
  return wholeNumber('--metrics-port', text, realtimePort === 0 ? 0 : realtimePort + 1, MAX_PORT);
}

/** Error messages omit the URL, since it may contain a password. */
function redisOf(url: string | undefined, prefix: string | undefined): Pick<VenueConfig, 'redis'> {
  if (url === undefined && prefix !== undefined) throw new UsageFault('--redis-prefix needs --redis: give both');
  if (url === undefined) return {};
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol !== 'redis:' && protocol !== 'rediss:')
    throw new UsageFault('--redis: expected redis://<host>:<port>, or rediss:// for TLS');
  if (prefix !== undefined && !/^[A-Za-z0-9._:-]{1,64}$/.test(prefix))
    throw new UsageFault('--redis-prefix: expected 1 to 64 letters, digits and . _ : -');
  return { redis: { url, prefix: prefix ?? 'openperp' } };
}

export function nonEmpty(option: string, text: string): string {
  if (text === '') throw new UsageFault(`${option} is empty`);
  return text;
}

/** The base URL without a trailing slash. Error messages omit the URL, since it may contain a password. */
export function venueUrlOf(option: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isAddress = url !== undefined && ['http:', 'https:'].includes(url.protocol);
  if (!isAddress || url.search + url.hash + url.username + url.password !== '')
    throw new UsageFault(`${option}: expected the URL of a venue, such as http://localhost:8080, without credentials or query`);
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
