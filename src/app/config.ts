/** What a venue is started with, and how the command line says it. */
import { parseArgs } from 'node:util';
import type { RealtimeUrl } from '#contract/asyncapi.ts';
import { DEFAULT_RATES } from '#contract/limits.ts';
import { isNetwork } from '#http/server/trusted-proxies.ts';
import { LOG_LEVELS, type LogLevel } from '#observability/structured-log.ts';

export interface VenueConfig {
  /** Where everything is kept. Made if need be. */
  readonly dataDirectory: string;
  /** Makes generated prices and the house's trades repeatable. */
  readonly seed: number;
  /** Where clients reach the realtime service, as `/asyncapi.json` names it; where it listens, where it is not given. */
  readonly realtimeUrl?: RealtimeUrl;
  /** The address to listen on. `localhost` is reached from this machine alone. */
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** 0 takes a free port. */
  readonly realtimePort: number;
  /** `generated`, or `file:` with candle files. */
  readonly prices: string;
  /** How fast candle files are replayed: 60 is a minute of them per second. */
  readonly speed: number;
  /** How far the synthetic past of the markets goes back that the first start lists; 0 for none. */
  readonly historyMs: number;
  /** What an API key may place, and cancel, per second on and on; twice as many at once. */
  readonly ordersPerSecond: number;
  /** Other requests of an API key, and those of a network without one, likewise. */
  readonly readsPerSecond: number;
  /** Origins of pages that may open sockets, beside those of the venue's own host; `*` lets all in. */
  readonly origins: readonly string[];
  /** Proxies whose word is taken for whom a request is from: addresses, and networks as CIDRs. */
  readonly trustedProxies: readonly string[];
  /** Whether makers and takers of the house trade. */
  readonly withHouse: boolean;
  /** Older parts of the journal are moved into its archive after so long; never, where it is not given. */
  readonly journalArchiveAfterMs?: number;
  /** Log lines for machines in place of those for people, of this level and above. */
  readonly logLevel?: LogLevel;
  /** Where metrics are served, 0 taking a free port; nowhere, where it is not given. */
  readonly metrics?: { readonly host: string; readonly port: number } | undefined;
  /** Where counts and tickets are kept that several processes share; in this one, where it is not given. */
  readonly redis?: { readonly url: string; readonly prefix: string };
}

/** A command line that cannot be followed. The message is one line and says what to write instead. */
export class UsageFault extends Error {
  override readonly name = 'UsageFault';
}

export const DEFAULT_DATA_DIRECTORY = './openperp-data';
const DEFAULT_PORT = 8080;
export const LARGEST_PORT = 65_535;
const LARGEST_SEED = 2 ** 31 - 1;
const LARGEST_SPEED = 100_000;
export const DEFAULT_ORDERS_PER_SECOND = DEFAULT_RATES.orders.perSecond;
export const DEFAULT_READS_PER_SECOND = DEFAULT_RATES.reads.perSecond;
const LARGEST_RATE = 1_000_000;
const LARGEST_DAYS = 36_500;
const DAY_MS = 24 * 60 * 60 * 1000;
const DEFAULT_HISTORY = '30d';
const HISTORY_UNITS_MS = { m: 60_000, h: 3_600_000, d: DAY_MS };
const LARGEST_HISTORY_DAYS = 365;

export const START_HELP = `Usage: npm start -- [options]

Runs a venue, with what it knew when it was last stopped.

  --data-dir <path>         where everything is kept (${DEFAULT_DATA_DIRECTORY})
  --port <number>           the port of the REST service, 0 for a free one (${DEFAULT_PORT})
  --realtime-port <number>  the port of the realtime service (the next one)
  --realtime-url <url>      ws:// or wss://: where clients reach the realtime service, as /asyncapi.json is to
                            name it, where that is behind a proxy (the address that it listens on)
  --host <name>             the address to listen on (localhost: this machine alone)
  --prices <source>         generated, or file:<candles>[,<candles>...], where a file holds rows of
                            [openTimeMs, open, high, low, close, volume] as JSON or CSV, gzip or not;
                            its market is told by its name, or by <market>=<candles> (generated)
  --speed <number>          how fast candles are replayed (1)
  --seed <number>           makes generated prices repeatable (1)
  --history <length>        how far candles and funding rates go back before the first start, such as 12h
                            or 30d: they are made up, and marked as synthetic; 0 for none. Later starts
                            keep the past of the first (${DEFAULT_HISTORY})
  --orders-per-second <number>
                            what an API key may place, and as many again it may cancel, per second on
                            and on; twice as many at once, and an account with several keys twice as
                            much as one (${DEFAULT_ORDERS_PER_SECOND})
  --reads-per-second <number>
                            what else an API key may ask, and what a network may without one, likewise;
                            behind a proxy all clients are of one network, unless it is trusted (${DEFAULT_READS_PER_SECOND})
  --trusted-proxy <address>[,<address>...]
                            proxies in front of both services, or networks of them such as 10.0.0.0/8: a
                            request is from whom the nearest of them saw, as X-Forwarded-For says (none)
  --log-level <level>       error, warn, info or debug: log lines for machines on stderr, JSON, in place of
                            those for people; info has a line for every request (lines for people)
  --metrics-port <number>   the port of GET /metrics, 0 for a free one, or off: it is the operator's, and not
                            to be led to from outside (the one after that of the realtime service)
  --metrics-host <name>     the address of that port (127.0.0.1: this machine alone)
  --redis <url>             redis:// or rediss://: rate limits and tickets are kept there, for several
                            processes to share (in this process). OPENPERP_REDIS_URL says it where
                            nobody else on the machine can read it
  --redis-prefix <text>     begins all keys there: one for each venue (openperp)
  --origins <origin>[,<origin>...]
                            the pages that may open sockets, beside those of the venue's own host; * for
                            all (none)
  --no-house                without the makers and takers of the house
  --journal-archive-after <days>
                            moves parts of the journal that are older and that no start needs into
                            journal/archive, from where they may be taken, the oldest first (all of it
                            stays where it is)
  --help                    this text`;

