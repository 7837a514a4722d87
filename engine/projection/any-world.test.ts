/**
 * The projection has the state of the core after worlds with every command and event: an event that is not folded differs. Earnings are
 * compared with those that the auditor computes from the fills.
 */
import { expect, test } from 'vitest';
import { Auditor } from '#simulation/auditor/auditor.ts';
import { recordWorld } from '#simulation/auditor/planted/recorded-runs.ts';
import { eventsOfTurn } from '#simulation/turn-events.ts';
import { COMMAND_KINDS } from '#simulation/world/workload/intents.ts';
import { EVENTS } from '#venue/record/event-layouts.ts';
import { Venue } from '#venue/venue.ts';
import { within } from './testing/tried-histories.ts';

const MIN_WORLDS = 20;
const MAX_WORLDS = 200;

test('has the state of the core after every command and event', { timeout: 600_000 }, async () => {
  const missing = new Set<string>([...COMMAND_KINDS, ...Object.keys(EVENTS)]);
  let earningAffiliates = 0;
  for (let seed = 1; seed <= MIN_WORLDS || (missing.size > 0 && seed <= MAX_WORLDS); seed += 1) {
    const records = await recordWorld(seed);
    const venue = new Venue();
    const auditor = new Auditor();
    for (const record of records) {
      eventsOfTurn(venue, record);
      auditor.take(record);
      for (const { type } of [record.command, ...record.events]) missing.delete(type);
    }
    within(':memory:', (projection) => {
      projection.follow({ records, chainDigest: `world ${seed}` });
      expect(projection.audit(), `world ${seed}`).toEqual(venue.audit());
      for (const account of venue.state.affiliates.byAccount.keys()) {
        const expected = auditor.affiliates.earningsOf(account)!;
        const found = projection.reads.affiliateEarnings({ account, direction: 'oldest_first', limit: 1_000 });
        expect(found.total, `world ${seed}`).toMatchObject(expected.total);
        expect(found.days.entries, `world ${seed}`).toMatchObject(expected.days);
        if (expected.total.earnedAtoms !== '0') earningAffiliates += 1;
      }
    });
  }
  expect([...missing]).toEqual([]);
  expect(earningAffiliates).toBeGreaterThan(0);
});
