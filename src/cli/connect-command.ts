/** `connect` on the command line: gets an API key by device grant and writes it to a file. */
import { connect } from '#app/connect.ts';
import { CONNECT_HELP, readConnectConfig } from '#app/connect-config.ts';
import { systemTime } from '#time/system-time.ts';

/** Returns the text to print. `log` takes progress lines. Rejects with a fault whose message is one line. */
export async function runConnect(args: readonly string[], log: (line: string) => void): Promise<string> {
  const config = readConnectConfig(args);
  if (config === 'help') return CONNECT_HELP;
  const { accountId, keyId, scopes, file } = await connect(config, { timers: systemTime.timers, log });
  return `Connected to ${accountId}: the key ${keyId} (${scopes.join(', ')}) is in ${file}`;
}
