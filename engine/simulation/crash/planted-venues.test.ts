/** The auditor finds faulty venues: the real core in a wrapper that changes its rules, its prices or its balances. */
import { describe, expect, test } from 'vitest';
import { CandlePath } from '#prices/candle-path.ts';
import type { Check } from '#simulation/auditor/audit-failed.ts';
import { AuditFailed } from '#simulation/auditor/audit-failed.ts';
import { seededRandom } from '#simulation/seeded-random.ts';
import { tamperedVenue } from '#simulation/world/planted/tampered-rules.ts';
import type { Command } from '#venue/command.ts';
import { InvariantBroken } from '#venue/invariants.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import type { Venue } from '#venue/venue.ts';
import type { TurnTaker } from './audited-venue.ts';
import { CRASH_MARKETS } from './crash-parameters.ts';
import { type CrashPlan, runCrash } from './crash-run.ts';
import { BTC_CRASH, ETH_CRASH, syntheticCrash } from './synthetic-crash.ts';

type Around = (venue: Venue) => TurnTaker;

/** Short, with an hour that ends in the outage. */
const MINUTES = { calm: 50, outage: 20, slide: 30, plunge: 30, recovery: 5 };

/** The first finding. */
function faultIn(around: Around | undefined, options: Partial<CrashPlan> = {}): Error | undefined {
  const random = seededRandom(519);
  const paths = [BTC_CRASH, ETH_CRASH].map((shape) => new CandlePath(syntheticCrash(shape, random, MINUTES)));
  const [fromEpochMs, toEpochMs] = [paths[0]!.startsAtEpochMs, paths[0]!.endsAtEpochMs];
  try {
    runCrash({
      markets: CRASH_MARKETS,
      paths,
      fromEpochMs,
      toEpochMs,
      random,
      invariantsEvery: Number.POSITIVE_INFINITY,
      around,
      ...options,
    });
  } catch (error) {
    return error as Error;
  }
  return undefined;
}

/** A venue that executes another command than the one that was sent. */
function receiving(change: (command: Command, epochMs: number) => Command): Around {
  return (venue) => ({
    turn: (sequenced, events) => venue.turn({ ...sequenced, command: change(sequenced.command, sequenced.epochMs) }, events),
  });
}

/** A venue whose markets follow other rules than those that it publishes. */
function ruledBy(change: (market: MarketSpecification) => Partial<MarketSpecification>): Around {
  const altered = receiving((command) => {
    if (command.type !== 'ListMarket') return command;
    return { ...command, specification: { ...command.specification, ...change(command.specification) } };
  });
  return (venue) =>
    tamperedVenue(altered(venue), (events, { command }) =>
      events.map((event) =>
        event.type === 'MarketListed' && command.type === 'ListMarket'
          ? { ...event, specification: command.specification }
          : event,
      ),
    );
}

/** A venue whose state changes after a number of turns without a command. */
function afterTurns(count: number, happens: (venue: Venue) => void): Around {
  return (venue) => {
    let turns = 0;
    return {
      turn: (sequenced, events) => {
        venue.turn(sequenced, events);
        turns += 1;
        if (turns === count) happens(venue);
      },
    };
  };
}

/** A venue that parks all positions before every price. A turn tries four of them again. */
const parkingAll: Around = (venue) => ({
  turn: (sequenced, events) => {
    const market = venue.state.markets[1];
    if (sequenced.command.type === 'PublishIndexPrice' && market !== undefined) {
      for (let place = 0; place < market.positions.count; place += 1) {
        const position = market.positions.at(place);
        if (position.triggers !== undefined) market.positions.park(market, position, 0);
      }
    }
    venue.turn(sequenced, events);
  },
});

/** A venue that marks one position as settled for a period that has yet to end. */
const forgetting: Around = (venue) => ({
  turn: (sequenced, events) => {
    const market = venue.state.markets[1];
    if (market !== undefined && market.positions.count > 0) market.positions.at(0).fundingPeriod = market.funding.period + 1;
    venue.turn(sequenced, events);
  },
});

const HOURS = 3_600_000;
/** All maintenance rates, multiplied: the initial rates follow their ratios and stay as they are. */
const scaled = ({ maintenanceMarginTiers }: MarketSpecification, factor: number) => ({
  maintenanceMarginTiers: maintenanceMarginTiers.map((tier) => ({
    ...tier,
    maintenanceMarginBps: inBps(tier.maintenanceMarginBps * factor),
  })),
});

function lose<Field extends string>(from: Record<Field, number>, field: Field): void {
  from[field] -= 1;
}

