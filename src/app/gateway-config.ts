/** The configuration of a standalone gateway, and its command-line options. */
import { parseArgs } from 'node:util';
import { columns } from './command-help.ts';
import { MAX_PORT, nonEmpty, trustedProxiesOf, UsageFault, usageFaultOf, venueUrlOf, wholeNumber } from './config.ts';

export interface GatewayConfig {
  /** The base URL of the venue, without a trailing slash. */
  readonly upstream: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly host: string;
  /** The port of metrics on this machine; 0 picks a free one. Absent: not served. */
  readonly metricsPort?: number | undefined;
  /** Proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
}

const HELP_COMMAND = 'npm run gateway -- --help';
const DEFAULT_PORT = 8090;

export const GATEWAY_HELP = `Usage: npm run gateway -- --upstream <url> [options]

Serves /v2 in front of a venue that runs elsewhere, using its /v1. A venue serves its own /v2 too: use this for a venue that does
not, or for /v2 on another machine. The gateway stores nothing: start and stop it at any time, run several.

${columns(
  [
    [
      '--upstream <url>',
      'the venue, such as https://venue.example: each request carries an API key, so use https on networks that others can read',
    ],
    ['--port <number>', `the port, 0 for a free one (${DEFAULT_PORT})`],
    [
      '--metrics-port <number>',
      'the port of GET /metrics, on this machine only, 0 for a free one: it counts requests and internal errors (none)',
    ],
    ['--host <name>', 'the address to listen on (localhost: this machine only)'],
    [
      '--trusted-proxy <address>[,<address>...]',
      'proxies in front of the gateway, or networks of them such as 10.0.0.0/8: a request counts for the client that the nearest proxy reports. ' +
        'The gateway forwards it in X-Forwarded-For; the venue uses it if the gateway is in its own --trusted-proxy (none)',
    ],
    ['--help', 'this text'],
  ],
  22,
)}`;

/** Reads the options of `gateway`; returns `help` if the caller should print {@link GATEWAY_HELP}. Throws {@link UsageFault}. */
export function readGatewayConfig(args: readonly string[]): GatewayConfig | 'help' {
  const values = parseOptions(args);
  if (values.help === true) return 'help';
  return {
    upstream: upstreamOf(values.upstream),
    port: wholeNumber('--port', values.port, DEFAULT_PORT, MAX_PORT),
    host: nonEmpty('--host', values.host ?? 'localhost'),
    ...metricsPortOf(values['metrics-port']),
    trustedProxies: trustedProxiesOf(values['trusted-proxy']),
  };
}

function metricsPortOf(text: string | undefined): Pick<GatewayConfig, 'metricsPort'> {
  return text === undefined ? {} : { metricsPort: wholeNumber('--metrics-port', text, 0, MAX_PORT) };
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

function upstreamOf(text: string | undefined): string {
  if (text === undefined) throw new UsageFault(`--upstream is missing: give the URL of the venue; see ${HELP_COMMAND}`);
  return venueUrlOf('--upstream', text);
}
