/** `gateway` on the command line: serves /v2 in a process of its own, in front of a remote venue. */
import { GATEWAY_HELP, readGatewayConfig } from '#app/gateway-config.ts';
import { type RunningGateway, startGateway } from '#app/gateway-start.ts';
import { errorText } from '#observability/error-text.ts';
import { onUncaught } from './uncaught.ts';

/** Resolves when the gateway runs and its banner is printed. Rejects with a fault that `foreseen-faults.ts` lists. */
export async function runGateway(args: readonly string[]): Promise<void> {
  const config = readGatewayConfig(args);
  if (config === 'help') {
    console.log(GATEWAY_HELP);
    return;
  }
  const gateway = await startGateway(config, (error, where) => {
    console.error(`openperp: internal error in ${where}; the gateway goes on: ${errorText(error)}`);
  });
  console.log(bannerOf(gateway));
  const end = (status: number) => void gateway.stop().finally(() => process.exit(status));
  onUncaught(
    (error, where) => console.error(`openperp: internal error in ${where}; the gateway stops: ${errorText(error)}`),
    () => end(1),
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => end(0));
  }
}

function bannerOf({ url, upstream, metricsUrl }: RunningGateway): string {
  return `
OpenPerp gateway is running.

  /v2           ${url}/v2/markets
  ready         ${url}/ready
  venue         ${upstream}${metricsUrl === undefined ? '' : `\n  metrics       ${metricsUrl}`}

Ctrl-C stops it; it stores nothing.
`;
}
