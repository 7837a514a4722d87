import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BTC, SCENARIO_MARKET, Scenario } from '#simulation/scenario.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import type { Command } from '#venue/command.ts';
import { COMMANDS } from '#venue/command-rules.ts';
import { readCommand, writeCommand } from '#venue/record/command-record.ts';
import { ByteReader, ByteWriter, MalformedRecord } from '#venue/record/cursor.ts';
import { anyCommand } from '#venue/record/testing/commands.ts';
import { SMALL_MARKET } from '#venue/testing/venues.ts';
import { refusalCode } from './testing/outcome.ts';
import { Venue } from './venue.ts';

/** `OPENPERP_HOSTILE_RUNS=100000 npx vitest run engine/venue/hostile-commands` runs 100,000 sequences. */
const RUNS = Number(process.env.OPENPERP_HOSTILE_RUNS ?? 60);

/** A venue with two markets, positions, open orders of several kinds, a pending withdrawal and a retired account. */
function livelyVenue(): Scenario {
  const scenario = new Scenario();
  scenario.snapshotEvery = 20;
  scenario.populate(6, { ...SMALL_MARKET, maxIndexJumpBps: 10_000 as never });
  const second = { ...SCENARIO_MARKET, marketId: 'ETH-USD-PERP', maxPriceAtoms: 20_000 as never };
  scenario.run({ type: 'ListMarket', specification: second, status: 'open' });
  scenario.price(10_000, 2 as MarketOrdinal);
  scenario.limit(1, 'sell', 10_000, 1_000);
  scenario.market(2, 'buy', 700);
  scenario.limit(2, 'sell', 10_100, 300, { reduceOnly: true });
  scenario.limit(3, 'buy', 9_900, 400);
  scenario.limit(4, 'sell', 10_000, 12, { market: 2 as MarketOrdinal });
  scenario.market(5, 'buy', 6, { market: 2 as MarketOrdinal });
  scenario.run({ type: 'ReserveWithdrawal', account: 3 as never, amountAtoms: 12 as never, destination: '' });
  scenario.run({ type: 'RetireAccount', account: 6 as never });
  return scenario;
}

/** The command as it is read from a journal; `undefined` if it cannot be written to one. */
function journaled(command: Command): Command | undefined {
  const bytes = new ByteWriter();
  try {
    writeCommand(bytes, command);
  } catch (error) {
    if (error instanceof MalformedRecord) return undefined;
    throw error;
  }
  return readCommand(new ByteReader(bytes.copy()));
}

test('keeps invariants and throws nothing for commands with any numbers', () => {
  // A run of few sequences may miss a type, but the arbitrary has all types.
  expect(new Set(fc.sample(anyCommand, 3_000).map(({ type }) => type)).size).toBe(Object.keys(COMMANDS).length);
  fc.assert(
    fc.property(fc.array(anyCommand, { minLength: 1, maxLength: 60 }), (commands) => {
      const scenario = livelyVenue();
      for (const command of commands) {
        const read = journaled(command);
        if (read === undefined) continue;
        scenario.run(read);
      }
      expectSnapshotComplete(scenario.venue);
      scenario.jump(9_000);
    }),
    { numRuns: RUNS },
  );
});

/** A field that the snapshot omits would have its initial value in the restored venue. */
function expectSnapshotComplete(venue: Venue): void {
  const [restored, saved] = [Venue.restore(venue.snapshot()).state, venue.state];
  expect(ownFields(restored)).toEqual(ownFields(saved));
  for (const [index, market] of saved.markets.entries()) expect(ownFields(restored.markets[index])).toEqual(ownFields(market));
  for (const [index, account] of saved.accounts.entries())
    expect(ownFields(restored.accounts[index])).toEqual(ownFields(account));
}

/** Without the fields that are compared separately, and without those that restoring may reorder: tables, books, position lists. */
function ownFields(owner: object | undefined): object {
  const { markets, accounts, orders, clientOrderIds, book, positions, ...fields } = { ...owner } as Record<string, unknown>;
  return fields;
}

test('refuses invalid amounts in every command', () => {
  const account = 1 as never;
  const wrong = [0, -1, -(2 ** 53 - 1), 2 ** 53 - 1] as never[];
  for (const amountAtoms of wrong) {
    const scenario = livelyVenue();
    const before = scenario.venue.snapshot();
    const commands: Command[] = [
      { type: 'CreditCash', account, amountAtoms, reference: '' },
      { type: 'CreditInsurance', amountAtoms, reference: '' },
      { type: 'ReserveWithdrawal', account, amountAtoms, destination: '' },
      { type: 'DebitCash', account, amountAtoms, reference: '' },
      { type: 'TransferCash', account, to: 2 as never, amountAtoms, reference: '' },
      { type: 'PublishIndexPrice', market: BTC, priceAtoms: amountAtoms, observedAtEpochMs: scenario.now },
      { type: 'CancelOrder', account, order: amountAtoms },
      { type: 'ReleaseWithdrawal', withdrawal: amountAtoms },
      { type: 'SettleWithdrawal', withdrawal: amountAtoms },
      { type: 'AdvanceMarket', market: amountAtoms },
      { type: 'RetireAccount', account: amountAtoms },
    ];
    for (const command of commands) expect(refusalCode(scenario.run(command)), JSON.stringify(command)).toBeDefined();
    for (const kind of ['limit', 'market', 'market_notional', 'band_limit', 'band_notional'] as const) {
      const terms = {
        kind,
        quantityAtoms: amountAtoms,
        notionalAtoms: amountAtoms,
        priceAtoms: 10_000,
        postOnly: false,
      } as never;
      const order = { clientOrderId: `wrong ${kind}`, side: 'buy', terms, reduceOnly: false, leverageHundredths: 0 } as const;
      const placing: Command = { type: 'PlaceOrder', account, market: BTC, ...order, idempotencyKey: '' };
      expect(refusalCode(scenario.run(placing)), JSON.stringify(placing)).toBeDefined();
    }
    expect(scenario.venue.snapshot()).toEqual(before);
  }
});
