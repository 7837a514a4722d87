/**
 * Times contenders in turn, round by round (A B C, A B C, …). A shared machine varies in speed, so ratios are taken within a
 * round; the result is the median of all rounds.
 */
import type { Assignment } from './contender.ts';
import { type ContenderDescription, ContenderThread } from './contender-thread.ts';

const ROUNDS = 7;
const QUICK_ROUNDS = 3;
/** The compiler's result differs from start to start, sometimes by a fifth: each contender starts twice. */
const STARTS = 2;

/** A figure of every round: the median and the range. */
export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

export interface Result {
  readonly name: string;
  readonly introduction: ContenderDescription;
  /** Nanoseconds per operation, by round. */
  readonly laps: readonly number[];
}

/** The assignments under a name are variants of one contender: the one that is fastest at first races. */
export async function race(entrants: ReadonlyMap<string, readonly Assignment[]>): Promise<Result[]> {
  const threads: [name: string, ContenderThread, laps: number[]][] = [];
  for (const [name, manners] of entrants) threads.push([name, await fastestOf(manners), []]);
  const isQuick = [...entrants.values()].every(([first]) => first?.options.isQuick === true);
  for (let round = 0; round < (isQuick ? QUICK_ROUNDS : ROUNDS); round += 1) {
    for (const [, thread, laps] of threads) laps.push(await thread.sample());
  }
  await Promise.all(threads.map(([, thread]) => thread.stop()));
  return threads.map(([name, { introduction }, laps]) => ({ name, introduction, laps }));
}

async function fastestOf(manners: readonly Assignment[]): Promise<ContenderThread> {
  let fastest: ContenderThread | undefined;
  const starts = manners.flatMap((manner) => new Array<Assignment>(manner.options.isQuick ? 1 : STARTS).fill(manner));
  for (const assignment of starts) {
    const thread = await ContenderThread.start(assignment);
    const isFaster = fastest === undefined || thread.introduction.firstSample < fastest.introduction.firstSample;
    await (isFaster ? fastest : thread)?.stop();
    if (isFaster) fastest = thread;
  }
  if (fastest === undefined) throw new Error('no contender to race');
  return fastest;
}

export function spreadOf(figures: readonly number[]): Spread {
  const sorted = figures.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return { median, lowest: sorted[0]!, highest: sorted.at(-1)! };
}

/** How many times as long the slower one took, round by round. */
export function ratioOf(slower: Result, faster: Result): Spread {
  return spreadOf(slower.laps.map((sample, round) => sample / faster.laps[round]!));
}
