/**
 * A flow of orders as commands of the whole venue. The venue numbers only accepted orders, and refuses some for lack of margin;
 * so a venue processes the commands while they are generated, and they use its numbers.
 */
import type { BookCommands } from '#simulation/book-commands.ts';
import { SCENARIO_MARKET } from '#simulation/scenario.ts';
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, Sequence } from '#units/ids.ts';
import type { EpochMs, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { Command, PlaceOrder } from '#venue/command.ts';
import { ByteWriter } from '#venue/record/cursor.ts';
import { EventWriter } from '#venue/record/event-writer.ts';
import { type SequencedCommand, Venue } from '#venue/venue.ts';
import type { OrderFlow } from './order-flow.ts';
import { MIDDLE } from './order-flow.ts';

/** The time of the flow's first command and price. */
export const FLOW_START_EPOCH_MS = 1_700_000_000_000;
/** One in this many accounts has barely enough margin for its orders. */
const POOR_EVERY = 20;
const POOR = 3_000_000_000 as QuoteAtoms;
const RICH = 5_000_000_000_000 as QuoteAtoms;

export interface TurnCommands {
  readonly commands: readonly SequencedCommand[];
  /** The first commands list markets, open accounts and build the books up, before the clock starts. */
  readonly untimed: number;
}

export function turnCommands(flow: OrderFlow): TurnCommands {
  return new TurnMaker(flow).make();
}

class TurnMaker {
  readonly #flow: OrderFlow;
  readonly #venue = new Venue();
  readonly #events = new EventWriter(new ByteWriter());
  readonly #bytes = new ByteWriter();
  readonly #commands: SequencedCommand[] = [];
  readonly #marks: PriceAtoms[] = [];
  /** By the flow's number of an order: the venue's number, and its account. */
  readonly #ordinals = new Map<OrderOrdinal, readonly [OrderOrdinal, AccountOrdinal]>();

  constructor(flow: OrderFlow) {
    this.#flow = flow;
    this.#events = new EventWriter(this.#bytes);
  }

  make(): TurnCommands {
    const { commands, untimed, profile } = this.#flow;
    for (let market = 1; market <= profile.markets; market += 1) {
      const marketId = `M${market}-USD-PERP`;
      this.#carryOut({ type: 'ListMarket', specification: { ...SCENARIO_MARKET, marketId }, status: 'open' });
      this.#publish(market as MarketOrdinal, MIDDLE as PriceAtoms);
    }
    for (let account = 1; account <= profile.accounts; account += 1) this.#open(account as AccountOrdinal);
    for (let place = 0; place < untimed; place += 1) this.#follow(commands, place);
    const start = this.#commands.length;
    for (let place = untimed; place < commands.count; place += 1) this.#follow(commands, place);
    return { commands: this.#commands, untimed: start };
  }

  #open(account: AccountOrdinal): void {
    const amountAtoms = account % POOR_EVERY === 0 ? POOR : RICH;
    this.#carryOut({ type: 'OpenAccount', label: `trader ${account}`, partyId: `party-${account}`, digestSeed: account });
    this.#carryOut({ type: 'CreditCash', account, amountAtoms, reference: 'bench' });
  }

  #follow(commands: BookCommands, place: number): void {
    const order = commands.orderAt(place);
    if (commands.kindAt(place) === 'cancel') {
      const known = this.#ordinals.get(order);
      if (known !== undefined) this.#carryOut({ type: 'CancelOrder', account: known[1], order: known[0] });
      return;
    }
    const market = commands.marketAt(place);
    if (commands.markAt(place) !== this.#marks[market]) this.#publish(market, commands.markAt(place));
    const { state } = this.#venue;
    const before = state.lastOrder;
    const command = placeOrder(commands, place);
    this.#carryOut(command);
    if (state.lastOrder > before) this.#ordinals.set(order, [state.lastOrder, command.account]);
  }

  #publish(market: MarketOrdinal, priceAtoms: PriceAtoms): void {
    this.#marks[market] = priceAtoms;
    const observedAtEpochMs = (FLOW_START_EPOCH_MS + this.#commands.length) as EpochMs;
    this.#carryOut({ type: 'PublishIndexPrice', market, priceAtoms, observedAtEpochMs });
  }

  #carryOut(command: Command): void {
    const sequence = (this.#commands.length + 1) as Sequence;
    const sequenced: SequencedCommand = { sequence, epochMs: (FLOW_START_EPOCH_MS + sequence) as EpochMs, command };
    this.#commands.push(sequenced);
    this.#bytes.reset();
    this.#events.restart();
    this.#venue.turn(sequenced, this.#events);
  }
}

function placeOrder(commands: BookCommands, place: number): PlaceOrder {
  const quantityAtoms = commands.quantityAt(place);
  const limit = { kind: 'limit', priceAtoms: commands.priceAt(place), quantityAtoms, postOnly: false } as const;
  return {
    type: 'PlaceOrder',
    account: commands.accountAt(place),
    market: commands.marketAt(place),
    clientOrderId: received(`client-order-${commands.orderAt(place)}`),
    side: commands.sideAt(place),
    terms: commands.kindAt(place) === 'limit' ? limit : { kind: 'market', quantityAtoms },
    reduceOnly: false,
    leverageHundredths: 0,
    idempotencyKey: received(`idempotency-key-${commands.orderAt(place)}`),
  };
}

/** A copy of the command. */
export function arriving(sequenced: SequencedCommand): SequencedCommand {
  const { command } = sequenced;
  if (command.type !== 'PlaceOrder') return { ...sequenced, command: { ...command } };
  const clientOrderId = received(command.clientOrderId);
  const idempotencyKey = received(command.idempotencyKey);
  return { ...sequenced, command: { ...command, clientOrderId, idempotencyKey, terms: { ...command.terms } } };
}

/** A string as it arrives over a connection: flat, not a concatenation of parts. */
function received(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
