/** Evaluates a soak's samples: figures by minute, and whether anything grows with time. */

/** One sample of the venue, with the responses since the previous one. */
export interface SoakSample {
  readonly minutes: number;
  readonly residentBytes: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly commandsPerSecond: number;
}

export interface SoakTrend {
  /** From here on samples count: retained data has reached its limits, and all code is compiled. */
  readonly fromMinutes: number;
  readonly samples: number;
  readonly residentMibPerMinute: number;
  readonly p99MsPerMinute: number;
  /** The median p99 of the last third divided by that of the first. */
  readonly p99Growth: number;
  readonly isMemoryFlat: boolean;
  readonly isP99Flat: boolean;
}

const MAX_MIB_PER_MINUTE = 1;
/** Other load of the machine causes variation of this size. */
const MAX_P99_GROWTH = 1.25;
/** Below a tenth of a millisecond, growth is ignored. */
const IGNORED_P99_MS = 0.1;
const MIB = 1 << 20;

/** Throws if there are fewer than three samples after that time. */
export function trendOf(samples: readonly SoakSample[], fromMinutes: number): SoakTrend {
  const counted = samples.filter(({ minutes }) => minutes >= fromMinutes);
  if (counted.length < 3) throw new Error(`${counted.length} samples after minute ${fromMinutes}: a trend needs three`);
  const residentMibPerMinute = slopeOf(counted.map(({ minutes, residentBytes }) => [minutes, residentBytes / MIB]));
  const p99MsPerMinute = slopeOf(counted.map(({ minutes, p99Ms }) => [minutes, p99Ms]));
  const third = Math.max(1, Math.floor(counted.length / 3));
  const first = medianOf(counted.slice(0, third).map(({ p99Ms }) => p99Ms));
  const last = medianOf(counted.slice(-third).map(({ p99Ms }) => p99Ms));
  return {
    fromMinutes,
    samples: counted.length,
    residentMibPerMinute,
    p99MsPerMinute,
    p99Growth: last / first,
    isMemoryFlat: residentMibPerMinute <= MAX_MIB_PER_MINUTE,
    isP99Flat: last <= first * MAX_P99_GROWTH || last - first <= IGNORED_P99_MS,
  };
}

/** The slope of the least-squares line. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length;
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const variance = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return covariance / variance;
}

/** The median of every figure, minute by minute. */
export function byMinute(samples: readonly SoakSample[]): SoakSample[] {
  const minutes = Map.groupBy(samples, (sample) => Math.ceil(sample.minutes));
  return [...minutes].map(([minute, within]) => ({
    minutes: minute,
    residentBytes: medianOf(within.map((it) => it.residentBytes)),
    p50Ms: medianOf(within.map((it) => it.p50Ms)),
    p99Ms: medianOf(within.map((it) => it.p99Ms)),
    commandsPerSecond: medianOf(within.map((it) => it.commandsPerSecond)),
  }));
}

export function medianOf(figures: readonly number[]): number {
  const sorted = figures.toSorted((left, right) => left - right);
  return sorted[sorted.length >> 1]!;
}
