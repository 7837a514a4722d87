/** The watches over liquidations and the index find the faults that are theirs, each alone, in the turns of a small crash. */
import { describe, expect, test } from 'vitest';
import type { VenueEvent } from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { IndexIgnored, IndexWatch } from './index-watch.ts';
import { LiquidationWatch, LiquidationWrong } from './liquidation-watch.ts';
import { BANKRUPT, LIQUIDATED, type RecordedTurn, SMALL_MARKETS, WINNER } from './testing/small-crash.ts';
import { edit, type Fault, type Of, off, type Tamper, TURNS, tampered, without } from './testing/tampering.ts';

describe('the watch over liquidations', () => {
  const watch = (turns: readonly RecordedTurn[], markets: readonly MarketSpecification[] = SMALL_MARKETS) => {
    const liquidations = new LiquidationWatch(markets);
    for (const { events } of turns) liquidations.turn(events);
  };
  const withSpecification = (change: Partial<MarketSpecification>) =>
    watch(
      TURNS,
      SMALL_MARKETS.map((market) => ({ ...market, ...change })),
    );

  test('finds nothing in liquidations that are right', () => watch(TURNS));

  /** Everything that a turn does after its price. */
  const noLiquidation: Tamper = (turn) => ({
    ...turn,
    events: turn.events.slice(0, turn.events.findIndex(({ type }) => type === 'LiquidationStarted') >>> 0),
  });
  const hasCover = ({ kind }: Of<'CashPosted'>) => kind === 'insurance_cover';
  const takesFee = ({ account, kind }: Of<'CashPosted'>) => account === LIQUIDATED && kind === 'liquidation_fee';
  /** A fee out of cash, in the fill that its position could not pay it from. */
  const feeFromCash = off('CashPosted', 'amountAtoms', -1, (event) => hasCover(event));

  const faults: Fault[] = [
    ['somebody who is left alone below maintenance', noLiquidation, /is left alone/],
    ['a liquidation at a mark that is not the market’s', off('LiquidationStarted', 'markPriceAtoms', -1), /goes by a mark/],
    ['a liquidation that tells another equity', off('LiquidationStarted', 'equityAtoms', -1), /tells an equity/],
    [
      'a liquidation that tells another requirement',
      off('LiquidationStarted', 'maintenanceRequirementAtoms', 1),
      /tells a requirement/,
    ],
    [
      'a liquidation that is not due',
      off('MarketPriced', 'markPriceAtoms', 5_000, ({ markPriceAtoms }) => markPriceAtoms === 391_000),
      /goes by a mark|is not due/,
    ],
    ['a liquidation of another episode', off('LiquidationStarted', 'position', 1), /is of/],
    ['a bankruptcy at another price', off('LiquidationStarted', 'bankruptcyPriceAtoms', 1), /tells a bankruptcy/],
    [
      'a cover of an atom more than needed',
      off('CashPosted', 'amountAtoms', 1, hasCover),
      /was covered with 5470885, it needed 5470884/,
    ],
    ['a cover that falls short, and cash that pays for it', feeFromCash, /lost 1 of its cash/],
    [
      'a liquidation fee beyond its rate',
      off('CashPosted', 'amountAtoms', -1, takesFee),
      /paid a fee of 194250001 instead of 194250000/,
    ],
    [
      'margin that leaves before the end',
      off(
        'CashPosted',
        'amountAtoms',
        1,
        ({ account, kind, amountAtoms }) => account === BANKRUPT && kind === 'margin_release' && amountAtoms === 166_529_116,
      ),
      /gave its account 1 before its end/,
    ],
    ['a liquidation fee that was let off', without('CashPosted', takesFee), /paid a fee of 0 instead of/],
    [
      'a deleveraging at another price',
      off('OrderFilled', 'priceAtoms', 1, ({ order }) => order === 9),
      /is at 391775, its bankruptcy at 391774/,
    ],
    [
      'a bankrupt position that is told to be deleveraged',
      edit(
        'PositionChanged',
        (event) => [{ ...event, cause: 'auto_deleveraging' }],
        ({ account, cause }) => account === BANKRUPT && cause === 'liquidation',
      ),
      /was moved by auto_deleveraging, not by liquidation/,
    ],
    [
      'a deleveraging for one that has something left at the mark',
      off('MarketPriced', 'markPriceAtoms', 1_500, ({ markPriceAtoms }) => markPriceAtoms === 391_000),
      /goes by a mark|is of one that has/,
    ],
    ['a deleveraging that costs a fee', off('OrderFilled', 'feeAtoms', 1, ({ order }) => order === 10), /cost a fee of 1/],
    [
      'somebody who pays cash to be deleveraged',
      off('CashPosted', 'amountAtoms', -8_000_000_000, ({ account, kind }) => account === WINNER && kind === 'realized_pnl'),
      /lost .* of its cash/,
    ],
    [
      'somebody closed at a price that makes him bankrupt',
      off('OrderFilled', 'priceAtoms', 50_000, ({ order }) => order === 10),
      /leaves it with/,
    ],
    ['a position closed though nothing is liquidated', without('LiquidationStarted'), /nothing is liquidated|is left alone/],
  ];
  test.each(faults)('finds %s', (_, tamper, says) => {
    const turns = tampered(tamper);
    expect(() => watch(turns)).toThrow(LiquidationWrong);
    expect(() => watch(turns)).toThrow(says);
  });

  test('finds deleveraging where there is none', () => {
    expect(() => withSpecification({ autoDeleveraging: false })).toThrow(/in a market that has none/);
  });
});

