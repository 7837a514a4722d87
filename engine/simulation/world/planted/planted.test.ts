/** Every fault is planted in a venue, and a world must find it. */
import { expect, test } from 'vitest';
import { WorldFailed } from '#simulation/failed-world.ts';
import { runWorld } from '#simulation/world/world.ts';
import { FAULTY_VENUES } from './faulty-venues.ts';

/** A fault need not show in every world, and the venue itself may stop first. One of this many worlds must report it. */
const MAX_SEEDS = 40;

test.each(FAULTY_VENUES)('finds $fault', async ({ plant, finding }) => {
  const findings: string[] = [];
  for (let seed = 1; seed <= MAX_SEEDS && !finding.test(findings.at(-1) ?? ''); seed += 1) {
    await runWorld({ seed, plant: plant() }).catch((cause: unknown) => {
      expect(cause).toBeInstanceOf(WorldFailed);
      findings.push((cause as WorldFailed).message);
    });
  }
  expect(findings.at(-1)).toMatch(finding);
});
