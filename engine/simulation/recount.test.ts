/**
 * The money after every one of many random operations. `OPENPERP_RECOUNT_OPERATIONS=10000000 npx vitest run
 * engine/simulation/recount.test.ts` runs so many (500,000 by default), OPENPERP_RECOUNT_SEED chooses others.
 */
import { expect, test } from 'vitest';
import type { QuoteAtoms } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import { RawBalances } from './recount.ts';
import { runRecount } from './recount-run.ts';

const OPERATIONS = Number(process.env.OPENPERP_RECOUNT_OPERATIONS ?? 500_000);
const SEED = Number(process.env.OPENPERP_RECOUNT_SEED ?? 1);
/** Each seed has its own markets and people. */
const SEEDS = 5;

test(`${OPERATIONS} random operations make and lose no atom`, { timeout: 600_000 + OPERATIONS }, async () => {
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
  // What moves money must have happened, or nothing was shown of it.
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

const steal = (event: VenueEvent): VenueEvent => {
  if (event.type === 'CashPosted' && event.kind === 'realized_pnl')
    return { ...event, amountAtoms: (event.amountAtoms - 1) as QuoteAtoms };
  return event;
};

test('an atom that a fill loses is found at once', async () => {
  const plan = { seed: SEED, operations: 20_000, compareEvery: 20_000 };
  await expect(runRecount({ ...plan, tamper: (events) => events.map(steal) })).rejects.toThrow(/there is -\d too much/);
});

test('a posting that moves money from one account to another in secret is found by comparing', async () => {
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

test('an event that nobody has told the effect of is a failure', () => {
  expect(() => new RawBalances().take(undefined, [{ type: 'MoneyMinted' }])).toThrow('what does MoneyMinted do to money?');
});
