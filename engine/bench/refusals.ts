/**
 * The cost of refusing generated hostile bodies and frames: from their bytes to the rendered refusal, without the server around
 * it. Compared with `JSON.parse` of the same bytes. Target: at most 3 times that and 20 µs, each.
 */

import { DEFAULT_ENVIRONMENT } from '#contract/environments.ts';
import { largestBodyOf } from '#contract/largest-body.ts';
import type { Operation } from '#contract/operation.ts';
import { OPERATIONS, type OperationId } from '#contract/operations.ts';
import { parseBody } from '#contract/parse.ts';
import { REALTIME_LIMITS } from '#contract/realtime-limits.ts';
import { parseClientFrame } from '#contract/realtime-request.ts';
import { Refused } from '#contract/refused.ts';
import { HOSTILE_SHAPES, hostileTexts } from '#contract/testing/hostile-json.ts';
import { parseJsonBody } from '#http/server/json-body.ts';
import { refusalBody } from '#http/server/refusal-body.ts';
import { type Random, seededRandom } from '#simulation/seeded-random.ts';
import type { EpochMs } from '#units/money.ts';
import type { BenchOptions } from './contender.ts';
import type { Part, Report } from './part.ts';

const TEXTS = 10_000;
const QUICK_TEXTS = 300;
/**
 * Each refusal is timed once per round, next to `JSON.parse`; the median of the rounds counts. A round covers all texts, so other
 * load of the machine, or V8 compiling a function again, delays one round of a text and not all.
 */
const ROUNDS = 7;
/** The number of rounds for texts that exceed the bound. */
const ROUNDS_IN_DOUBT = 101;
/** Warm-up rounds, until everything is compiled. */
const WARM_UP = 2_000;
const FIXED_MICROSECONDS = 20;
const MAX_RATIO = 3;

const OPERATION_IDS = [
  'placeOrder',
  'previewOrder',
  'placeOrders',
  'cancelOrders',
  'createUnifiedOrder',
  'createUnifiedOrders',
  'setLeaderboardListing',
] as const satisfies readonly OperationId[];

interface Kind {
  readonly name: string;
  readonly maxBytes: number;
  /** The text at the place of the kind: bare, as an extra field, as the value of a field, or as an entry of a list. */
  readonly around: (text: string, random: Random) => string;
  /** Returns the rendered refusal; `undefined` if the bytes are accepted. */
  readonly refuse: (bytes: Buffer) => string | undefined;
}

const KINDS: readonly Kind[] = [
  ...OPERATION_IDS.map(bodyOf),
  frameOf('ping', { op: 'ping' }),
  frameOf('subscribe', { op: 'subscribe', channel: 'market.book', marketId: 'BTC-USD-PERP' }),
];

function bodyOf(id: (typeof OPERATION_IDS)[number]): Kind {
  const operation: Operation = OPERATIONS[id];
  return {
    name: id,
    maxBytes: largestBodyOf(operation),
    around: (text, random) =>
      inPlaceIn(operation.example?.body ?? { orders: [OPERATIONS.placeOrder.example.body] }, text, random),
    refuse: (bytes) => {
      try {
        const body = parseJsonBody(bytes);
        const unsupported = operation.unsupported?.({ query: {}, body });
        if (unsupported !== undefined) throw new Refused('not_supported', unsupported);
        const parsed = parseBody(operation, body);
        if ('fault' in parsed) throw new Refused('invalid_request', parsed.fault);
        return undefined;
      } catch (refused) {
        if (!(refused instanceof Refused)) throw refused;
        return JSON.stringify(refusalBody(refused, 'request', 0 as EpochMs, operation.path));
      }
    },
  };
}

function frameOf(name: string, frame: object): Kind {
  return {
    name: `frame ${name}`,
    maxBytes: REALTIME_LIMITS.maxFrameBytes,
    around: (text, random) => inPlaceIn(frame, text, random),
    refuse: (bytes) => {
      const request = parseClientFrame(DEFAULT_ENVIRONMENT, String(bytes), bytes);
      return 'type' in request ? JSON.stringify(request) : undefined;
    },
  };
}

function inPlaceIn(valid: unknown, text: string, random: Random): string {
  const place = random();
  if (place < 0.2) return text;
  const whole = JSON.stringify(valid);
  if (Array.isArray(valid))
    return place < 0.6 ? `[${whole.slice(1, -1)},${text}]` : inPlaceIn(valid[0], text, random).replace(/^.*$/s, '[$&]');
  if (place < 0.5) return `{"extra":${text},${whole.slice(1)}`;
  const names = Object.keys(valid as object);
  const name = names[Math.floor(random() * names.length)]!;
  const rest = JSON.stringify({ ...(valid as object), [name]: undefined });
  return `{${JSON.stringify(name)}:${text}${rest === '{}' ? '' : `,${rest.slice(1, -1)}`}}`;
}

interface Text {
  readonly kind: Kind;
  readonly shape: string;
  readonly bytes: Buffer;
}

/** In microseconds. */
interface Timings extends Text {
  readonly refusals: number[];
  readonly parses: number[];
}

