/**
 * The checkers find a venue that does not do as it should: the real core, with something put around it that makes it go by
 * other rules than those that were published, hear other prices than those that were sent, or lose money on the way.
 */
import { describe, expect, test } from 'vitest';
import { CandlePath } from '#prices/candle-path.ts';
import { seededRandom } from '#simulation/seeded-random.ts';
import type { Command } from '#venue/command.ts';
import { InvariantBroken } from '#venue/invariants.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import type { Venue } from '#venue/venue.ts';
import { BooksDiffer } from './bookkeeper.ts';
import type { TurnTaker } from './checked-venue.ts';
import { CRASH_MARKETS } from './crash-parameters.ts';
import { type CrashPlan, runCrash } from './crash-run.ts';
import { FundingDiffers } from './funding-keeper.ts';
import { IndexIgnored } from './index-watch.ts';
import { LiquidationWrong } from './liquidation-watch.ts';
import { OrdersDiffer } from './order-keeper.ts';
import { BTC_CRASH, ETH_CRASH, syntheticCrash } from './synthetic-crash.ts';

type Around = (venue: Venue) => TurnTaker;

/** Short, with an hour that ends in the outage. */
const MINUTES = { calm: 50, outage: 20, slide: 30, plunge: 30, recovery: 5 };

/** What the first checker to find fault says. */
function faultIn(around: Around | undefined, options: Partial<CrashPlan> = {}): Error | undefined {
  const random = seededRandom(519);
  const paths = [BTC_CRASH, ETH_CRASH].map((shape) => new CandlePath(syntheticCrash(shape, random, MINUTES)));
  const [fromEpochMs, toEpochMs] = [paths[0]!.beginsAtEpochMs, paths[0]!.endsAtEpochMs];
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

/** A venue that is told something else than what it was sent. */
function hearing(change: (command: Command, epochMs: number) => Command): Around {
  return (venue) => ({
    turn: (sequenced, events) => venue.turn({ ...sequenced, command: change(sequenced.command, sequenced.epochMs) }, events),
  });
}

/** A venue whose markets follow other rules than those that were published. */
function ruledBy(change: (market: MarketSpecification) => Partial<MarketSpecification>): Around {
  return hearing((command) => {
    if (command.type !== 'ListMarket') return command;
    return { ...command, specification: { ...command.specification, ...change(command.specification) } };
  });
}

/** A venue in whose state something happens after so many turns that no command asked for. */
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

/** A venue that takes positions from those that are watched, before every price: it looks at four of them again. */
const settingAside: Around = (venue) => ({
  turn: (sequenced, events) => {
    const market = venue.state.markets[1];
    if (sequenced.command.type === 'PublishIndexPrice' && market !== undefined) {
      for (let place = 0; place < market.positions.count; place += 1) {
        const position = market.positions.at(place);
        if (position.triggers !== undefined) market.positions.park(market, position, false);
      }
    }
    venue.turn(sequenced, events);
  },
});

/** A venue that takes one position to have settled a period that has yet to end. */
const forgetting: Around = (venue) => ({
  turn: (sequenced, events) => {
    const market = venue.state.markets[1];
    if (market !== undefined && market.positions.count > 0) market.positions.at(0).fundingPeriod = market.funding.period + 1;
    venue.turn(sequenced, events);
  },
});

const HOURS = 3_600_000;
/** The first maintenance rate, so much higher. */
const first = ({ maintenanceMarginTiers: [tier, ...rest] }: MarketSpecification, by: number) => ({
  maintenanceMarginTiers: [{ ...tier!, maintenanceMarginBps: inBps(tier!.maintenanceMarginBps + by) }, ...rest],
});

function lose<Field extends string>(from: Record<Field, number>, field: Field): void {
  from[field] -= 1;
}

const inBps = (value: number) => value as MarketSpecification['takerFeeBps'];

test('in a venue without a fault none is found', () => expect(faultIn(undefined)).toBeUndefined());

describe('of a venue that follows other rules it is found that', () => {
  const faults: [name: string, around: Around, error: new (how: string) => Error, says: RegExp][] = [
    [
      'it relies on a price for hours',
      ruledBy(() => ({ maxIndexAgeMs: 6 * HOURS })),
      IndexIgnored,
      /has no index to go by|ms old/,
    ],
    ['it believes any jump', ruledBy(() => ({ maxIndexJumpBps: inBps(10_000) })), IndexIgnored, /jumped from .* at once/],
    [
      'it believes a jump that was seen twice',
      ruledBy(() => ({ indexConfirmations: 1 })),
      IndexIgnored,
      /jumped from .* at once/,
    ],
    ['it lets the book move the mark too far', ruledBy(() => ({ markBandBps: inBps(1_000) })), IndexIgnored, /has a mark of/],
    [
      'it dates prices by their arrival',
      hearing((command, now) =>
        command.type === 'PublishIndexPrice'
          ? { ...command, observedAtEpochMs: now as typeof command.observedAtEpochMs }
          : command,
      ),
      IndexIgnored,
      /which nobody published/,
    ],
    [
      'it hears another price',
      hearing((command) =>
        command.type === 'PublishIndexPrice'
          ? { ...command, priceAtoms: (command.priceAtoms + 1) as typeof command.priceAtoms }
          : command,
      ),
      IndexIgnored,
      /which nobody published/,
    ],
    ['it liquidates too late', ruledBy((market) => first(market, -15)), LiquidationWrong, /tells a requirement|is left alone/],
    ['it liquidates too early', ruledBy((market) => first(market, 15)), LiquidationWrong, /tells a requirement|is not due/],
    ['its liquidations cost more', ruledBy(() => ({ liquidationFeeBps: inBps(90) })), LiquidationWrong, /paid a fee of/],
    ['it sets aside whom it should close', settingAside, LiquidationWrong, /is left alone/],
    [
      'it ends funding periods too early',
      ruledBy(() => ({ fundingPeriodMs: HOURS / 6 })),
      FundingDiffers,
      /two periods ended within one/,
    ],
    ['it lets somebody off the funding', forgetting, FundingDiffers, /never settled their funding/],
    ['it takes higher fees', ruledBy(() => ({ takerFeeBps: inBps(6) })), OrdersDiffer, /paid a fee of|reserves/],
    [
      'it asks for less margin',
      ruledBy((market) => ({ initialMarginBps: inBps(market.initialMarginBps - 20) })),
      OrdersDiffer,
      /reserves at 180 bps/,
    ],
  ];
  test.each(faults)('%s', (_, around, error, says) => {
    const fault = faultIn(around);
    expect(fault).toBeInstanceOf(error);
    expect(fault?.message).toMatch(says);
  });

  test('it deleverages where nobody is', () => {
    const markets = CRASH_MARKETS.map((market) => ({ ...market, autoDeleveraging: false }));
    const fault = faultIn(
      ruledBy(() => ({ autoDeleveraging: true })),
      { markets },
    );
    expect(fault).toBeInstanceOf(LiquidationWrong);
    expect(fault?.message).toMatch(/in a market that has none/);
  });
});

describe('an atom that is lost after a thousand turns is found', () => {
  const losses: [from: string, around: Around][] = [
    ['the cash of an account', afterTurns(1_000, (venue) => lose(venue.state.accounts[1]!, 'cashAtoms'))],
    ['the margin of a position', afterTurns(1_000, (venue) => lose(venue.state.markets[1]!.positions.at(0), 'marginAtoms'))],
    [
      'the entry of a position',
      afterTurns(1_000, (venue) => lose(venue.state.markets[1]!.positions.at(0), 'entryNotionalAtoms')),
    ],
    ['the insurance fund', afterTurns(1_000, (venue) => lose(venue.state.ledgers, 'insurance'))],
    ['the fees', afterTurns(1_000, (venue) => lose(venue.state.ledgers, 'fees'))],
  ];
  test.each(losses)('in %s, by the invariants at once', (_, around) => {
    expect(faultIn(around, { invariantsEvery: 1 })).toBeInstanceOf(InvariantBroken);
  });
  test.each(losses)('in %s, by who reads the events alone', (_, around) => {
    const fault = faultIn(around);
    expect([BooksDiffer, LiquidationWrong, FundingDiffers]).toContain(fault?.constructor);
  });
});
