/** A snapshot restores every field of the state: a field that no layout of `snapshot.ts` names differs after the restore. */
import { expect, test } from 'vitest';
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs, QuoteAtoms } from '#units/money.ts';
import type { Account } from './account/account.ts';
import { readState, writeState } from './snapshot.ts';
import type { VenueState } from './state.ts';
import { RandomWorld } from './testing/random-world.ts';

const WORLDS = 10;
const STEPS = 120;
const FIRST = 1 as AccountOrdinal;

test('restores every field of the state', () => {
  for (let seed = 1; seed <= WORLDS; seed += 1) {
    const state = stateOf(seed);
    expect(withoutLayoutInMemory(readState(writeState(state)))).toEqual(withoutLayoutInMemory(state));
  }
});

/** The state of a random world with an API key and a pending withdrawal. */
function stateOf(seed: number): VenueState {
  const world = new RandomWorld(seed, true);
  for (let step = 0; step < STEPS; step += 1) world.step();
  const key = { keyId: 'key', digest: 'd'.repeat(64), scopes: ['read'], label: 'reader' } as const;
  world.scenario.run({ type: 'IssueApiKey', account: FIRST, ...key, expiresAtEpochMs: (2 ** 42) as EpochMs });
  const amountAtoms = 1 as QuoteAtoms;
  world.scenario.run({ type: 'CreditCash', account: FIRST, amountAtoms, reference: '' });
  world.scenario.run({ type: 'ReserveWithdrawal', account: FIRST, amountAtoms, destination: 'away' });
  const { state } = world.scenario.venue;
  expect([state.apiKeyExpiries.size, state.withdrawals.size]).toEqual([1, 1]);
  return state;
}

/**
 * Removes what may differ after a restore: the slots in the tables of orders and client order ids (`order-table.test.ts` and
 * `client-order-ids.test.ts` test them), and the objects of flat positions.
 */
function withoutLayoutInMemory({ orders: _, clientOrderIds: __, accounts, ...state }: VenueState): object {
  return { ...state, accounts: accounts.map((account) => account && withoutFlatPositions(account)) };
}

function withoutFlatPositions(account: Account): object {
  const positions = account.positions.filter((position) => position !== undefined && position.signedBaseAtoms !== 0);
  return { ...account, positions };
}
