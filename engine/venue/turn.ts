/**
 * One turn of a venue: its state, its time, and the writer of its events. A venue reuses one `Turn` with its working objects,
 * so that a turn of a thousand fills does not allocate them.
 */
import type { EpochMs } from '#units/money.ts';
import { ZERO_QUOTE } from '#units/money.ts';
import { PaperPlan } from './agent/paper-plan.ts';
import { Match, MatchSide, MatchTerms, Taker } from './order/match.ts';
import { Incoming, MatchPlan } from './order/match-plan.ts';
import { RestingOrder } from './order/order-table.ts';
import { PlacementPlan } from './order/placement-plan.ts';
import { blankFillEffect, blankHolding, type Position } from './position/position.ts';
import { Drafts } from './record/drafts.ts';
import type { EventWriter } from './record/event-writer.ts';
import { RISK_RULES, type RiskRules } from './risk/risk-rules.ts';
import type { VenueState } from './state.ts';

/** The fields of `OrderRested`: the order, and its account's whole reservation after it. */
class RestedOrder extends RestingOrder {
  accountReservedAtoms = ZERO_QUOTE;
}

export class Turn {
  readonly state: VenueState;
  readonly rules: RiskRules;
  now = 0 as EpochMs;
  /** Set by {@link begin}. A preview does not set it, because planning emits nothing. */
  events!: EventWriter;

  /** The plan of the last placement. */
  readonly plan = new PlacementPlan();
  /** The plan of the last paper order. Its matches are those of `plan`. */
  readonly paper = new PaperPlan();
  /** The matches of a liquidation with the book. */
  readonly closing = new MatchPlan();
  readonly incoming = new Incoming();
  readonly drafts = new Drafts();
  readonly rested = new RestedOrder();

  /** The match in settlement, and its sides. */
  readonly match = new Match();
  readonly taker = new Taker();
  readonly makerSide = new MatchSide();
  readonly takerSide = new MatchSide();
  /** The deleveraged side. Its order only closes a position, so it locks no margin. */
  readonly deleveragedSide = new MatchSide();
  readonly effect = blankFillEffect();
  /** Positions with reduce-only orders that fills of this plan changed. */
  readonly changedPositions: Position[] = [];

  /** Scratch objects for one calculation at a time: between writing and reading them, no function may call another that uses them. */
  readonly holding = blankHolding();
  readonly terms = new MatchTerms();

  constructor(state: VenueState, rules: RiskRules = RISK_RULES) {
    this.state = state;
    this.rules = rules;
    this.takerSide.liquidity = 'taker';
    this.deleveragedSide.cause = 'auto_deleveraging';
    this.deleveragedSide.lockLimitAtoms = ZERO_QUOTE;
  }

  begin(now: EpochMs, events: EventWriter): void {
    this.now = now;
    this.events = events;
  }
}
