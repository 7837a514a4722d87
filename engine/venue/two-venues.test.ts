/** Venues share no state: one runs whole turns in the middle of another's turn, and both produce what each produces alone. */
import { expect, test, vi } from 'vitest';
import { ByteWriter } from './record/cursor.ts';
import { EventWriter } from './record/event-writer.ts';
import { RandomWorld } from './testing/random-world.ts';
import { type SequencedCommand, Venue } from './venue.ts';

const WORLDS = 20;
const STEPS = 250;

/** The commands of a random world: orders, batches of fills, liquidations, funding, deleveraging. */
function commandsOf(seed: number): readonly SequencedCommand[] {
  const turns = vi.spyOn(Venue.prototype, 'turn');
  const world = new RandomWorld(seed, seed % 2 === 0);
  for (let step = 0; step < STEPS; step += 1) world.step();
  const commands = turns.mock.calls.map(([sequenced]) => sequenced);
  turns.mockRestore();
  return commands;
}

/** A venue, its remaining commands, and all emitted events as bytes. */
class Run {
  readonly venue = new Venue();
  readonly bytes = new ByteWriter();
  onEvent: () => void = () => {};
  readonly #commands: SequencedCommand[];
  readonly #events = emitting(new EventWriter(this.bytes), () => this.onEvent());

  constructor(commands: readonly SequencedCommand[]) {
    this.#commands = [...commands];
  }

  /** Runs the next command; returns false if no command is left. */
  step(): boolean {
    const next = this.#commands.shift();
    if (next !== undefined) this.venue.turn(next, this.#events);
    return next !== undefined;
  }

  finish(): this {
    while (this.step());
    return this;
  }

  get outcome() {
    return { events: Buffer.from(this.bytes.copy()), state: Buffer.from(this.venue.snapshot()) };
  }
}

/** Calls `onEvent` after every written event. */
function emitting(writer: EventWriter, onEvent: () => void): EventWriter {
  return new Proxy(writer, {
    get: (target, name) => {
      const member = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...fields: unknown[]) => {
        member.apply(target, fields);
        onEvent();
      };
    },
  });
}

test('produces the same events and state when another venue runs within its turns', () => {
  for (let seed = 1; seed <= WORLDS; seed += 1) {
    const [first, second] = [commandsOf(2 * seed), commandsOf(2 * seed + 1)];
    const [outer, inner] = [new Run(first), new Run(second)];
    outer.onEvent = () => inner.step();
    outer.finish();
    inner.finish();
    for (const [run, commands] of [[outer, first] as const, [inner, second] as const]) {
      const { events, state } = new Run(commands).finish().outcome;
      expect(run.outcome.events.equals(events), `events of world ${seed}`).toBe(true);
      expect(run.outcome.state.equals(state), `state of world ${seed}`).toBe(true);
    }
  }
});
