/**
 * Many random operations, with every turn audited. `OPENPERP_RECOUNT_OPERATIONS=10000000 npx vitest run
 * engine/simulation/recount.test.ts` sets their number (100,000 by default), OPENPERP_RECOUNT_SEED the first seed.
 */
import { expect, test } from 'vitest';
import type { QuoteAtoms } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { VenueState } from '#venue/state.ts';
import { runRecount } from './recount-run.ts';

const OPERATIONS = Number(process.env.OPENPERP_RECOUNT_OPERATIONS ?? 100_000);
const SEED = Number(process.env.OPENPERP_RECOUNT_SEED ?? 1);
/** Each seed has its own markets and traders. */
const SEEDS = 5;

test(`creates and loses no atom in ${OPERATIONS} random operations`, { timeout: 600_000 + OPERATIONS }, async () => {
  const events = new Map<string, number>();
  for (let seed = SEED; seed < SEED + SEEDS; seed += 1) {
    const figures = await runRecount({
      seed,
      operations: Math.ceil(OPERATIONS / SEEDS),
      compareEvery: 5_000,
      report: console.log,
    });
    expect(figures.refused).toBeLessThan(figures.operations * 0.9);
    for (const [type, count] of figures.events) events.set(type, (events.get(type) ?? 0) + count);
  }
  console.log([...events].map(([type, count]) => `${type} ${count}`).join(', '));
  // The run must include every event that moves money.
  for (const type of [
    'CashPosted',
    'PositionChanged',
    'FundingPaid',
    'LiquidationStarted',
    'WithdrawalSettled',
    'CashTransferred',
  ])
    expect(events.get(type), type).toBeGreaterThan(0);
});

/** Takes an atom from every PnL. The balances agree with it. */
function stealing(): (events: readonly VenueEvent[]) => readonly VenueEvent[] {
  const stolen = new Map<number, number>();
  return (events) =>
    events.map((event) => {
      if (event.type !== 'CashPosted') return event;
      const isPnl = event.kind === 'realized_pnl';
      const sum = (stolen.get(event.account) ?? 0) + (isPnl ? 1 : 0);
      stolen.set(event.account, sum);
      const amountAtoms = (event.amountAtoms - (isPnl ? 1 : 0)) as QuoteAtoms;
      return { ...event, amountAtoms, cashAtoms: (event.cashAtoms - sum) as QuoteAtoms };
    });
}

test('finds an atom that a fill loses at once', async () => {
  const plan = { seed: SEED, operations: 20_000, compareEvery: 20_000 };
  await expect(runRecount({ ...plan, tamper: stealing() })).rejects.toThrow(
    /after operation \d+ of seed 1: AuditFailed: account \d+ was posted a PnL of -?\d+ for the fill/,
  );
});

test('finds a posting that moves money from one account to another', async () => {
  let isDone = false;
  const swap = (event: VenueEvent): VenueEvent => {
    if (isDone || event.type !== 'CashPosted' || event.account !== 1) return event;
    isDone = true;
    return { ...event, account: 2 as typeof event.account };
  };
  const plan = {
    seed: SEED,
    operations: 5_000,
    compareEvery: 1_000,
    tamper: (events: readonly VenueEvent[]) => events.map(swap),
  };
  await expect(runRecount(plan)).rejects.toThrow(/after operation \d+ of seed/);
});

test('finds an atom that leaves a balance without an event, by comparing', async () => {
  const plan = { seed: SEED, operations: 5_000, compareEvery: 1 };
  const lose = ({ accounts }: VenueState) => {
    accounts[1]!.cashAtoms = (accounts[1]!.cashAtoms - 1) as QuoteAtoms;
    accounts[2]!.cashAtoms = (accounts[2]!.cashAtoms + 1) as QuoteAtoms;
  };
  await expect(runRecount({ ...plan, damage: { operation: 3_000, change: lose } })).rejects.toThrow(
    /after operation 3000 of seed 1: AuditFailed: the venue has \(account 1 cash/,
  );
});

test('finds an event that the auditor does not know', async () => {
  const unknown = (events: readonly VenueEvent[]) => [...events, { type: 'MoneyMinted' } as unknown as VenueEvent];
  await expect(runRecount({ seed: SEED, operations: 1, compareEvery: 1, tamper: unknown })).rejects.toThrow('MoneyMinted');
});
