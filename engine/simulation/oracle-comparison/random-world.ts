/** The commands of a random world, one after the other. The same seed draws the same commands as long as the oracle predicts the same. */
import type { Command } from '#oracle/command.ts';
import type { World } from '#oracle/world.ts';
import type { TimedCommand } from './comparison.ts';
import { Dice } from './dice.ts';
import type { Move, Step } from './order-moves.ts';
import * as orders from './order-moves.ts';
import * as scenes from './scenes.ts';
import * as triggers from './trigger-moves.ts';
import * as venue from './venue-moves.ts';
import { drawTerms, type WorldTerms } from './world-terms.ts';

const START_EPOCH_MS = 1_700_000_000_000;
const DAY_MS = 86_400_000;

/** How often each move is drawn. */
const MOVES: readonly (readonly [weight: number, move: Move])[] = [
  [22, orders.quote],
  [6, orders.ladder],
  [16, orders.take],
  [6, orders.reduce],
  [4, orders.exit],
  [4, orders.cancel],
  [2, orders.blunder],
  [5, orders.amend],
  [1, orders.chooseLeverage],
  [16, venue.walk],
  [4, venue.jump],
  [5, venue.slide],
  [1, venue.stray],
  [2, venue.advance],
  [2, venue.endDueOrders],
  [3, venue.setTimer],
  [3, venue.update],
  [1, venue.stop],
  [4, venue.moveMoney],
  [2, venue.adjustMargin],
  [2, scenes.twins],
  [4, scenes.straddle],
  [1, scenes.straddlesAtMidnight],
  [4, scenes.recovery],
  [1, scenes.oldTrade],
  [1, scenes.equalExits],
  [1, scenes.atThreshold],
  [1, scenes.expiry],
  [1, scenes.tightened],
  [2, scenes.tightenedBesideIndex],
  [3, scenes.thinBook],
  [7, triggers.protect],
  [4, triggers.breakout],
  [2, triggers.linked],
  [4, triggers.protectedEntry],
  [3, triggers.legsInParts],
  [5, triggers.reach],
  [2, triggers.tradeThrough],
  [2, triggers.wrongTrigger],
  [1, triggers.restsBehind],
  [1, triggers.staleTrade],
  [1, triggers.manyStops],
];
const DECK = MOVES.flatMap(([weight, move]) => Array.from({ length: weight }, () => move));

export class RandomWorld {
  readonly #dice: Dice;
  readonly #terms: WorldTerms;
  readonly #queue: (Command | Step)[] = [];
  #epochMs = START_EPOCH_MS;
  #ids = 0;

  constructor(seed: number) {
    this.#dice = new Dice(seed);
    this.#terms = drawTerms(this.#dice);
    this.#queue.push(...this.#openingCommands());
  }

  /** The next command, drawn from the world after the last one. */
  next(world: World): TimedCommand {
    while (this.#queue.length === 0) this.#queue.push(...this.#draw(world));
    const next = this.#queue.shift()!;
    const { command, afterMs } = 'command' in next ? next : { command: next, afterMs: undefined };
    this.#epochMs += afterMs ?? this.#pause(world);
    return { epochMs: this.#epochMs, command: venue.observed(command, this.#epochMs) };
  }

  #openingCommands(): Command[] {
    const { specifications, accounts, depositAtoms, insuranceAtoms, startPrice } = this.#terms;
    return [
      ...specifications.flatMap<Command>((specification, index) => [
        { type: 'ListMarket', specification, status: 'open' },
        { type: 'PublishIndexPrice', market: index + 1, priceAtoms: startPrice, observedAtEpochMs: START_EPOCH_MS },
      ]),
      ...Array.from({ length: accounts }, (_, index) => index + 1).flatMap<Command>((account) => [
        { type: 'OpenAccount', label: `trader ${account}`, partyId: `party-${account}`, digestSeed: account },
        { type: 'CreditCash', account, amountAtoms: depositAtoms, reference: 'test' },
      ]),
      { type: 'OpenAccount', label: 'no party', partyId: '', digestSeed: 1 },
      ...(insuranceAtoms === 0 ? [] : [{ type: 'CreditInsurance', amountAtoms: insuranceAtoms, reference: 'test' } as const]),
    ];
  }

  #draw(world: World): readonly (Command | Step)[] {
    const market = this.#dice.one(world.markets);
    const stage = {
      dice: this.#dice,
      world,
      market,
      // The account without a party is drawn too, rarely.
      accounts: this.#terms.accounts + (this.#dice.chance(3) ? 1 : 0),
      maxLots: this.#terms.maxLots,
      nextId: () => {
        this.#ids += 1;
        return `order-${this.#ids}`;
      },
    };
    if (market.status !== 'open' && market.status !== 'closed' && this.#dice.chance(25)) return venue.reopen(stage);
    return this.#dice.one(DECK)(stage);
  }

  /** Mostly short; sometimes long enough for the index to be stale, a period to end, or a day to pass. */
  #pause(world: World): number {
    if (world.markets.length === 0) return 1;
    const drawn = this.#dice.integer(1, 1_000);
    if (drawn <= 2) return this.#dice.integer(DAY_MS / 2, DAY_MS);
    if (drawn <= 12) return this.#dice.integer(30_000, 100_000);
    return drawn <= 500 ? this.#dice.integer(1, 20) : this.#dice.integer(20, 6_000);
  }
}
