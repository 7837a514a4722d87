/** A snapshot restores every field of the state: a field that no layout of `snapshot.ts` names differs after the restore. */
import { expect, test } from 'vitest';
import { recordWorld } from '#simulation/auditor/planted/recorded-runs.ts';
import { eventsOfTurn } from '#simulation/turn-events.ts';
import { COMMAND_KINDS } from '#simulation/world/workload/intents.ts';
import type { Account } from './account/account.ts';
import { readState, writeState } from './snapshot.ts';
import type { VenueState } from './state.ts';
import { Venue } from './venue.ts';

const MIN_WORLDS = 20;
const MAX_WORLDS = 200;
const TURNS_BETWEEN = 50;

test('restores every field of the state after every command', { timeout: 600_000 }, async () => {
  const missing = new Set<string>(COMMAND_KINDS);
  for (let seed = 1; seed <= MIN_WORLDS || (missing.size > 0 && seed <= MAX_WORLDS); seed += 1) {
    const venue = new Venue();
    const records = await recordWorld(seed);
    for (const [index, record] of records.entries()) {
      eventsOfTurn(venue, record);
      missing.delete(record.command.type);
      if (index % TURNS_BETWEEN === 0 || index === records.length - 1) expectRestored(venue.state, `world ${seed}`);
    }
  }
  expect([...missing]).toEqual([]);
});

function expectRestored(state: VenueState, world: string): void {
  expect(withoutLayoutInMemory(readState(writeState(state))), world).toEqual(withoutLayoutInMemory(state));
}

/**
 * Without what a restore may lay out differently: the tables of orders (`order-table.test.ts`, `client-order-ids.test.ts`) and objects of
 * flat positions.
 */
function withoutLayoutInMemory({ orders: _, clientOrderIds: __, accounts, ...state }: VenueState): object {
  return { ...state, accounts: accounts.map((account) => account && withoutFlatPositions(account)) };
}

function withoutFlatPositions(account: Account): object {
  const positions = account.positions.filter((position) => position !== undefined && position.signedBaseAtoms !== 0);
  return { ...account, positions };
}
