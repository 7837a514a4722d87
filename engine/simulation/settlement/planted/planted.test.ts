/** Every fault is planted in the settlement of a venue, and a world must find it. */
import { expect, test } from 'vitest';
import { WorldFailed } from '#simulation/failed-world.ts';
import { runSettlementWorld } from '#simulation/settlement/world.ts';
import { FAULTY_SETTLEMENTS } from './faulty-settlements.ts';

/** A fault need not show in every world, and may show first in another way. One of this many worlds must report it. */
const MAX_SEEDS = 40;

test.each(FAULTY_SETTLEMENTS)('finds $fault', async ({ plant, finding }) => {
  const findings: string[] = [];
  for (let seed = 1; seed <= MAX_SEEDS && !finding.test(findings.at(-1) ?? ''); seed += 1) {
    await runSettlementWorld({ seed, plant }).catch((cause: unknown) => {
      expect(cause).toBeInstanceOf(WorldFailed);
      findings.push((cause as WorldFailed).message);
    });
  }
  expect(findings.at(-1)).toMatch(finding);
});