/** Reads the options of `start`; `help` asks for {@link START_HELP}. Throws {@link UsageFault}. */
export function readConfig(args: readonly string[], environment: NodeJS.ProcessEnv = {}): VenueConfig | 'help' {
  const values = parseOptions(args);
  if (values.help === true) return 'help';
  const port = wholeNumber('--port', values.port, DEFAULT_PORT, LARGEST_PORT);
  const realtimePort = realtimePortOf(port, values['realtime-port']);
  const prices = values.prices ?? 'generated';
  if (values.speed !== undefined && prices === 'generated')
    throw new UsageFault('--speed is for replayed candles: give --prices file:<candles> with it');
  return {
    dataDirectory: nonEmpty('--data-dir', values['data-dir'] ?? DEFAULT_DATA_DIRECTORY),
    seed: wholeNumber('--seed', values.seed, 1, LARGEST_SEED),
    host: nonEmpty('--host', values.host ?? 'localhost'),
    port,
    realtimePort,
    prices,
    speed: speedOf(values.speed),
    historyMs: historyOf(values.history ?? DEFAULT_HISTORY),
    ordersPerSecond: wholeNumber('--orders-per-second', values['orders-per-second'], DEFAULT_ORDERS_PER_SECOND, LARGEST_RATE, 1),
    readsPerSecond: wholeNumber('--reads-per-second', values['reads-per-second'], DEFAULT_READS_PER_SECOND, LARGEST_RATE, 1),
    ...realtimeUrlOf(values['realtime-url']),
    origins: originsOf(values.origins),
    trustedProxies: trustedProxiesOf(values['trusted-proxy']),
    withHouse: values.house !== false,
    ...archiveOf(values['journal-archive-after']),
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
        seed: { type: 'string' },
        host: { type: 'string' },
        port: { type: 'string' },
        'realtime-port': { type: 'string' },
        'realtime-url': { type: 'string' },
        prices: { type: 'string' },
        speed: { type: 'string' },
        history: { type: 'string' },
        'orders-per-second': { type: 'string' },
        'reads-per-second': { type: 'string' },
        origins: { type: 'string' },
        'trusted-proxy': { type: 'string' },
        house: { type: 'boolean' },
        'journal-archive-after': { type: 'string' },
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

/** The parser's own words, without its advice on what nobody means here. */
export function usageFaultOf(error: unknown, help: string): UsageFault {
  const [sentence = ''] = (error instanceof Error ? error.message : String(error)).split(/\. |\n/);
  return new UsageFault(`${sentence.replace(/\.$/, '')}; see ${help}`);
}

export function wholeNumber(option: string, text: string | undefined, fallback: number, largest: number, smallest = 0): number {
  if (text === undefined) return fallback;
  const value = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= smallest && value <= largest))
    throw new UsageFault(`${option} ${text}: write a whole number from ${smallest} to ${largest}`);
  return value;
}

function realtimeUrlOf(text: string | undefined): Pick<VenueConfig, 'realtimeUrl'> {
  if (text === undefined) return {};
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isAddress = url !== undefined && ['ws:', 'wss:'].includes(url.protocol);
  // It is published: nothing that may be a secret has a place in it.
  if (!isAddress || url.search + url.hash + url.username + url.password !== '')
    throw new UsageFault(`--realtime-url ${text}: write an address such as wss://venue.example/realtime`);
  return { realtimeUrl: text as RealtimeUrl };
}

