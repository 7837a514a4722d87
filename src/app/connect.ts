/**
 * Gets an API key by device grant: starts the grant, shows the code, polls until the owner has decided, and writes the key. The file is
 * checked first, because an issued key is delivered only once.
 */
import { accessSync, constants } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { collectDeviceGrant, startDeviceGrant } from '#contract/agent-connect.ts';
import type { ErrorEnvelope } from '#contract/error-envelope.ts';
import { sleep, type Timers } from '#time/timers.ts';
import type { ConnectConfig } from './connect-config.ts';
import { MISSING, SecretFile } from './secret-file.ts';
import { exchange, type ResponseBody, VenueUnreachable } from './venue-exchange.ts';

export interface ConnectPorts {
  readonly timers: Timers;
  /** Receives progress lines for people. */
  readonly log: (line: string) => void;
}

export interface ConnectedKey {
  readonly accountId: string;
  readonly keyId: string;
  readonly scopes: readonly string[];
  readonly file: string;
  readonly expiresAtEpochMs: number;
}

/** Why there is no key. The message is one line and says what to do. */
export class ConnectFault extends Error {
  override readonly name = 'ConnectFault';
}

const PROGRESS_INTERVAL_MS = 60_000;
/** Polls that fail in a row, because the venue is restarted or the network is down. */
const MAX_FAILURES = 12;

/** Rejects with {@link ConnectFault} or {@link VenueUnreachable}. */
export async function connect(config: ConnectConfig, { timers, log }: ConnectPorts): Promise<ConnectedKey> {
  const file = new SecretFile(resolve(config.file));
  refuseUnusable(file);
  const { label, scopes, days: keyLifetimeDays, url } = config;
  const started = await exchange(url, startDeviceGrant, { body: { label, scopes, keyLifetimeDays } }, timers);
  if ('refusal' in started) throw new ConnectFault(`the venue refused to start a device grant: ${started.refusal.safeMessage}`);
  const { userCode, verificationUri, verificationUriComplete, deviceCode, intervalMs } = started.body;
  log(`Code  ${userCode}`);
  log(`Open  ${verificationUri} and enter the code, or open ${verificationUriComplete}`);
  log(`The page asks you to approve "${label}" with the scopes ${scopes.join(', ')}, for ${renderDays(keyLifetimeDays)}.`);
  const granted = await collect(url, deviceCode, intervalMs, { timers, log });
  const { accountId, keyId, apiKey, expiresAtEpochMs } = granted;
  const lines = { OPENPERP_URL: url, OPENPERP_APIKEY: apiKey, OPENPERP_ACCOUNT_ID: accountId };
  const text = Object.entries(lines).map(([name, value]) => `${name}=${value}\n`);
  try {
    file.replace(text.join(''));
  } catch (error) {
    throw new ConnectFault(
      `the key ${keyId} was issued but ${file.path} cannot be written (${(error as Error).message}): revoke it on the owner's page, and connect again`,
    );
  }
  return { accountId, keyId, scopes: granted.scopes, file: file.path, expiresAtEpochMs };
}

/** An existing file may have a key that its owner needs. */
function refuseUnusable(file: SecretFile): void {
  const read = file.read();
  if (!('problem' in read) || read.problem !== MISSING)
    throw new ConnectFault(`${file.path} exists already: name another file with --out, or move it away`);
  try {
    accessSync(dirname(file.path), constants.W_OK);
  } catch {
    throw new ConnectFault(`${dirname(file.path)} is no folder that this user can write to: name another file with --out`);
  }
}

type GrantedKey = ResponseBody<typeof collectDeviceGrant>;

/** Polls until the owner has decided. The venue ends the grant, so this ends too. */
async function collect(
  url: string,
  deviceCode: string,
  firstIntervalMs: number,
  { timers, log }: ConnectPorts,
): Promise<GrantedKey> {
  let intervalMs = firstIntervalMs;
  let waitedMs = 0;
  let failures = 0;
  for (;;) {
    await sleep(timers, intervalMs);
    const minutes = Math.floor(waitedMs / PROGRESS_INTERVAL_MS);
    waitedMs += intervalMs;
    if (Math.floor(waitedMs / PROGRESS_INTERVAL_MS) > minutes)
      log(`Waiting for the approval: ${renderMinutes(Math.floor(waitedMs / PROGRESS_INTERVAL_MS))} so far.`);
    const polled = await exchange(url, collectDeviceGrant, { body: { deviceCode } }, timers).catch((error: unknown) => {
      failures += 1;
      if (!(error instanceof VenueUnreachable) || failures >= MAX_FAILURES) throw error;
      if (failures === 1) log(`${error.message}; trying again.`);
      return undefined;
    });
    if (polled === undefined) continue;
    failures = 0;
    if ('body' in polled) return polled.body;
    const { refusal, retryAfterMs } = polled;
    if (!refusal.retryable || refusal.code === 'too_many_api_keys') throw new ConnectFault(faultOf(refusal));
    // `slow_down` changes the interval for good; after others the program waits once, but no shorter than it did.
    if (refusal.code !== 'authorization_pending') intervalMs = Math.max(intervalMs, retryAfterMs);
  }
}

function renderDays(count: number): string {
  return count === 1 ? '1 day' : `${count} days`;
}

function renderMinutes(count: number): string {
  return count === 1 ? '1 minute' : `${count} minutes`;
}

function faultOf({ code, safeMessage }: ErrorEnvelope): string {
  switch (code) {
    case 'access_denied':
      return 'the owner denied the request: there is no key';
    case 'expired_token':
      return 'the code was not approved in time: run the command again for a new one';
    case 'invalid_grant':
      return "the venue does not know the code any more: it was restarted, or the response with the key was lost. Run the command again; if the owner's page lists a key that you do not have, revoke it";
    default:
      return `the venue issued no key: ${safeMessage}`;
  }
}
