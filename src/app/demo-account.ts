/**
 * The demo account: funded, with an API key that is shown once and stored in `demo.env` in the data directory (mode 0600). The
 * file also has the venue's URLs; the examples read it. The key persists; the URLs are updated.
 */
import { join, resolve } from 'node:path';
import type { RunningVenue } from './compose.ts';
import { DEMO_FILE } from './data-directory.ts';
import { MISSING, SecretFile } from './secret-file.ts';

export interface DemoAccount {
  readonly accountId: string;
  /** Present only if the key was created by this call: afterwards only the file has it. */
  readonly newApiKey: string | undefined;
  readonly file: string;
}

/** USD.E */
const DEMO_CREDIT = '100000';

/** `log` takes a line if the file existed, or should have existed, and names no account. */
export async function openDemoAccount(
  venue: RunningVenue,
  dataDirectory: string,
  log: (line: string) => void,
): Promise<DemoAccount> {
  const file = new SecretFile(join(resolve(dataDirectory), DEMO_FILE));
  const saved = readDemoAccount(file, venue);
  if ('apiKey' in saved) {
    write(file, venue, saved);
    return { accountId: saved.accountId, newApiKey: undefined, file: file.path };
  }
  if (saved.problem !== MISSING || venue.recovered.sequence > 0) log(replacedLine(file, saved.problem));
  const created = await venue.createAccount({ label: 'demo', credit: DEMO_CREDIT });
  write(file, venue, created);
  return { accountId: created.accountId, newApiKey: created.apiKey, file: file.path };
}

interface SavedDemoAccount {
  readonly accountId: string;
  readonly apiKey: string;
}

/** Only the key is read: the venue knows its account. */
function readDemoAccount(file: SecretFile, venue: RunningVenue): SavedDemoAccount | { readonly problem: string } {
  const read = file.read();
  if ('problem' in read) return read;
  if (read.text.trim() === '') return { problem: 'is empty' };
  const apiKey = /^OPENPERP_APIKEY=(\S+)$/m.exec(read.text)?.[1];
  if (apiKey === undefined) return { problem: 'has no line OPENPERP_APIKEY=…' };
  const accountId = venue.accountOf(apiKey);
  return accountId === undefined ? { problem: 'has a key that this venue does not accept' } : { accountId, apiKey };
}

function replacedLine(file: SecretFile, problem: string): string {
  const before = problem === MISSING ? '' : ` (the old file is now ${file.quarantine()})`;
  return `${file.name} ${problem}: a new demo account is created${before}. To use the old one, stop the venue, restore its ${file.name} from a backup, and start again`;
}

function write(file: SecretFile, { url, realtimeUrl, metricsUrl }: RunningVenue, { accountId, apiKey }: SavedDemoAccount): void {
  const lines = {
    OPENPERP_URL: url,
    OPENPERP_REALTIME_URL: realtimeUrl,
    ...(metricsUrl === undefined ? {} : { OPENPERP_METRICS_URL: metricsUrl }),
    OPENPERP_APIKEY: apiKey,
    OPENPERP_ACCOUNT_ID: accountId,
  };
  const text = Object.entries(lines).map(([name, value]) => `${name}=${value}\n`);
  file.replace(text.join(''));
}
