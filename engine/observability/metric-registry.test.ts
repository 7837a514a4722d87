import { describe, expect, test, vi } from 'vitest';
import { ManualTime } from '#time/testing/manual-time.ts';
import { MetricRegistry, type OnScrapeError } from './metric-registry.ts';

const time = new ManualTime();

/** Rethrows errors by default, so that unexpected ones fail the test. */
const registryOf = (onFatalError: OnScrapeError = (error) => Promise.reject(error)) => new MetricRegistry(time, onFatalError);

async function linesOf(registry: MetricRegistry, name: string): Promise<readonly string[]> {
  return (await registry.scrape()).split('\n').filter((line) => line.startsWith(name));
}

describe('text of a scrape', () => {
  test('describes each metric once and shows its children by their labels', async () => {
    const registry = registryOf();
    const requests = registry.counter('openperp_requests_total', 'Requests.');
    requests.child({ operation: 'a', status: '200' }).add();
    requests.child({ operation: 'a', status: '200' }).add(2);
    requests.child({ operation: 'b', status: '404' }).add();
    registry.gauge('openperp_ready', 'Ready.').child().set(1);
    expect((await registry.scrape()).split('\n').slice(2)).toEqual([
      '# HELP openperp_requests_total Requests.',
      '# TYPE openperp_requests_total counter',
      'openperp_requests_total{operation="a",status="200"} 3',
      'openperp_requests_total{operation="b",status="404"} 1',
      '# HELP openperp_ready Ready.',
      '# TYPE openperp_ready gauge',
      'openperp_ready 1',
      '',
    ]);
  });

  test('escapes the values of labels', async () => {
    const registry = registryOf();
    registry.gauge('openperp_odd', 'Odd.').child({ name: 'a"b\\c\nd' }).set(1);
    expect(await linesOf(registry, 'openperp_odd')).toEqual(['openperp_odd{name="a\\"b\\\\c\\nd"} 1']);
  });

  test('cumulates the buckets of a histogram', async () => {
    const registry = registryOf();
    const seconds = registry.histogram('openperp_seconds', 'Seconds.', [0.1, 1]).child({ of: 'x' });
    for (const value of [0.05, 0.1, 0.5, 3]) seconds.observe(value);
    expect(await linesOf(registry, 'openperp_seconds')).toEqual([
      'openperp_seconds_bucket{of="x",le="0.1"} 2',
      'openperp_seconds_bucket{of="x",le="1"} 3',
      'openperp_seconds_bucket{of="x",le="+Inf"} 4',
      'openperp_seconds_sum{of="x"} 3.65',
      'openperp_seconds_count{of="x"} 4',
    ]);
  });

  test('omits unknown values', async () => {
    const registry = registryOf();
    registry.gauge('openperp_unknown', 'Unknown.').child();
    expect(await linesOf(registry, 'openperp_unknown')).toEqual([]);
  });

  test('is made once for concurrent scrapes', async () => {
    const registry = registryOf();
    const collect = vi.fn();
    registry.part('part', () => collect);
    await Promise.all([registry.scrape(), registry.scrape(), registry.scrape()]);
    expect(collect).toHaveBeenCalledTimes(1);
    await registry.scrape();
    expect(collect).toHaveBeenCalledTimes(2);
  });
});

describe('part that does not respond', () => {
  test.each([
    ['throws', () => Promise.reject(new Error('no')), ['broken: Error: no']],
    ['never settles', () => new Promise<void>(() => {}), []],
  ])('and %s is counted, and the others are shown', async (_, collect, expectedErrors) => {
    const internalErrors: string[] = [];
    const registry = registryOf((error, part) => internalErrors.push(`${part}: ${error}`));
    registry.part('broken', () => collect);
    registry.part('sound', (part) => {
      const valid = part.gauge('openperp_sound', 'Sound.').child();
      return () => valid.set(7);
    });
    const scraped = registry.scrape();
    await time.advance(2_000);
    const text = await scraped;
    expect(text).toContain('openperp_scrape_failures_total{part="broken"} 1\n');
    expect(text).toContain('openperp_scrape_failures_total{part="sound"} 0\n');
    expect(text).toContain('openperp_sound 7\n');
    expect(internalErrors).toEqual(expectedErrors);
  });

  test('shows no stale values, and reappears', async () => {
    const registry = registryOf(() => {});
    let read = async () => 5;
    registry.part('part', (part) => {
      const [begun, value] = [part.gauge('openperp_begun', 'B.').child(), part.gauge('openperp_value', 'V.')];
      return async () => {
        begun.set(1);
        value.child({ of: 'x' }).set(await read());
      };
    });
    registry.gauge('openperp_constant', 'C.').child().set(3);
    const shown = async () => {
      const lines = linesOf(registry, 'openperp_');
      await time.advance(2_000);
      return (await lines).filter((line) => !line.startsWith('openperp_scrape'));
    };
    const whole = ['openperp_constant 3', 'openperp_begun 1', 'openperp_value{of="x"} 5'].sort();
    expect((await shown()).sort()).toEqual(whole);
    read = () => Promise.reject(new Error('gone'));
    expect((await shown()).sort()).toEqual(['openperp_begun 1', 'openperp_constant 3']);
    read = () => new Promise(() => {});
    expect((await shown()).sort()).toEqual(['openperp_begun 1', 'openperp_constant 3']);
    read = async () => 5;
    expect((await shown()).sort()).toEqual(whole);
  });

  test('is reported once until it responds again, also if it fails after the timeout', async () => {
    const internalErrors: unknown[] = [];
    const registry = registryOf((error) => internalErrors.push(error));
    let outcomes: (() => Promise<void>)[] = [];
    registry.part('part', () => () => outcomes.shift()!());
    const [fails, responses] = [(what: string) => () => Promise.reject(what), () => Promise.resolve()];
    outcomes = [fails('first'), fails('again'), responses, fails('second')];
    while (outcomes.length > 0) await registry.scrape();
    expect(internalErrors).toEqual(['first', 'second']);
    const late = Promise.withResolvers<void>();
    outcomes = [responses, () => late.promise];
    await registry.scrape();
    const scraped = registry.scrape();
    await time.advance(2_000);
    await scraped;
    late.reject('late');
    await time.advance(0);
    expect(internalErrors).toEqual(['first', 'second', 'late']);
  });
});

describe('metric that does not follow the rules of Prometheus', () => {
  test('is refused by its name', () => {
    const registry = registryOf();
    for (const name of ['requests_total', 'openperp_requests', 'openperp_Requests_total', 'openperp_a-b_total'])
      expect(() => registry.counter(name, ''), name).toThrow(name);
    expect(() => registry.gauge('openperp_open_total', '')).toThrow('openperp_open_total');
    registry.gauge('openperp_open', '');
    expect(() => registry.gauge('openperp_open', '')).toThrow('exists');
  });

  test('is refused if its labels are from no closed set', () => {
    const requests = registryOf().counter('openperp_requests_total', '');
    expect(() => {
      for (let account = 0; account < 10_000; account += 1) requests.child({ account: String(account) });
    }).toThrow('closed sets');
  });
});
