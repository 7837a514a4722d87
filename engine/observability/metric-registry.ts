/**
 * Metrics and their text format (Prometheus 0.0.4). An observation is an addition: the observer keeps the child of its labels,
 * looked up once. Labels come from closed sets, so that clients cannot increase the number of children.
 */

import { type Timers, withTimeout } from '#time/timers.ts';

export type Labels = Readonly<Record<string, string>>;

/** Runs at each scrape, which may wait for it. */
export type Collect = () => void | Promise<void>;

/** Called when a part cannot be read, once until it can be read again. A slow part is not an error. */
export type OnScrapeError = (error: unknown, part: string) => void;

/** A part that does not respond within this time is omitted from the scrape. */
const TIMEOUT_MS = 2_000;
/** Far above what closed sets of labels need: more is a bug. */
const MAX_CHILDREN = 5_000;

export class Counter {
  value = 0;

  add(amount = 1): void {
    this.value += amount;
  }

  /** Sets a total that is counted elsewhere. */
  countedTo(total: number): void {
    this.value = total;
  }
}

export class Gauge {
  value = Number.NaN;

  set(value: number): void {
    this.value = value;
  }
}

export class Histogram {
  /** Upper bounds, ascending; values above the last fall into +Inf. */
  readonly bounds: readonly number[];
  /** Not cumulated: the scrape does that. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let place = 0;
    while (place < this.bounds.length && value > this.bounds[place]!) place += 1;
    this.counts[place]! += 1;
    this.sum += value;
  }
}

/** A metric with all its children. */
export class Family<Child> {
  readonly #make: () => Child;
  readonly #children = new Map<string, Child>();

  constructor(make: () => Child) {
    this.#make = make;
  }

  /** Look it up once and keep it. */
  child(labels: Labels = {}): Child {
    const text = Object.entries(labels)
      .map(([name, value]) => `${name}="${escaped(value)}"`)
      .join(',');
    const known = this.#children.get(text);
    if (known !== undefined) return known;
    if (this.#children.size >= MAX_CHILDREN) throw new Error('a metric has too many children: its labels are not of closed sets');
    const child = this.#make();
    this.#children.set(text, child);
    return child;
  }

  entries(): IterableIterator<[labels: string, child: Child]> {
    return this.#children.entries();
  }
}

/**
 * Metrics that are read together. Those not set since a scrape began are omitted from it, so that no value outlives its source.
 */
export class MetricPart {
  readonly name: string;
  readonly #registry: MetricRegistry;
  readonly #gauges: Family<Gauge>[] = [];

  constructor(name: string, registry: MetricRegistry) {
    this.name = name;
    this.#registry = registry;
  }

  gauge(name: string, help: string): Family<Gauge> {
    const gauge = this.#registry.gauge(name, help);
    this.#gauges.push(gauge);
    return gauge;
  }

  clear(): void {
    for (const gauge of this.#gauges) for (const [, child] of gauge.entries()) child.set(Number.NaN);
  }
}

interface Collector {
  readonly part: MetricPart;
  readonly collect: Collect;
  /** Whether an error was reported since it was last read. */
  isErrorReported: boolean;
}

interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly lines: (name: string) => Iterable<string>;
}

export class MetricRegistry {
  /** The content type of {@link scrape}. */
  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8';
  #scraping: Promise<string> | undefined;
  readonly #timers: Timers;
  readonly #onScrapeError: OnScrapeError;
  readonly #described: MetricFamily[] = [];
  readonly #collectors: Collector[] = [];
  readonly #failures = this.counter('openperp_scrape_failures_total', 'Parts of the venue that did not respond to a scrape.');

  constructor(timers: Timers, onScrapeError: OnScrapeError) {
    this.#timers = timers;
    this.#onScrapeError = onScrapeError;
  }

  /** A counter's name ends in `_total`. */
  counter(name: string, help: string): Family<Counter> {
    const family = new Family(() => new Counter());
    return this.#describe({ name, help, type: 'counter', lines: numbers(family) }, family);
  }

  /** A gauge that is set once; gauges read at each scrape belong to a part. */
  gauge(name: string, help: string): Family<Gauge> {
    const family = new Family(() => new Gauge());
    return this.#describe({ name, help, type: 'gauge', lines: numbers(family) }, family);
  }

  histogram(name: string, help: string, bounds: readonly number[]): Family<Histogram> {
    const family = new Family(() => new Histogram(bounds));
    return this.#describe({ name, help, type: 'histogram', lines: buckets(family) }, family);
  }

  /** The part's gauges are declared by `declare`; the function that it returns reads them at each scrape. */
  part(name: string, declare: (part: MetricPart) => Collect): void {
    this.#failures.child({ part: name });
    const part = new MetricPart(name, this);
    this.#collectors.push({ part, collect: declare(part), isErrorReported: false });
  }

  /** The text of all metrics. A part that cannot be read is omitted. Concurrent calls share one scrape. */
  scrape(): Promise<string> {
    this.#scraping ??= this.#scrape().finally(() => {
      this.#scraping = undefined;
    });
    return this.#scraping;
  }

  async #scrape(): Promise<string> {
    await Promise.all(this.#collectors.map((collector) => this.#collect(collector)));
    let text = '';
    for (const { name, help, type, lines } of this.#described) {
      text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
      for (const line of lines(name)) text += `${line}\n`;
    }
    return text;
  }

  async #collect(collector: Collector): Promise<void> {
    const isRead = await withTimeout(this.#timers, this.#read(collector), TIMEOUT_MS);
    if (isRead !== true) this.#failures.child({ part: collector.part.name }).add();
  }

  /** Returns whether it could be read. Errors are reported even after the timeout. */
  async #read(collector: Collector): Promise<boolean> {
    const { part, collect } = collector;
    part.clear();
    try {
      await collect();
      collector.isErrorReported = false;
      return true;
    } catch (error) {
      if (!collector.isErrorReported) this.#onScrapeError(error, part.name);
      collector.isErrorReported = true;
      return false;
    }
  }

  #describe<Child>(described: MetricFamily, family: Family<Child>): Family<Child> {
    const isCounter = described.type === 'counter';
    if (!/^openperp_[a-z][a-z0-9_]*$/.test(described.name) || described.name.endsWith('_total') !== isCounter)
      throw new Error(`${described.name} is not a valid name for a ${described.type}`);
    if (this.#described.some(({ name }) => name === described.name)) throw new Error(`${described.name} exists`);
    this.#described.push(described);
    return family;
  }
}

function numbers(family: Family<Counter | Gauge>) {
  return function* (name: string): Iterable<string> {
    for (const [labels, { value }] of family.entries()) {
      if (!Number.isNaN(value)) yield `${name}${labels === '' ? '' : `{${labels}}`} ${value}`;
    }
  };
}

function buckets(family: Family<Histogram>) {
  return function* (name: string): Iterable<string> {
    for (const [labels, { bounds, counts, sum }] of family.entries()) {
      const also = labels === '' ? '' : `${labels},`;
      let count = 0;
      for (let place = 0; place < counts.length; place += 1) {
        count += counts[place]!;
        yield `${name}_bucket{${also}le="${bounds[place] ?? '+Inf'}"} ${count}`;
      }
      const own = labels === '' ? '' : `{${labels}}`;
      yield `${name}_sum${own} ${sum}`;
      yield `${name}_count${own} ${count}`;
    }
  };
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
