/**
 * What a seed fixes before the colluders play: the path of the index, the quotes of the makers, and strangers with open positions near
 * their liquidation price.
 */
import { type Random, seededRandom } from '#simulation/seeded-random.ts';
import { START_PRICE } from './market.ts';

/** How the index moves, by at most 12 basis points a second; in `premium` it stays, and the makers quote away from it. */
export const PATHS = ['calm', 'premium', 'noise', 'fall', 'rise', 'fall and return', 'rise and return'] as const;
/** Steps of 20 to 50 basis points: at most half of the maintenance requirement (ADR 0107). */
export const FAST_PATHS = ['plunge', 'plunge and return'] as const;
/**
 * Fast steps, gaps beyond the maintenance rate, and the end of a funding period beside strangers near their liquidation. In a gap the
 * colluders still take something (ADR 0104), so that these are searched by name only.
 */
export const HARSH_PATHS = [...FAST_PATHS, 'gap', 'gap and return', 'squeeze'] as const;
export type Path = (typeof PATHS)[number] | (typeof HARSH_PATHS)[number];

/** A level of the makers' quotes, on both sides. */
export interface Level {
  readonly offsetBps: number;
  readonly usd: number;
}

/** A passive account with a position that was opened before the index moved to the start. It never sends another order. */
export interface Stranger {
  readonly isLong: boolean;
  readonly usd: number;
  readonly leverageX: number;
}

export interface Stage {
  readonly seed: number;
  readonly path: Path;
  /** The index of each second, in ticks. */
  readonly index: readonly number[];
  /** The index at which the strangers opened their positions. Those who bought above the start are near their liquidation. */
  readonly entry: number;
  readonly strangers: readonly Stranger[];
  readonly levels: readonly Level[];
  /** How far above the index the makers quote. */
  readonly premiumBps: number;
  /**
   * Whether a funding period ends in the path, in `premium` and the harsh paths: a minute stands for an hour there. In others nothing may
   * depend on funding, because a minute of quotes would buy an hour of it.
   */
  readonly endsPeriod: boolean;
  /** Whether the UTC day changes in the middle of the path, and a funding period with it. */
  readonly isAtMidnight: boolean;
}

/** The strangers, in the order of their accounts. */
export const STRANGERS = 4;
/** The length of a path. */
export const SECONDS = 48;

const DEPTHS: readonly (readonly Level[])[] = [
  [],
  [],
  [{ offsetBps: 5, usd: 20_000 }],
  [
    { offsetBps: 3, usd: 20_000 },
    { offsetBps: 15, usd: 60_000 },
  ],
  [
    { offsetBps: 3, usd: 100_000 },
    { offsetBps: 20, usd: 400_000 },
  ],
];

const DEEP: readonly Level[] = [
  { offsetBps: 3, usd: 800_000 },
  { offsetBps: 20, usd: 600_000 },
];

export function stageOf(seed: number, paths: readonly Path[] = PATHS): Stage {
  const random = seededRandom(seed);
  const path = pick(random, paths);
  const isFalling = path.startsWith('fall') || (path.startsWith('rise') ? false : random() < 0.5);
  const sign = isFalling ? 1 : -1;
  // A position of 50 × loses its maintenance margin after about 101 basis points: those of the strangers are 4 to 40 away from it.
  const entry = Math.round(START_PRICE * (1 + sign * (0.0101 - 0.0004 - random() * 0.0012)));
  const strangers = Array.from({ length: STRANGERS }, (_, place) => ({
    // The first two are near their liquidation; the others have gained, and are deleveraged first.
    isLong: place < 2 === isFalling,
    usd: Math.round(200 + random() * 1_300) * 1_000,
    leverageX: path === 'premium' ? 5 : Math.round(44 + random() * 6),
  }));
  return {
    seed,
    path,
    index: indexOf(random, path, sign),
    entry,
    strangers,
    levels: path === 'premium' ? DEEP : pick(random, DEPTHS),
    premiumBps: path === 'premium' ? sign * 60 : 0,
    endsPeriod: !(PATHS as readonly Path[]).includes(path) || path === 'premium',
    isAtMidnight: path.startsWith('gap') && random() < 0.5,
  };
}

/** `sign` is 1 for a fall. */
function indexOf(random: Random, path: Path, sign: number): number[] {
  const isFast = path.startsWith('plunge');
  const isGap = path.startsWith('gap');
  const isMoving = isFast || isGap || path.includes('fall') || path.includes('rise');
  const turn = Math.round(isFast ? 6 + random() * 6 : isGap ? 8 + random() * 16 : 18 + random() * 22);
  const step = isFast ? 20 + random() * 30 : 5 + random() * 4;
  const gap = 100 + random() * 300;
  const isReturning = path.endsWith('return');
  const noiseBps = path === 'noise' || path === 'squeeze' || isMoving ? 0.5 + random() : 0;
  const awayBps = (second: number): number => {
    if (!isMoving) return 0;
    if (isGap) return second < turn || (isReturning && second > turn + 8) ? 0 : gap;
    return step * (second <= turn || !isReturning ? Math.min(second, turn) : Math.max(0, 2 * turn - second));
  };
  return Array.from({ length: SECONDS }, (_, second) =>
    Math.round(START_PRICE * (1 + ((random() * 2 - 1) * noiseBps - sign * awayBps(second + 1)) / 10_000)),
  );
}

function pick<T>(random: Random, of: readonly T[]): T {
  return of[Math.floor(random() * of.length)]!;
}
