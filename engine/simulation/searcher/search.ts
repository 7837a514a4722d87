/** Searches for episodes that score above zero, from a seed. The same seed plays the same episodes. */

import { seededRandom } from '#simulation/seeded-random.ts';
import type { RiskRules } from '#venue/risk/risk-rules.ts';
import { type Episode, type Outcome, pathsOf, play } from './episode.ts';
import { mutated, randomEpisode } from './mutation.ts';
import { type Path, stageOf } from './stage.ts';
import { takenOf } from './takings.ts';

export interface Search {
  readonly seed: number;
  readonly episodes: number;
  readonly rules: RiskRules;
  readonly isHarsh?: boolean;
  /** If set, episodes on other paths are skipped. */
  readonly only?: readonly Path[];
  /** Rules with which a finding must not score: it shows what they prevent. */
  readonly preventedBy?: RiskRules;
}

export interface Finding extends Outcome {
  readonly episode: Episode;
  /** Its number in the search, from 1. */
  readonly number: number;
}

/** How many episodes are mutated further. */
const ELITE = 16;
/** The share of episodes that are assembled at random. */
const FRESH = 0.4;

/** The first episode that scores, or undefined. */
export function search({ seed, episodes, rules, isHarsh = false, only, preventedBy }: Search): Finding | undefined {
  const random = seededRandom(seed);
  const elite: Finding[] = [];
  for (let number = 1; number <= episodes; number += 1) {
    const parent = elite[Math.floor(random() ** 2 * elite.length)];
    const other = elite[Math.floor(random() * elite.length)];
    const isFresh = parent === undefined || random() < FRESH;
    const episode = isFresh ? randomEpisode(random, isHarsh) : mutated(random, parent.episode, other!.episode);
    if (only !== undefined && !only.includes(stageOf(episode.stage, pathsOf(episode)).path)) continue;
    const { flows, score } = play(episode, rules);
    const kept = score > 0 && preventedBy !== undefined ? Math.max(0, play(episode, preventedBy).score) : 0;
    const finding = { episode, number, flows, score: score - kept };
    if (score > 0 && kept === 0) return finding;
    insert(elite, finding);
  }
  return undefined;
}

/** Keeps the best by score; below zero by what they took before their costs. */
function insert(elite: Finding[], finding: Finding): void {
  if (takenOf(finding.flows) <= 0) return;
  let rank = elite.length;
  while (rank > 0 && isBetter(finding, elite[rank - 1]!)) rank -= 1;
  elite.splice(rank, 0, finding);
  if (elite.length > ELITE) elite.pop();
}

function isBetter(one: Finding, other: Finding): boolean {
  if (one.score > 0 || other.score > 0) return one.score > other.score;
  return takenOf(one.flows) > takenOf(other.flows);
}
