/** Arguments of moves: each has a list of values, so that a mutation can choose a neighbour. */
import type { Random } from '#simulation/seeded-random.ts';
import { STRANGERS } from './stage.ts';
import { COLLUDERS } from './table.ts';

export interface Argument {
  readonly name: string;
  readonly values: readonly number[];
}

export function argument(name: string, values: readonly number[]): Argument {
  return { name, values };
}

/** The values from `low` to `high` in equal steps. */
export function range(name: string, low: number, high: number, step: number): Argument {
  return { name, values: Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, place) => low + place * step) };
}

/** An account of the colluders. The first are drawn more often, so that moves of one episode meet in the same accounts. */
export function colluder(name: string): Argument {
  return argument(name, [1, 1, 1, 2, 2, 2, 3, 3, 4, 5]);
}

/** A colluder, or a stranger: the makers have no position that could be liquidated. */
export const PARTY: Argument = argument('party', [
  ...colluder('').values,
  ...Array.from({ length: STRANGERS }, (_, place) => COLLUDERS + 2 + place),
]);

/** Another colluder than an account: the one so many places after it. */
export const BY = argument('by', [1, 1, 2, 2, 3, 4]);

export function colluderAfter(account: number, by: number): number {
  return account > COLLUDERS ? by : ((account - 1 + by) % COLLUDERS) + 1;
}

/** 0 is buy, 1 is sell. */
export const SIDE = argument('side', [0, 1]);
export const THOUSAND_USD = argument('kUSD', [1, 5, 10, 20, 50, 100, 200, 400, 700, 1_000, 1_500, 1_900, 3_000, 6_000, 9_000]);
/** The sizes of positions that an attack is worth. */
export const LARGE_THOUSAND_USD = argument('kUSD', [200, 400, 700, 1_000, 1_500, 1_900, 1_900, 1_900, 4_000, 9_000]);
/** 0 is the leverage of the account. */
export const LEVERAGE = argument('leverage', [50, 50, 50, 50, 33, 25, 20, 10, 5, 0]);
export const SHARE = argument('share', [10, 25, 34, 50, 75, 100]);

export function draw(random: Random, { values }: Argument): number {
  return values[Math.floor(random() * values.length)]!;
}

/** Another value: usually a near one. */
export function vary(random: Random, of: Argument, value: number): number {
  if (random() < 0.3) return draw(random, of);
  const at = of.values.indexOf(value);
  const step = Math.ceil(random() * 3) * (random() < 0.5 ? -1 : 1);
  return of.values[Math.max(0, Math.min(of.values.length - 1, at + step))]!;
}