interface Case {
  readonly kind: string;
  readonly shape: string;
  readonly bytes: number;
  readonly refusalMicroseconds: number;
  readonly parseMicroseconds: number;
  /** The multiple of `JSON.parse`, without the fixed part. */
  readonly ratio: number;
  readonly prefix: string;
}

export const refusals: Part = {
  name: 'refusals',
  run: async ({ seed, isQuick }: BenchOptions): Promise<Report> => {
    const made = [...casesOf(seed, isQuick ? QUICK_TEXTS : TEXTS)];
    for (const { kind, bytes } of made.slice(0, WARM_UP)) timed(() => kind.refuse(bytes));
    const refused = made.filter(({ kind, bytes }) => kind.refuse(bytes) !== undefined).map(timings);
    runRounds(refused, ROUNDS);
    runRounds(
      refused.filter((it) => costOf(it).ratio > MAX_RATIO),
      ROUNDS_IN_DOUBT - ROUNDS,
    );
    const cases = refused.map(costOf);
    const accepted = made.length - refused.length;
    return report(cases, accepted);
  },
};

function* casesOf(seed: number, count: number): Generator<Text> {
  const random = seededRandom(seed);
  const shapes = Object.keys(HOSTILE_SHAPES);
  for (let made = 0; made < count; made += 1) {
    const kind = KINDS[made % KINDS.length]!;
    const shape = shapes[Math.floor(random() * shapes.length)]!;
    // The longest texts cost most; a few are short.
    const length = Math.floor(kind.maxBytes * (random() < 0.8 ? 0.9 : random()) - 600);
    const [text] = hostileTexts({ seed: seed * 1_000_003 + made, count: 1, bytes: Math.max(20, length), shapes: [shape] });
    const bytes = Buffer.from(kind.around(text!, random));
    yield { kind, shape, bytes: bytes.length > kind.maxBytes ? bytes.subarray(0, kind.maxBytes) : bytes };
  }
}

function timings(text: Text): Timings {
  return { ...text, refusals: [], parses: [] };
}

function runRounds(texts: readonly Timings[], rounds: number): void {
  for (let round = 0; round < rounds; round += 1) {
    for (const { kind, bytes, refusals, parses } of texts) {
      parses.push(timed(() => parse(bytes)));
      refusals.push(timed(() => kind.refuse(bytes)));
    }
  }
}

function costOf({ kind, shape, bytes, refusals, parses }: Timings): Case {
  const [refusalMicroseconds, parseMicroseconds] = [medianOf(refusals), medianOf(parses)];
  const ratio = (refusalMicroseconds - FIXED_MICROSECONDS) / parseMicroseconds;
  const prefix = String(bytes.subarray(0, 80));
  return { kind: kind.name, shape, bytes: bytes.length, refusalMicroseconds, parseMicroseconds, ratio, prefix };
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(String(bytes));
  } catch (error) {
    return error;
  }
}

function timed(run: () => unknown): number {
  const startedAt = performance.now();
  run();
  return (performance.now() - startedAt) * 1_000;
}

function medianOf(figures: readonly number[]): number {
  return figures.toSorted((left, right) => left - right)[figures.length >> 1]!;
}

function report(cases: readonly Case[], accepted: number): Report {
  const rows = [...new Set(cases.map(({ kind }) => kind))].map((kind) =>
    rowOf(
      kind,
      cases.filter((it) => it.kind === kind),
    ),
  );
  const all = rowOf('all', cases);
  const cell = ({ name, count, p50, p99, worst, beyond }: Row) => [
    name,
    String(count),
    `${p50.toFixed(2)} ×`,
    `${p99.toFixed(2)} ×`,
    `${worst.ratio.toFixed(2)} ×`,
    `${worst.refusalMicroseconds.toFixed(1)} (${worst.parseMicroseconds.toFixed(1)})`,
    String(beyond),
    worst.shape,
  ];
  const table = {
    title: `Refusals: the cost of ${cases.length} hostile bodies and frames beyond ${FIXED_MICROSECONDS} µs, as a multiple of JSON.parse of the same bytes (target: at most ${MAX_RATIO} ×)`,
    notes: [
      `${accepted} others were accepted`,
      `the worst: ${all.worst.kind}, ${all.worst.bytes} bytes, ${JSON.stringify(all.worst.prefix)}`,
    ],
    columns: ['', 'refused', 'p50', 'p99', 'worst', 'worst, µs (JSON.parse)', 'beyond', 'its shape'],
    rows: [...rows, all].map(cell),
  };
  return { tables: [table], figures: { refusals: { accepted, rows: [...rows, all] } } };
}

interface Row {
  readonly name: string;
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly worst: Case;
  /** The number of texts that miss the target. */
  readonly beyond: number;
}

function rowOf(name: string, cases: readonly Case[]): Row {
  const sorted = cases.toSorted((left, right) => left.ratio - right.ratio);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
  const beyond = sorted.filter(({ ratio }) => ratio > MAX_RATIO).length;
  return { name, count: sorted.length, p50: at(0.5).ratio, p99: at(0.99).ratio, worst: sorted.at(-1)!, beyond };
}