describe('the watch over the index', () => {
  const watch = (turns: readonly RecordedTurn[]) => {
    const index = new IndexWatch(SMALL_MARKETS);
    for (const { events, epochMs, sent } of turns) {
      if (sent !== undefined) index.published(1, sent);
      index.turn(events, epochMs);
    }
  };

  test('finds nothing in an index that is heeded', () => watch(TURNS));

  /** Lets a turn happen later than it did, and so with an older price. */
  const later =
    (type: VenueEvent['type'], ms: number): Tamper =>
    (turn) =>
      turn.events.some((event) => event.type === type) ? { ...turn, epochMs: turn.epochMs + ms } : turn;
  const lastTurn = TURNS.at(-1)!;
  const opening = TURNS.flatMap(({ events }) => events).find((event) => event.type === 'OrderAccepted')!;

  const faults: Fault[] = [
    ['a price that nobody published', off('MarketPriced', 'indexPriceAtoms', 1), /which nobody published/],
    ['a price under another date', off('MarketPriced', 'observedAtEpochMs', 50), /which nobody published/],
    ['a price that is too old', later('MarketPriced', 31_000), /ms old/],
    [
      'a jump that holds at once',
      edit(
        'MarketPriced',
        (event) => [
          {
            ...event,
            indexPriceAtoms: 360_000,
            markPriceAtoms: 360_000,
            observedAtEpochMs: event.observedAtEpochMs + 10_000,
            indexStatus: 'current',
          },
        ],
        ({ indexStatus }) => indexStatus === 'unconfirmed',
      ),
      /jumped from 387000 to 360000 at once/,
    ],
    [
      'an index that stays with what others have followed',
      edit(
        'MarketPriced',
        (event) => [{ ...event, indexStatus: 'current' }],
        ({ indexStatus }) => indexStatus === 'unconfirmed',
      ),
      /that others have followed/,
    ],
    [
      'a liquidation without an index',
      edit(
        'MarketPriced',
        (event) => [{ ...event, indexStatus: 'stale' }],
        ({ markPriceAtoms }) => markPriceAtoms === 391_000,
      ),
      /the liquidation of account 2 goes on/,
    ],
    [
      'funding without an index',
      edit(
        'MarketPriced',
        (event) => [{ ...event, indexStatus: 'unconfirmed' }],
        ({ indexPriceAtoms }) => indexPriceAtoms === 400_003,
      ),
      /funding period 1 goes on/,
    ],
    [
      'an order that opens in the silence',
      (turn) => (turn === lastTurn ? { ...turn, events: [{ ...opening, order: 15 as typeof opening.order }] } : turn),
      /order 15, which opens, goes on/,
    ],
  ];
  test.each(faults)('finds %s', (_, tamper, says) => {
    const turns = tampered(tamper);
    expect(() => watch(turns)).toThrow(IndexIgnored);
    expect(() => watch(turns)).toThrow(says);
  });
});
