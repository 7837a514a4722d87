import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AuditedScenario } from '#simulation/audited-scenario.ts';
import { BTC, FINE_MARKET, SCENARIO_MARKET, Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import type { Bps, QuoteAtoms } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';

/** `OPENPERP_VENUE_RUNS=100000 npx vitest run engine/venue/venue.test.ts` runs 100,000 sequences. */
const RUNS = Number(process.env.OPENPERP_VENUE_RUNS ?? 150);

const rarely = fc.nat(7).map((value) => value === 0);
const side = fc.constantFrom('buy' as const, 'sell' as const);
const trader = fc.integer({ min: 1, max: 4 });
const quantity = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 60_000 }));
const price = fc.oneof(fc.integer({ min: 9_990, max: 10_010 }), fc.integer({ min: 9_000, max: 11_000 }));
const options = fc.record({ reduceOnly: rarely, leverageX: fc.constantFrom(0, 0, 1, 2.55, 7, 20, 20, 21) });

/** Large deposits in a market with coarse lots, and small ones in a market where every fill rounds. */
const world = fc.oneof(
  fc.constant([SCENARIO_MARKET, 10_000_000_000] as const),
  fc.constant([SCENARIO_MARKET, 400_000_000] as const),
  fc.integer({ min: 10_000, max: 3_000_000 }).map((deposit) => [FINE_MARKET, deposit] as const),
  fc.integer({ min: 10_000, max: 3_000_000 }).map((deposit) => [{ ...FINE_MARKET, makerFeeBps: -5 as Bps }, deposit] as const),
);

type Step = (scenario: Scenario) => VenueEvent[];

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(trader, side, price, quantity, options, rarely).map(
      ([account, orderSide, at, size, rest, postOnly]): Step =>
        (it) =>
          it.limit(account, orderSide, at, size, { ...rest, postOnly }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(trader, side, quantity, options).map(
      ([account, orderSide, size, rest]): Step =>
        (it) =>
          it.market(account, orderSide, size, rest),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(trader, side, fc.integer({ min: 1, max: 2_000_000_000 }), options).map(
      ([account, orderSide, money, rest]): Step =>
        (it) =>
          it.marketFor(account, orderSide, money, rest),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(trader, fc.nat(40)).map(
      ([account, order]): Step =>
        (it) =>
          it.cancel(account, order),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 9_500, max: 10_500 }).map(
      (at): Step =>
        (it) =>
          it.price(at),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.integer({ min: 6_000, max: 15_000 }), fc.nat(2)).map(
      ([at, advances]): Step =>
        (it) => [
          ...it.jump(at),
          ...Array.from({ length: advances }, () => it.run({ type: 'AdvanceMarket', market: BTC })).flat(),
        ],
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(1_000, 600_000, 4_000_000), fc.integer({ min: 9_900, max: 10_100 })).map(
      ([ms, at]): Step =>
        (it) => {
          it.wait(ms);
          return it.price(at);
        },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(trader, fc.array(fc.tuple(side, price, quantity), { minLength: 1, maxLength: 6 }), options).map(
      ([account, entries, rest]): Step =>
        (it) =>
          it.batch(account, entries, rest),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(trader, trader, fc.integer({ min: 1, max: 20_000 }), fc.nat(4)).map(
      ([account, to, amount, kind]): Step =>
        (it) =>
          it.run(cashMove(kind, account, to, amount)),
    ),
  },
);

function cashMove(kind: number, from: number, to: number, amount: number): Command {
  const account = from as AccountOrdinal;
  const amountAtoms = amount as QuoteAtoms;
  if (kind === 0) return { type: 'TransferCash', account, to: to as AccountOrdinal, amountAtoms, reference: 'test' };
  if (kind === 4) return { type: 'DebitCash', account, amountAtoms, reference: 'bank' };
  if (kind === 1) return { type: 'ReserveWithdrawal', account, amountAtoms, destination: 'party' };
  return { type: kind === 2 ? 'ReleaseWithdrawal' : 'SettleWithdrawal', withdrawal: (amount % 6) as WithdrawalOrdinal };
}

test('keeps its invariants after every command of any sequence, and passes the audit', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 120 }), world, (steps, [market, deposit]) => {
      const scenario = new AuditedScenario();
      scenario.populate(4, market, deposit);
      scenario.snapshotEvery = 7;
      for (const it of steps) it(scenario);
      scenario.compare();
      expect(scenario.venue.state.ledgers.deficit).toBe(0);
    }),
    { numRuns: RUNS },
  );
});

test('produces the same events and the same bytes of state from the same commands', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
      const [first, second] = [Scenario.withAccounts(4), Scenario.withAccounts(4)];
      second.snapshotEvery = Number.POSITIVE_INFINITY;
      for (const it of steps) expect(it(second)).toEqual(it(first));
      expect(second.venue.snapshot()).toEqual(first.venue.snapshot());
    }),
    { numRuns: Math.ceil(RUNS / 3) },
  );
});

test('counts executed trades and opened accounts', () => {
  const scenario = Scenario.withAccounts(3);
  expect(scenario.venue.counts()).toEqual({ trades: 0, accounts: 3 });
  scenario.limit(1, 'sell', 10_000, 5);
  scenario.limit(2, 'sell', 10_000, 5);
  scenario.market(3, 'buy', 10);
  expect(scenario.venue.counts()).toEqual({ trades: 2, accounts: 3 });
});
