/**
 * A scenario that keeps the journal's record of every command, to feed the journal's followers. The chain digest advances with
 * every record, so the same records have the same digests in any grouping.
 */
import { createHash } from 'node:crypto';
import type { AccountOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { CommittedGroup, CommittedRecord } from '#writer/port/submit.ts';
import { SCENARIO_MARKET, Scenario } from './scenario.ts';

export class History extends Scenario {
  readonly records: CommittedRecord[] = [];
  readonly #chain: string[] = [''];

  /** One open market at an index of 1,000.0 and this many accounts, of 10,000 USD.E each. */
  static begin(accounts: number, specification = SCENARIO_MARKET): History {
    const history = new History();
    history.run({ type: 'ListMarket', specification, status: 'open' });
    history.price(10_000);
    for (let account = 1; account <= accounts; account += 1) {
      history.run({ type: 'OpenAccount', label: `trader ${account}`, partyId: `party-${account}`, digestSeed: 7 });
      history.run({
        type: 'CreditCash',
        account: account as AccountOrdinal,
        amountAtoms: 10_000_000_000 as QuoteAtoms,
        reference: 'test',
      });
    }
    return history;
  }

  override run(command: Command): VenueEvent[] {
    const events = super.run(command);
    const record = { sequence: this.sequence, epochMs: this.now, command, events };
    this.records.push(record);
    this.#chain.push(createHash('sha256').update(this.#chain.at(-1)!).update(JSON.stringify(record)).digest('hex'));
    return events;
  }

  /** The records `after + 1` to `upTo` as one group. */
  group(after: number, upTo: number = this.records.length): CommittedGroup {
    return { records: this.records.slice(after, upTo), chainDigest: this.#chain[upTo]! };
  }
}
