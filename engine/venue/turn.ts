/**
 * One turn of a venue: the state that it reads and changes, its time, and the events that it emits. A venue has one turn
 * and reuses it with its working objects, so that a turn of a thousand fills allocates nothing for them.
 */
import type { EpochMs } from '#units/money.ts';
import { ZERO_QUOTE } from '#units/money.ts';
import { Match, MatchSide, MatchTerms, Taker } from './order/match.ts';
import { Incoming, MatchPlan } from './order/match-plan.ts';
import { RestingOrder } from './order/order-table.ts';
import { PlacementPlan } from './order/placement-plan.ts';
import { blankFillEffect, blankHolding, type Position } from './position/position.ts';
import { Drafts } from './record/drafts.ts';
import type { EventWriter } from './record/event-writer.ts';
import type { VenueState } from './state.ts';

/** An order that joins the book, and what its account reserves after it: the fields of the event. */
class RestedOrder extends RestingOrder {
  accountReservedAtoms = ZERO_QUOTE;
}

export class Turn {
  readonly state: VenueState;
  now = 0 as EpochMs;
  /** Set by {@link begin}: planning emits nothing. */
  events!: EventWriter;

  /** The plan of the last placement. */
  readonly plan = new PlacementPlan();
  /** What the position that is being liquidated meets in the book. */
  readonly closing = new MatchPlan();
  readonly incoming = new Incoming();
  readonly drafts = new Drafts();
  readonly rested = new RestedOrder();

  /** The match that is being settled, and its sides. */
  readonly match = new Match();
  readonly taker = new Taker();
  readonly makerSide = new MatchSide();
  readonly takerSide = new MatchSide();
  /** The side that is deleveraged: its order only closes, so it locks no margin. */
  readonly deleveragedSide = new MatchSide();
  readonly effect = blankFillEffect();
  /** Positions with reduce-only orders that fills of this plan have changed. */
  readonly changedPositions: Position[] = [];

  /** For one calculation at a time: no function calls another between filling it in and reading it. */
  readonly holding = blankHolding();
  readonly terms = new MatchTerms();

  constructor(state: VenueState) {
    this.state = state;
    this.takerSide.liquidity = 'taker';
    this.deleveragedSide.cause = 'auto_deleveraging';
    this.deleveragedSide.lockLimitAtoms = ZERO_QUOTE;
  }

  begin(now: EpochMs, events: EventWriter): void {
    this.now = now;
    this.events = events;
  }
}