const inBps = (value: number) => value as MarketSpecification['takerFeeBps'];

test('finds nothing in a venue without a fault', () => expect(faultIn(undefined)).toBeUndefined());

describe('finds a venue that', () => {
  const faults: [name: string, around: Around, check: Check, says: RegExp][] = [
    [
      'uses a price for hours',
      ruledBy(() => ({ maxIndexAgeMs: 6 * HOURS })),
      'index',
      /with an index that is stale|its observations give .* \(stale\)/,
    ],
    ['uses any jump', ruledBy(() => ({ maxIndexJumpBps: inBps(10_000) })), 'index', /observations give .* \(unconfirmed\)/],
    [
      'uses a jump that was observed twice',
      ruledBy(() => ({ indexConfirmations: 1 })),
      'index',
      /observations give .* \(unconfirmed\)/,
    ],
    ['keeps the mark price too near the index', ruledBy(() => ({ markBandBps: inBps(1) })), 'mark', /has a mark price of/],
    [
      'dates prices by their arrival',
      receiving((command, now) =>
        command.type === 'PublishIndexPrice'
          ? { ...command, observedAtEpochMs: now as typeof command.observedAtEpochMs }
          : command,
      ),
      'index',
      /uses an index of/,
    ],
    [
      'uses another price',
      receiving((command) =>
        command.type === 'PublishIndexPrice'
          ? { ...command, priceAtoms: (command.priceAtoms + 1) as typeof command.priceAtoms }
          : command,
      ),
      'index',
      /uses an index of/,
    ],
    ['liquidates too late', ruledBy((market) => scaled(market, 0.8)), 'liquidation', /requires .*, the event|is not liquidated/],
    ['liquidates too early', ruledBy((market) => scaled(market, 1.2)), 'liquidation', /requires .*, the event|is not due/],
    ['takes more for liquidations', ruledBy(() => ({ liquidationFeeBps: inBps(90) })), 'settlement', /feeAtoms of position/],
    ['parks positions that it should close', parkingAll, 'liquidation', /is not liquidated/],
    [
      'ends funding periods too early',
      ruledBy(() => ({ fundingPeriodMs: HOURS / 6 })),
      'funding',
      /it is to end at|was to end at/,
    ],
    [
      'forgets the funding of a position',
      forgetting,
      'funding',
      /never settled their funding|the funding ledger has 0, unfinished periods collected/,
    ],
    ['takes higher fees', ruledBy(() => ({ takerFeeBps: inBps(6) })), 'reservation', /account .* reserves .* need/],
    [
      'reserves less margin',
      ruledBy((market) => ({ initialMarginBps: inBps(market.initialMarginBps - 20) })),
      'reservation',
      /order 1 reserves at 570 bps/,
    ],
  ];
  test.each(faults)('%s', (_, around, check, description) => {
    const fault = faultIn(around);
    expect(fault?.message).toMatch(description);
    expect(fault).toBeInstanceOf(AuditFailed);
    expect((fault as AuditFailed).check).toBe(check);
  });

  test('deleverages in a market without auto-deleveraging', () => {
    const markets = CRASH_MARKETS.map((market) => ({ ...market, autoDeleveraging: false }));
    const fault = faultIn(
      ruledBy(() => ({ autoDeleveraging: true })),
      { markets },
    );
    expect(fault?.message).toMatch(/in a market without auto-deleveraging/);
  });
});

describe('finds an atom that is lost after a thousand turns', () => {
  const losses: [from: string, around: Around, check: Check][] = [
    ['the cash of an account', afterTurns(1_000, (venue) => lose(venue.state.accounts[1]!, 'cashAtoms')), 'money'],
    [
      'the margin of a position',
      afterTurns(1_000, (venue) => lose(venue.state.markets[1]!.positions.at(0), 'marginAtoms')),
      'margin',
    ],
    [
      'the entry of a position',
      afterTurns(1_000, (venue) => lose(venue.state.markets[1]!.positions.at(0), 'entryNotionalAtoms')),
      'settlement',
    ],
    ['the insurance fund', afterTurns(1_000, (venue) => lose(venue.state.ledgers, 'insurance')), 'ledger'],
    ['the fees', afterTurns(1_000, (venue) => lose(venue.state.ledgers, 'fees')), 'ledger'],
  ];
  test.each(losses)('in %s, by the invariants at once', (_, around) => {
    expect(faultIn(around, { invariantsEvery: 1 })).toBeInstanceOf(InvariantBroken);
  });
  test.each(losses)('in %s, by the events alone', (_, around, check) => {
    expect((faultIn(around) as AuditFailed).check).toBe(check);
  });
});
