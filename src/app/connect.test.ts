/** The device grant of `connect`, against a venue under test. Its waits advance the venue's clock. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { approveGrant } from '#http/testing/owner-requests.ts';
import { type Bot, startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { systemTime } from '#time/system-time.ts';
import type { Timers } from '#time/timers.ts';
import { connect } from './connect.ts';
import { CONNECT_HELP, readConnectConfig } from './connect-config.ts';
import { temporaryDirectory } from './testing/test-venue.ts';

let venue: VenueUnderTest;
let owner: Bot;
let directory: ReturnType<typeof temporaryDirectory>;
let lines: string[];
/** Runs before the wait with that number ends. */
let onWait: ((wait: number) => unknown) | undefined;

beforeEach(async () => {
  venue = await startVenue();
  owner = await venue.bot();
  directory = temporaryDirectory();
  lines = [];
  onWait = undefined;
});
afterEach(async () => {
  await venue.close();
  directory.remove();
});

/** Waits are over at once; request timeouts never are. */
function timers(): Timers {
  let waits = 0;
  return {
    ...systemTime.timers,
    setTimeout: (task, delayMs, options) => {
      if (options?.ref === false) return { cancel: () => {} };
      venue.pass(delayMs);
      waits += 1;
      void Promise.resolve(onWait?.(waits)).then(task);
      return { cancel: () => {} };
    },
  };
}

const file = () => join(directory.path, 'key.env');
const connected = (url = `http://127.0.0.1:${venue.port}`) =>
  connect(
    { url, scopes: ['read', 'trade'], days: 30, label: 'my-bot', file: file() },
    { timers: timers(), log: (line) => lines.push(line) },
  );
const userCode = () => lines.map((line) => /^Code {2}(\S+)$/.exec(line)?.[1]).find((code) => code !== undefined)!;

async function decide(decision: string): Promise<void> {
  if (decision === 'approve') return approveGrant(venue, owner, userCode());
  const body = { userCode: userCode(), decision };
  await venue.call('decideDeviceGrant', { bot: await venue.signIn(owner), params: { accountId: owner.accountId }, body });
}

