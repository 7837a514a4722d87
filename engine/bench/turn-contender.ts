/**
 * Whole turns of the venue: every rule from idempotent ids to margin, positions, fees and liquidation, and every event as
 * the bytes that the journal gets. Memory alone: no disk, no digest.
 */
import { ByteReader, ByteWriter } from '#venue/record/cursor.ts';
import { readEvent } from '#venue/record/event-reader.ts';
import { EventWriter } from '#venue/record/event-writer.ts';
import { Venue } from '#venue/venue.ts';
import type { Contender } from './contender.ts';
import type { OrderFlow } from './order-flow.ts';
import { percent, thousands } from './prose.ts';
import { type TurnCommands, turnCommands } from './turn-commands.ts';

export class TurnContender implements Contender {
  readonly operations: number;
  readonly version = 'this tree';
  readonly manner = 'whole turns';
  readonly work: string;
  readonly #turns: TurnCommands;
  readonly #bytes = new ByteWriter();
  readonly #events = new EventWriter(this.#bytes);
  #venue = new Venue();

  constructor(flow: OrderFlow) {
    this.#turns = turnCommands(flow);
    const { commands, untimed } = this.#turns;
    this.operations = commands.length - untimed;
    this.work = describe(commands.slice(untimed).map(({ command }) => command.type));
  }

  prepare(): void {
    this.#venue = new Venue();
    this.#turn(0, this.#turns.untimed);
  }

  run(): void {
    this.#turn(this.#turns.untimed, this.#turns.commands.length);
  }

  /** Events by name, refusals by code. */
  outcome(): object {
    const counts: Record<string, number> = {};
    this.#venue = new Venue();
    for (let place = 0; place < this.#turns.commands.length; place += 1) {
      this.#turn(place, place + 1);
      if (place < this.#turns.untimed) continue;
      const reader = new ByteReader(this.#bytes.copy());
      for (let event = 0; event < this.#events.count; event += 1) {
        const it = readEvent(reader);
        const name = it.type === 'CommandRefused' ? `refused: ${it.code}` : it.type;
        counts[name] = (counts[name] ?? 0) + 1;
      }
    }
    return counts;
  }

  #turn(from: number, to: number): void {
    const { commands } = this.#turns;
    for (let place = from; place < to; place += 1) {
      this.#bytes.reset();
      this.#events.restart();
      this.#venue.turn(commands[place]!, this.#events);
    }
  }
}

function describe(types: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
  const shares = [...counts].map(([type, count]) => `${percent(count / types.length)} ${type}`);
  return `${thousands(types.length)} commands: ${shares.join(', ')}`;
}
