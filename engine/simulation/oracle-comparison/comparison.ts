/** Runs each command through the engine and the oracle, and compares all facts and all numbers after it. */
import type { Command as OracleCommand } from '#oracle/command.ts';
import { Oracle } from '#oracle/oracle.ts';
import { viewOf } from '#oracle/view.ts';
import { eventsOfTurn } from '#simulation/turn-events.ts';
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { Venue } from '#venue/venue.ts';
import { type Difference, NumberComparison } from './difference.ts';
import { engineViewOf } from './engine-view.ts';

/** A command at its time. */
export interface TimedCommand {
  readonly epochMs: number;
  readonly command: OracleCommand;
}

/** What the comparison needs of an engine. A planted fault has an engine of its own. */
export type VenueClass = Pick<typeof Venue, 'restore'> & (new () => Venue);

/** The engine is restored from a snapshot after each so many commands, and while orders are due: few turns leave any. */
const RESTORED_EVERY = 23;

export class Comparison {
  readonly oracle = new Oracle();
  readonly numbers: NumberComparison;
  readonly #venueClass: VenueClass;
  #venue: Venue;
  #sequence = 0;

  constructor(numbers = new NumberComparison(), venueClass: VenueClass = Venue) {
    this.numbers = numbers;
    this.#venueClass = venueClass;
    this.#venue = new venueClass();
  }

  /** Returns the first difference after the command, if there is one. */
  run({ epochMs, command }: TimedCommand): Difference | undefined {
    this.#sequence += 1;
    const facts = this.oracle.run({ sequence: this.#sequence, epochMs, command });
    const events = this.#take(epochMs, command);
    if (typeof events === 'string') return { path: 'engine', engine: events, oracle: facts };
    const { world } = this.oracle;
    const isRestored = this.#sequence % RESTORED_EVERY === 0 || world.waiting.some(({ dueSince }) => dueSince > 0);
    if (isRestored) this.#venue = this.#venueClass.restore(this.#venue.snapshot());
    return (
      this.numbers.compare(factsOf(events), facts, 'facts') ??
      this.numbers.compare(postingsOf(events), world.postings, 'postings') ??
      this.numbers.compare(engineViewOf(this.#venue.state), viewOf(world))
    );
  }

  /** The events of the turn, or the message of the engine's own error. */
  #take(epochMs: number, command: OracleCommand): VenueEvent[] | string {
    const sequenced = {
      sequence: this.#sequence as Sequence,
      epochMs: epochMs as EpochMs,
      command: command as unknown as Command,
    };
    try {
      return eventsOfTurn(this.#venue, sequenced);
    } catch (error) {
      return String(error);
    }
  }
}

/** The events without postings of money. */
function factsOf(events: readonly VenueEvent[]): VenueEvent[] {
  return events.filter(({ type }) => type !== 'CashPosted' && type !== 'LedgerPosted');
}

/** The sums of the postings, by account (or ledger) and kind. */
function postingsOf(events: readonly VenueEvent[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const event of events) {
    if (event.type === 'CashPosted') {
      const name = `account ${event.account} ${event.kind}`;
      sums[name] = (sums[name] ?? 0) + event.amountAtoms;
    }
    if (event.type === 'LedgerPosted') sums[`ledger ${event.ledger}`] = (sums[`ledger ${event.ledger}`] ?? 0) + event.amountAtoms;
  }
  return sums;
}
