import { describe, expect, test } from 'vitest';
import { readConfig, START_HELP } from './config.ts';

describe('the options of start', () => {
  test('have defaults', () => {
    expect(readConfig([])).toEqual({
      dataDirectory: './openperp-data',
      seed: 1,
      host: 'localhost',
      port: 8080,
      realtimePort: 8081,
      metrics: { host: '127.0.0.1', port: 8082 },
      prices: 'generated',
      speed: 1,
      environment: 'development',
      historyMs: 30 * 86_400_000,
      ordersPerSecond: 500,
      readsPerSecond: 200,
      origins: [],
      trustedProxies: [],
      withMarketMakers: true,
    });
  });

  test('are parsed', () => {
    const args =
      '--data-dir /d --environment testnet --seed 7 --host 0.0.0.0 --port 9000 --realtime-port 9100 --prices file:BTC.json --speed 2.5 --history 12h --no-house --journal-archive-after 7 --orders-per-second 50 --reads-per-second 1 --realtime-url wss://venue.example/realtime --public-origin https://venue.example --origins https://app.example,http://localhost:3000 --trusted-proxy 10.0.0.0/8,::1 --ledger-log-mib 1024';
    expect(readConfig(args.split(' '))).toEqual({
      dataDirectory: '/d',
      seed: 7,
      host: '0.0.0.0',
      port: 9000,
      realtimePort: 9100,
      metrics: { host: '127.0.0.1', port: 9101 },
      prices: 'file:BTC.json',
      speed: 2.5,
      environment: 'testnet',
      historyMs: 12 * 3_600_000,
      ordersPerSecond: 50,
      readsPerSecond: 1,
      realtimeUrl: 'wss://venue.example/realtime',
      publicOrigin: 'https://venue.example',
      origins: ['https://app.example', 'http://localhost:3000'],
      trustedProxies: ['10.0.0.0/8', '::1'],
      withMarketMakers: false,
      journalArchiveAfterMs: 7 * 86_400_000,
      maxLedgerLogBytes: 2 ** 30,
    });
    expect(readConfig(['--port', '0'])).toMatchObject({ port: 0, realtimePort: 0, metrics: { port: 0 } });
    expect(readConfig(['--environment', 'testnet'])).toMatchObject({ prices: 'generated', historyMs: 30 * 86_400_000 });
    for (const given of [[], ['--prices', 'none', '--history', '0']])
      expect(readConfig(['--environment', 'mainnet', ...given])).toMatchObject({ prices: 'none', historyMs: 0 });
    expect(readConfig(['--history', '0'])).toMatchObject({ historyMs: 0 });
    expect(readConfig(['--history', '90m'])).toMatchObject({ historyMs: 5_400_000 });
    expect(readConfig(['--history', '365d'])).toMatchObject({ historyMs: 365 * 86_400_000 });
    expect(readConfig(['--help'])).toBe('help');
  });

  test.each([
    ['local', true, true],
    ['development', true, true],
    ['testnet', false, undefined],
    ['mainnet', false, undefined],
  ])('start market makers in %s: %s', (environment, byDefault, wanted) => {
    const args = ['--environment', environment];
    expect(readConfig(args)).toMatchObject({ withMarketMakers: byDefault });
    expect(readConfig([...args, '--no-house'])).toMatchObject({ withMarketMakers: false });
    const wish = () => readConfig([...args, '--house']);
    if (wanted) expect(wish()).toMatchObject({ withMarketMakers: true });
    else expect(wish).toThrow(`--house: ${environment} has no built-in market makers, only clients trade there`);
  });

  test('for the operator are parsed', () => {
    const line = '--log-level debug --metrics-port 9100 --metrics-host 10.0.0.7 --redis rediss://:secret@redis.example:6380/1';
    expect(readConfig(line.split(' '))).toMatchObject({
      logLevel: 'debug',
      metrics: { host: '10.0.0.7', port: 9100 },
      redis: { url: 'rediss://:secret@redis.example:6380/1', prefix: 'openperp' },
    });
    expect(readConfig(['--metrics-port', '0'])).toMatchObject({ metrics: { host: '127.0.0.1', port: 0 } });
    expect(readConfig(['--metrics-host', '10.0.0.7'])).toMatchObject({ metrics: { host: '10.0.0.7', port: 8082 } });
    expect(readConfig(['--metrics-port', 'off'])).not.toHaveProperty('metrics');
    expect(readConfig(['--redis', 'redis://r', '--redis-prefix', 'one'])).toMatchObject({ redis: { prefix: 'one' } });
    expect(readConfig([], { OPENPERP_REDIS_URL: 'redis://r' })).toMatchObject({ redis: { url: 'redis://r' } });
    for (const name of ['logLevel', 'redis']) expect(readConfig([])).not.toHaveProperty(name);
  });

  test('all appear in the help', () => {
    for (const option of [
      'data-dir',
      'port',
      'realtime-port',
      'realtime-url',
      'public-origin',
      'host',
      'prices',
      'speed',
      'seed',
      'history',
      'orders-per-second',
      'reads-per-second',
      'origins',
      'trusted-proxy',
      'no-house',
      'journal-archive-after',
      'ledger-log-mib',
      'log-level',
      'metrics-port',
      'metrics-host',
      'redis',
      'redis-prefix',
      'help',
    ]) {
      expect(START_HELP).toContain(`--${option} `);
    }
  });

  test.each([
    ['--port x', '--port x: expected an integer from 0 to 65535'],
    ['--port 65536', '--port 65536: expected an integer from 0 to 65535'],
    ['--port -1', /^Option '--port' argument is ambiguous; see npm start -- --help$/],
    ['--port', /^Option '--port <value>' argument missing; see npm start -- --help$/],
    ['--port 65535', '--port 65535 leaves no next port: add --realtime-port'],
    ['--port 9000 --realtime-port 9000', '--realtime-port 9000 is the port of the REST service: choose another'],
    [
      '--realtime-url https://venue.example',
      '--realtime-url https://venue.example: expected a URL such as wss://venue.example/realtime',
    ],
    [
      '--realtime-url wss://venue.example/?k=v',
      '--realtime-url wss://venue.example/?k=v: expected a URL such as wss://venue.example/realtime',
    ],
    ['--public-origin http://venue.example', /^--public-origin: expected an origin such as https:\/\/venue\.example or /],
    ['--public-origin https://venue.example/app', /^--public-origin: expected an origin such as /],
    ['--origins app.example', '--origins app.example: expected an origin such as https://app.example, or *'],
    ['--origins https://app.example/', '--origins https://app.example/: expected an origin such as https://app.example, or *'],
    ['--trusted-proxy 10.0.0.0/33', '--trusted-proxy 10.0.0.0/33: expected an address, or a network such as 10.0.0.0/8'],
    ['--trusted-proxy ::1,', '--trusted-proxy : expected an address, or a network such as 10.0.0.0/8'],
    ['--seed 1.5', '--seed 1.5: expected an integer from 0 to 2147483647'],
    ...['30', '-1d', '30D', '1.5h', '0d', 'd', '30w', '366d', '8761h', '99999999m'].map((length): [string, string] => [
      `--history=${length}`,
      `--history ${length}: expected a length such as 90m, 12h or 30d, up to 365d, or 0 for no history`,
    ]),
    ['--orders-per-second 0', '--orders-per-second 0: expected an integer from 1 to 1000000'],
    [
      '--environment mainnet --prices generated',
      '--prices generated: mainnet has real funds, and generated or replayed prices are not those of a market now; leave it out: markets then have no index price, and nothing trades',
    ],
    ['--environment mainnet --prices file:BTC.json', /^--prices file:BTC\.json: mainnet has real funds/],
    ['--environment mainnet --history 30d', '--history 30d: mainnet has no synthetic history'],
    ['--prices none --speed 2', '--speed needs replayed candles: add --prices file:<candles>'],
    ['--ledger-log-mib 1025', '--ledger-log-mib 1025: expected an integer from 1 to 1024'],
    ['--journal-archive-after 0', '--journal-archive-after 0: expected an integer from 1 to 36500'],
    ['--reads-per-second 1.5', '--reads-per-second 1.5: expected an integer from 1 to 1000000'],
    ['--prices file:x --speed 0', '--speed 0: expected a number above 0, up to 100000'],
    ['--prices file:x --speed 1e3', '--speed 1e3: expected a number above 0, up to 100000'],
    ['--speed 2', '--speed needs replayed candles: add --prices file:<candles>'],
    ['--log-level loud', '--log-level loud: expected one of error, warn, info, debug'],
    ['--metrics-port 8080', '--metrics-port 8080 is the port of another service: choose another'],
    ['--metrics-port 8081', '--metrics-port 8081 is the port of another service: choose another'],
    ['--port 8082 --realtime-port 8081', '--metrics-port 8082 is the port of another service: choose another'],
    ['--port 65534', '--realtime-port 65535 leaves no next port: add --metrics-port'],
    ['--metrics-port x', '--metrics-port x: expected an integer from 0 to 65535, or off'],
    ['--metrics-port off --metrics-host ::1', '--metrics-host needs a port, but --metrics-port is off'],
    ['--redis http://:secret@redis.example', '--redis: expected redis://<host>:<port>, or rediss:// for TLS'],
    ['--redis :secret@redis.example', '--redis: expected redis://<host>:<port>, or rediss:// for TLS'],
    ['--redis-prefix one', '--redis-prefix needs --redis: give both'],
    ['--redis redis://r --redis-prefix *', '--redis-prefix: expected 1 to 64 letters, digits and . _ : -'],
    ['--data-dir=', '--data-dir is empty'],
    ['--colour red', /^Unknown option '--colour'; see npm start -- --help$/],
    ['now', /^Unexpected argument 'now'; see npm start -- --help$/],
  ])('refuses "%s" in one line', (line, message) => {
    expect(() => readConfig(line.split(' '))).toThrow(
      expect.objectContaining({
        name: 'UsageFault',
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      }),
    );
  });
});
