/** What a gateway that stands alone is started with, and how the command line says it. */
import { parseArgs } from 'node:util';
import { columns } from './command-help.ts';
import { LARGEST_PORT, nonEmpty, trustedProxiesOf, UsageFault, usageFaultOf, wholeNumber } from './config.ts';

export interface GatewayConfig {
  /** The base URL of the venue, without a slash at its end. */
  readonly upstream: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly host: string;
  /** Where metrics are served on this machine, 0 taking a free port; nowhere if it is undefined. */
  readonly metricsPort?: number | undefined;
  /** Proxies whose word is taken for whom a request is from. */
  readonly trustedProxies: readonly string[];
}

const HELP_COMMAND = 'npm run gateway -- --help';
const DEFAULT_PORT = 8090;

export const GATEWAY_HELP = `Usage: npm run gateway -- --upstream <url> [options]

Serves /v2 in front of a venue that runs elsewhere, by its /v1. A venue serves its own /v2 too: this is for one that does not, or
for /v2 on another machine. It keeps nothing: stop it, start it, run several.

${columns(
  [
    [
      '--upstream <url>',
      'the venue, such as https://venue.example: API keys go there with each request, so take https where others could listen',
    ],
    ['--port <number>', `the port, 0 for a free one (${DEFAULT_PORT})`],
    [
      '--metrics-port <number>',
      'the port of GET /metrics, for this machine alone, 0 for a free one: internal errors and requests are counted there (none)',
    ],
    ['--host <name>', 'the address to listen on (localhost: this machine alone)'],
    [
      '--trusted-proxy <address>[,<address>...]',
      'proxies in front of the gateway, or networks of them such as 10.0.0.0/8: a request is from whom the nearest of them saw. ' +
        'The venue is told so in X-Forwarded-For, and counts by it where the gateway is among its own --trusted-proxy (none)',
    ],
    ['--help', 'this text'],
  ],
  22,
)}`;

/** Reads the options of `gateway`; `help` asks for {@link GATEWAY_HELP}. Throws {@link UsageFault}. */
export function readGatewayConfig(args: readonly string[]): GatewayConfig | 'help' {
  const values = parseOptions(args);
  if (values.help === true) return 'help';
  return {
    upstream: upstreamOf(values.upstream),
    port: wholeNumber('--port', values.port, DEFAULT_PORT, LARGEST_PORT),
    host: nonEmpty('--host', values.host ?? 'localhost'),
    ...metricsPortOf(values['metrics-port']),
    trustedProxies: trustedProxiesOf(values['trusted-proxy']),
  };
}

function metricsPortOf(text: string | undefined): Pick<GatewayConfig, 'metricsPort'> {
  return text === undefined ? {} : { metricsPort: wholeNumber('--metrics-port', text, 0, LARGEST_PORT) };
}

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        upstream: { type: 'string' },
        port: { type: 'string' },
        host: { type: 'string' },
        'metrics-port': { type: 'string' },
        'trusted-proxy': { type: 'string' },
        help: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw usageFaultOf(error, HELP_COMMAND);
  }
}

/** What may be a password in it is not repeated. */
function upstreamOf(text: string | undefined): string {
  if (text === undefined) throw new UsageFault(`--upstream is missing: give the address of the venue; see ${HELP_COMMAND}`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isAddress = url !== undefined && ['http:', 'https:'].includes(url.protocol);
  if (!isAddress || url.search + url.hash + url.username + url.password !== '')
    throw new UsageFault('--upstream: write the address of a venue, such as http://localhost:8080, without key or query');
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
