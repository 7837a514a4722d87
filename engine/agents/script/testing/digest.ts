/** The digest of what every classic strategy does over the same generated bars. */
import { createHash } from 'node:crypto';
import { barsOfColumns, generateCandles } from '#agents/indicators/testing/candle-columns.ts';
import { seededRandom } from '#simulation/seeded-random.ts';
import { CLASSIC_SCRIPTS } from './classic-scripts.ts';
import { actionsOver, openRun } from './script-runs.ts';

export const CLASSIC_NAMES: readonly string[] = Object.keys(CLASSIC_SCRIPTS);
export const GENERATED_BARS = barsOfColumns(generateCandles(1500, seededRandom(1)));

export function digestOfClassics(): string {
  const hash = createHash('sha256');
  for (const name of CLASSIC_NAMES)
    hash.update(JSON.stringify([name, actionsOver(openRun(CLASSIC_SCRIPTS[name]!), GENERATED_BARS)]));
  return hash.digest('hex');
}