/** A server that is no venue, or a venue in trouble. */
async function withServer(respond: RequestListener, run: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(respond).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

describe('connect', () => {
  test('shows the code and the link, waits for the approval, and writes the key for its user alone', async () => {
    onWait = (wait) => (wait === 14 ? decide('approve') : undefined);
    const key = await connected();
    expect(key).toMatchObject({ accountId: owner.accountId, scopes: ['read', 'trade'], file: file() });
    expect(lines).toEqual([
      expect.stringMatching(/^Code {2}[A-Z]{4}-[A-Z]{4}$/),
      `Open  http://localhost:8080/app#connect and enter the code, or open http://localhost:8080/app#connect=${userCode()}`,
      'The page asks you to approve "my-bot" with the scopes read, trade, for 30 days.',
      'Waiting for the approval: 1 minute so far.',
    ]);
    const text = readFileSync(file(), 'utf8');
    const [, apiKey] = /^OPENPERP_APIKEY=(\S+)$/m.exec(text)!;
    expect(text).toBe(
      `OPENPERP_URL=http://127.0.0.1:${venue.port}\nOPENPERP_APIKEY=${apiKey}\nOPENPERP_ACCOUNT_ID=${owner.accountId}\n`,
    );
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(lines.join('\n')).not.toContain(apiKey);
    const { body } = await venue.call('getCurrentApiKey', { headers: { authorization: `Bearer ${apiKey}` } });
    expect(body).toMatchObject({ keyId: key.keyId, label: 'my-bot', expiresAtEpochMs: key.expiresAtEpochMs });
  });

  test('says that the owner denied it, or did not approve it in time', async () => {
    onWait = (wait) => (wait === 1 ? decide('deny') : undefined);
    await expect(connected()).rejects.toThrow('the owner denied the request: there is no key');
    onWait = undefined;
    await expect(connected()).rejects.toThrow('the code was not approved in time: run the command again for a new one');
    expect(existsSync(file())).toBe(false);
  });

  test('says that the venue has forgotten the code', async () => {
    onWait = (wait) => (wait === 1 ? venue.pass(900_000) : undefined);
    await expect(connected()).rejects.toThrow(/does not know the code any more: it was restarted, or .* revoke it$/);
  });

  test('starts nothing if the file exists, or cannot be made', async () => {
    writeFileSync(file(), 'mine');
    await expect(connected()).rejects.toThrow(`${file()} exists already: name another file with --out, or move it away`);
    expect(readFileSync(file(), 'utf8')).toBe('mine');
    const folder = join(directory.path, 'missing');
    const elsewhere = {
      url: 'http://127.0.0.1:1',
      scopes: ['read'] as const,
      days: 1,
      label: 'x',
      file: join(folder, 'key.env'),
    };
    const ports = { timers: timers(), log: () => {} };
    await expect(connect(elsewhere, ports)).rejects.toThrow(`${folder} is no folder that this user can write to`);
    expect(lines).toEqual([]);
  });

  test('says how to go on if the file cannot be written after the key was issued', async () => {
    onWait = async () => {
      await decide('approve');
      // A folder in place of the file.
      mkdirSync(file());
    };
    await expect(connected()).rejects.toThrow(/^the key [0-9a-f]{16} was issued but .*key\.env cannot be written .*: revoke it/);
  });

  test('says that a URL is unreachable, or is no venue', async () => {
    await expect(connected('http://127.0.0.1:1')).rejects.toThrow(
      /^http:\/\/127\.0\.0\.1:1 is unreachable \(bad port\): check the URL, and that the venue runs$/,
    );
    await expect(connected(`http://127.0.0.1:${venue.port}/elsewhere`)).rejects.toThrow(
      /\/elsewhere responds with 404, not as a venue of this version does: check the URL$/,
    );
    await withServer(
      (_, response) => response.writeHead(301, { location: 'https://venue.example/' }).end('moved'),
      (url) => expect(connected(url)).rejects.toThrow(/responds with 301 and refers to https:\/\/venue\.example\//),
    );
    await withServer(
      (_, response) => response.writeHead(200).end('<html>'),
      (url) => expect(connected(url)).rejects.toThrow(/responds with 200, not as a venue/),
    );
  });

  test('goes on polling through failures, slower after slow_down, and gives up after many in a row', async () => {
    let polls = 0;
    const flaky: RequestListener = async (request, response) => {
      let body = '';
      for await (const part of request) body += part;
      if (request.url?.endsWith('/complete') && ++polls % 3 !== 0) {
        request.socket.destroy();
        return;
      }
      const forwarded = await fetch(`http://127.0.0.1:${venue.port}${request.url}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      response.writeHead(forwarded.status, { 'retry-after': forwarded.headers.get('retry-after') ?? '0' });
      response.end(await forwarded.text());
    };
    await withServer(flaky, async (url) => {
      onWait = (wait) => (wait === 5 ? decide('approve') : undefined);
      expect(await connected(url)).toMatchObject({ accountId: owner.accountId });
      expect(lines.filter((line) => line.endsWith('; trying again.'))).toHaveLength(2);
    });
    expect(polls).toBe(6);
    onWait = undefined;
    const dead: RequestListener = (request, response) =>
      request.url?.endsWith('/complete') ? request.socket.destroy() : flaky(request, response);
    await withServer(dead, (url) =>
      expect(
        connect({ url, scopes: ['read'], days: 1, label: 'x', file: `${file()}-2` }, { timers: timers(), log: () => {} }),
      ).rejects.toThrow(/is unreachable/),
    );
  });
});

describe('the options of connect', () => {
  test('are parsed', () => {
    expect(readConnectConfig(['--url', 'https://venue.example/'])).toEqual({
      url: 'https://venue.example',
      scopes: ['read', 'trade'],
      days: 90,
      label: 'openperp-connect',
      file: './openperp-key.env',
    });
    const args = '--url http://localhost:8080 --scope read --days 7 --label my-bot --out /tmp/key.env';
    expect(readConnectConfig(args.split(' '))).toMatchObject({
      scopes: ['read'],
      days: 7,
      label: 'my-bot',
      file: '/tmp/key.env',
    });
    expect(readConnectConfig(['--help'])).toBe('help');
    for (const option of ['url', 'scope', 'days', 'label', 'out']) expect(CONNECT_HELP).toContain(`--${option} `);
  });

  test.each([
    ['', /^--url is missing/],
    ['--url venue.example', /^--url: expected the URL of a venue/],
    ['--url https://u:p@venue.example', /^--url: expected .* without credentials/],
    ['--url http://v --scope withdraw', /^--scope withdraw: expected some of read, trade, funding, agents$/],
    ['--url http://v --scope read,read', /^--scope names read twice$/],
    [`--url http://v --label ${'x'.repeat(65)}`, /^--label: expected 1 to 64 characters in one line$/],
    ['--url http://v --days 0', /^--days 0: expected 1 to 365$/],
    ['--url http://v --days 1e2', /^--days 1e2: expected 1 to 365$/],
    ['--url http://v --out=', /^--out is empty$/],
    ['--url http://v --unknown', /see npm run openperp -- connect --help$/],
  ])('are refused: %s', (args, message) => {
    expect(() => readConnectConfig(args.split(' ').filter((arg) => arg !== ''))).toThrow(message);
  });
});
