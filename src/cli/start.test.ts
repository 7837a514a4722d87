import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '#app/testing/test-venue.ts';
import { VenueProcess, VenueProcessOfSources } from '#app/testing/venue-process.ts';
import { runOperatorCommand } from './operator-command.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

function directory(): string {
  const { path, remove } = temporaryDirectory();
  undo.push(remove);
  return path;
}

function venueProcess(dataDirectory: string, ...options: string[]): VenueProcess {
  return killedAtEnd(new VenueProcess(dataDirectory, ...options));
}

function killedAtEnd(venue: VenueProcess): VenueProcess {
  undo.push(() => venue.end('SIGKILL'));
  return venue;
}

describe('the process', () => {
  test('prints its URLs, and its key once; stops in order on Ctrl-C, and the next start continues from there', async () => {
    const dataDirectory = directory();
    const started = () => killedAtEnd(new VenueProcessOfSources(dataDirectory, '--no-house')).runs();
    const first = await started();
    const { url, realtimeUrl, apiKey, accountId } = first.demo();
    const metrics = 'metrics       http://127.0.0.1:';
    for (const text of [
      url,
      realtimeUrl,
      `docs          ${url}/docs`,
      metrics,
      apiKey,
      accountId,
      'journal       new',
      `saved in ${join(dataDirectory, 'demo.env')}`,
    ]) {
      expect(first.output).toContain(text);
    }
    expect(await first.end('SIGINT')).toBe(0);
    expect(first.output).toContain('stopped; the next start continues from here');

    const second = await started();
    expect(second.output).toMatch(/journal {7}recovered to record [0-9]+; snapshot at [0-9]+, 0 commands replayed/);
    expect(second.output).toContain(`API key       in ${join(dataDirectory, 'demo.env')}`);
    expect(second.output).not.toContain(apiKey);
    expect(second.demo()).toMatchObject({ apiKey, accountId });
    expect(second.demo().url).not.toBe(url);
    expect(await second.end('SIGTERM')).toBe(0);

    // As if the terminal was closed.
    const third = await started();
    expect(await third.end('SIGHUP')).toBe(0);
    expect(third.output).toContain('stopped; the next start continues from here');
  });

  test('prints a bot that works without market makers: its order rests', async () => {
    const dataDirectory = directory();
    const { output } = await venueProcess(dataDirectory, '--no-house').runs();
    const code = /beside package\.json:\n\n([\s\S]*?)\n\n {2}node --env-file=/.exec(output)?.[1] ?? '';
    expect(code).toContain('createOrder(');
    const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
    const options = ['--env-file', join(dataDirectory, 'demo.env'), '--input-type=module', '-e', code];
    const bot = spawnSync(execPath, options, {
      cwd: join(import.meta.dirname, '..', '..'),
      encoding: 'utf8',
      env: { PATH, NODE_COMPILE_CACHE },
    });
    expect([bot.status, bot.stderr]).toEqual([0, '']);
    expect(bot.stdout).toMatch(/status: 'open'/);
    expect(bot.stdout).toMatch(/type: 'limit'/);
    expect(bot.stdout).toMatch(/leverageX: 5,/);
  });

  test.each(['testnet', 'mainnet'])('creates no account, money or key in %s, and prints how to open it', async (environment) => {
    const dataDirectory = directory();
    const venue = await venueProcess(dataDirectory, '--environment', environment).runs();
    const place = `--data-dir ${dataDirectory}`;
    for (const text of [
      `environment   ${environment}\n`,
      `market makers none in ${environment}\n`,
      environment === 'mainnet' ? 'prices        none: no market has an index price\n' : 'prices        generated',
      `No account, no money and no key is created in ${environment}. Off until you switch it on: trading, deposits, `,
      `npm run openperp -- venue capability <name> on ${place}\n`,
      `npm run openperp -- account create --label <name> ${place}\n`,
    ])
      expect(venue.output).toContain(text);
    expect(venue.output).not.toMatch(/demo|opk_/);
    expect(readdirSync(dataDirectory).filter((name) => /demo|\.env$|house\.json/.test(name))).toEqual([]);
    const run = async (line: string) => JSON.parse(await runOperatorCommand([...line.split(' '), ...place.split(' '), '--json']));
    expect((await run('account list')).accounts).toEqual([]);
    await run('venue capability trading on');
    expect((await run('venue status')).capabilities).toContainEqual({ capability: 'trading', state: 'on' });
    await venue.end('SIGTERM');
    const again = await venueProcess(dataDirectory, '--environment', environment).runs();
    expect(again.output).toContain('Off until you switch it on: deposits, ');
  });

  test('recovers from kill -9 by itself, and prints what it did', async () => {
    const dataDirectory = directory();
    const first = await venueProcess(dataDirectory).runs();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await first.end('SIGKILL');
    const second = await venueProcess(dataDirectory).runs();
    expect(second.output).toMatch(/journal {7}recovered to record [0-9]+; [1-9][0-9]* commands replayed/);
  });

  test('ends with one line and status 1 when it cannot start', async () => {
    const dataDirectory = directory();
    await venueProcess(dataDirectory, '--no-house').runs();
    for (const options of [[], ['--speed', '2'], ['--prices', 'file:/nowhere/BTC.json'], ['--port', 'x']]) {
      const refused = venueProcess(dataDirectory, ...options);
      expect(await refused.ends()).toBe(1);
      expect(refused.output).toMatch(/^openperp: .+\n$/);
    }
  });

  test('names the required Node version when started with an older one', () => {
    const entry = pathToFileURL(join(import.meta.dirname, '..', 'openperp.mjs')).href;
    const pretend = `Object.defineProperty(process.versions, 'node', { value: '20.11.0' }); await import('${entry}')`;
    const { status, stderr, stdout } = spawnSync(execPath, ['--input-type=module', '-e', pretend, 'start'], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^openperp: Node 24 or newer is needed, this is 20\.11\.0: .+\n$/);
  });
});