function originsOf(text: string | undefined): readonly string[] {
  const origins = text === undefined ? [] : text.split(',');
  for (const origin of origins) {
    if (origin !== '*' && !(URL.canParse(origin) && new URL(origin).origin === origin))
      throw new UsageFault(`--origins ${origin}: write an origin such as https://app.example, or *`);
  }
  return origins;
}

export function trustedProxiesOf(text: string | undefined): readonly string[] {
  const networks = text === undefined ? [] : text.split(',');
  for (const network of networks) {
    if (!isNetwork(network))
      throw new UsageFault(`--trusted-proxy ${network}: write an address, or a network such as 10.0.0.0/8`);
  }
  return networks;
}

function realtimePortOf(port: number, text: string | undefined): number {
  if (text === undefined && port === LARGEST_PORT)
    throw new UsageFault(`--port ${port} leaves no next port: give --realtime-port too`);
  const realtimePort = wholeNumber('--realtime-port', text, port === 0 ? 0 : port + 1, LARGEST_PORT);
  if (realtimePort === port && port !== 0)
    throw new UsageFault(`--realtime-port ${port} is the port of the REST service: choose another`);
  return realtimePort;
}

function speedOf(text: string | undefined): number {
  if (text === undefined) return 1;
  const speed = /^[0-9]+(?:\.[0-9]+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(speed > 0 && speed <= LARGEST_SPEED))
    throw new UsageFault(`--speed ${text}: write a number above 0, up to ${LARGEST_SPEED}`);
  return speed;
}

function historyOf(text: string): number {
  if (text === '0') return 0;
  const [, count, unit] = /^([1-9][0-9]{0,7})([mhd])$/.exec(text) ?? [];
  const historyMs = Number(count) * HISTORY_UNITS_MS[unit as 'm'];
  if (!(historyMs <= LARGEST_HISTORY_DAYS * DAY_MS))
    throw new UsageFault(
      `--history ${text}: write a length such as 90m, 12h or 30d, up to ${LARGEST_HISTORY_DAYS}d, or 0 for no history`,
    );
  return historyMs;
}

function archiveOf(days: string | undefined): Pick<VenueConfig, 'journalArchiveAfterMs'> {
  if (days === undefined) return {};
  return { journalArchiveAfterMs: wholeNumber('--journal-archive-after', days, 1, LARGEST_DAYS, 1) * DAY_MS };
}

function logLevelOf(level: string | undefined): Pick<VenueConfig, 'logLevel'> {
  if (level === undefined) return {};
  const logLevel = LOG_LEVELS.find((known) => known === level);
  if (logLevel === undefined) throw new UsageFault(`--log-level ${level}: write ${LOG_LEVELS.join(', ')}`);
  return { logLevel };
}

function metricsOf(
  services: readonly [port: number, realtimePort: number],
  text: string | undefined,
  host: string | undefined,
): Pick<VenueConfig, 'metrics'> {
  if (text === 'off') {
    if (host !== undefined) throw new UsageFault('--metrics-host is for a port: --metrics-port is off');
    return {};
  }
  const port = metricsPortOf(services[1], text);
  if (port !== 0 && services.includes(port))
    throw new UsageFault(`--metrics-port ${port} is the port of another service: choose another`);
  return { metrics: { port, host: nonEmpty('--metrics-host', host ?? '127.0.0.1') } };
}

function metricsPortOf(realtimePort: number, text: string | undefined): number {
  if (text !== undefined && !/^[0-9]+$/.test(text))
    throw new UsageFault(`--metrics-port ${text}: write a whole number from 0 to ${LARGEST_PORT}, or off`);
  if (text === undefined && realtimePort === LARGEST_PORT)
    throw new UsageFault(`--realtime-port ${realtimePort} leaves no next port: give --metrics-port too`);
  return wholeNumber('--metrics-port', text, realtimePort === 0 ? 0 : realtimePort + 1, LARGEST_PORT);
}

/** What is wrong with the address is said without it: it may hold a password. */
function redisOf(url: string | undefined, prefix: string | undefined): Pick<VenueConfig, 'redis'> {
  if (url === undefined && prefix !== undefined) throw new UsageFault('--redis-prefix is for --redis: give both');
  if (url === undefined) return {};
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol !== 'redis:' && protocol !== 'rediss:')
    throw new UsageFault('--redis: write redis://<host>:<port>, or rediss:// for TLS');
  if (prefix !== undefined && !/^[A-Za-z0-9._:-]{1,64}$/.test(prefix))
    throw new UsageFault('--redis-prefix: write 1 to 64 letters, digits and . _ : -');
  return { redis: { url, prefix: prefix ?? 'openperp' } };
}

export function nonEmpty(option: string, text: string): string {
  if (text === '') throw new UsageFault(`${option} is empty`);
  return text;
}
