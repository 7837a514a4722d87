/**
 * Whole turns of the venue: every rule from idempotency to margin, positions, fees and liquidation, and the journal's groups with
 * command, key, events, check sums and chain digest. In memory: no disk.
 */
import type { Sequence } from '#units/ids.ts';
import { ByteReader, ByteWriter } from '#venue/record/cursor.ts';
import { readEvent } from '#venue/record/event-reader.ts';
import { EventWriter } from '#venue/record/event-writer.ts';
import { RULES_VERSION, type SequencedCommand, Venue } from '#venue/venue.ts';
import { CHAIN_START, GroupBuilder } from '#writer/journal/group.ts';
import type { Contender } from './contender.ts';
import type { OrderFlow } from './order-flow.ts';
import { percent, thousands } from './prose.ts';
import { arriving, type TurnCommands, turnCommands } from './turn-commands.ts';

/** The number of records that arrive while the disk writes the group before. */
const RECORDS_OF_A_GROUP = 256;
const KEY_DIGEST = new Uint8Array(32).fill(1);
const BODY_DIGEST = new Uint8Array(32).fill(2);

export class TurnContender implements Contender {
  readonly operations: number;
  readonly version = 'this tree';
  readonly manner = 'whole turns';
  readonly work: string;
  readonly #turns: TurnCommands;
  readonly #group = new GroupBuilder();
  #groups = 0;
  #venue = new Venue();

  constructor(flow: OrderFlow) {
    this.#turns = turnCommands(flow);
    const { commands, untimed } = this.#turns;
    this.operations = commands.length - untimed;
    this.work = describe(commands.slice(untimed).map(({ command }) => command.type));
  }

  prepare(): void {
    this.#venue = new Venue();
    this.#begin(CHAIN_START);
    for (const sequenced of this.#turns.commands.slice(0, this.#turns.untimed)) this.#turn(sequenced);
  }

  /** Each command reaches the venue like from its edge: just decoded from a request. */
  run(): number {
    const { commands, untimed } = this.#turns;
    let milliseconds = 0;
    for (let from = untimed; from < commands.length; from += RECORDS_OF_A_GROUP) {
      const arrived = commands.slice(from, from + RECORDS_OF_A_GROUP).map(arriving);
      const start = performance.now();
      for (const sequenced of arrived) this.#turn(sequenced);
      milliseconds += performance.now() - start;
    }
    return milliseconds;
  }

  /** Events by name, refusals by code. */
  outcome(): object {
    const counts: Record<string, number> = {};
    const bytes = new ByteWriter();
    const events = new EventWriter(bytes);
    this.#venue = new Venue();
    for (let place = 0; place < this.#turns.commands.length; place += 1) {
      bytes.reset();
      events.restart();
      this.#venue.turn(this.#turns.commands[place]!, events);
      if (place < this.#turns.untimed) continue;
      const reader = new ByteReader(bytes.copy());
      for (let event = 0; event < events.count; event += 1) {
        const it = readEvent(reader);
        const name = it.type === 'CommandRefused' ? `refused: ${it.code}` : it.type;
        counts[name] = (counts[name] ?? 0) + 1;
      }
    }
    return counts;
  }

  #turn(sequenced: SequencedCommand): void {
    const { sequence, epochMs, command } = sequenced;
    const key = 'account' in command ? { account: command.account, keyDigest: KEY_DIGEST, bodyDigest: BODY_DIGEST } : undefined;
    this.#group.openRecord({ sequence, epochMs, rulesVersion: RULES_VERSION, key }, command);
    this.#venue.turn(sequenced, this.#group.events);
    this.#group.closeRecord();
    if (this.#group.recordCount < RECORDS_OF_A_GROUP) return;
    this.#group.seal();
    this.#begin(this.#group.digest);
  }

  #begin(previousDigest: Uint8Array): void {
    this.#groups += 1;
    this.#group.begin(this.#groups, (this.#groups * RECORDS_OF_A_GROUP) as Sequence, previousDigest);
  }
}

function describe(types: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
  const shares = [...counts].map(([type, count]) => `${percent(count / types.length)} ${type}`);
  return `${thousands(types.length)} commands: ${shares.join(', ')}`;
}
