/**
 * The demo account: funded, with an API key that is told once and kept in `demo.env` in the data directory (mode 0600)
 * beside the addresses, which is what the examples read. The key lasts; the addresses are brought up to date.
 */
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RunningVenue } from './compose.ts';

export interface DemoAccount {
  readonly accountId: string;
  /** Only when it was made just now: afterwards it is in the file alone. */
  readonly newApiKey: string | undefined;
  readonly file: string;
}

/** USD.E */
const DEMO_CREDIT = '100000';
const DEMO_FILE = 'demo.env';

export async function openDemoAccount(venue: RunningVenue, dataDirectory: string): Promise<DemoAccount> {
  const file = join(resolve(dataDirectory), DEMO_FILE);
  const kept = readKept(file);
  if (kept !== undefined && venue.isAccepted(kept.apiKey)) {
    write(file, venue, kept);
    return { accountId: kept.accountId, newApiKey: undefined, file };
  }
  const created = await venue.createAccount({ label: 'demo', credit: DEMO_CREDIT });
  write(file, venue, created);
  return { accountId: created.accountId, newApiKey: created.apiKey, file };
}

interface Kept {
  readonly accountId: string;
  readonly apiKey: string;
}

function readKept(file: string): Kept | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    // There is none yet.
    return undefined;
  }
  const apiKey = /^OPENPERP_APIKEY=(\S+)$/m.exec(text)?.[1];
  const accountId = /^OPENPERP_ACCOUNT_ID=(\S+)$/m.exec(text)?.[1];
  return apiKey === undefined || accountId === undefined ? undefined : { apiKey, accountId };
}

function write(file: string, { url, realtimeUrl, metricsUrl }: RunningVenue, { accountId, apiKey }: Kept): void {
  const lines = {
    OPENPERP_URL: url,
    OPENPERP_REALTIME_URL: realtimeUrl,
    ...(metricsUrl === undefined ? {} : { OPENPERP_METRICS_URL: metricsUrl }),
    OPENPERP_APIKEY: apiKey,
    OPENPERP_ACCOUNT_ID: accountId,
  };
  const text = Object.entries(lines).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(`${file}.new`, text.join(''), { mode: 0o600 });
  // The mode above holds for a new file only; one left by a crash keeps its own.
  chmodSync(`${file}.new`, 0o600);
  renameSync(`${file}.new`, file);
}
