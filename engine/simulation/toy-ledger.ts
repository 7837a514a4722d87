/**
 * A minimal state machine to test the writer alone: accounts with cash. It reuses its event objects, as the venue may. A bug can
 * be planted in it. It refuses a negative credit beyond the cash with `insufficient_margin`.
 */
import type { AccountOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { CashPosted } from '#venue/event.ts';
import { ByteReader, ByteWriter } from '#venue/record/cursor.ts';
import type { EventWriter } from '#venue/record/event-writer.ts';
import type { RefusalCode } from '#venue/refusal.ts';
import type { SequencedCommand, StateMachine, StateMachineRules } from '#writer/port/state-machine.ts';

/** The label of an account whose opening throws. */
export const FAULTY = 'faulty';

type Writable<Value> = { -readonly [Field in keyof Value]: Value[Field] };

export class ToyLedger implements StateMachine {
  readonly #cash: number[];
  readonly #posted: Writable<Omit<CashPosted, 'type'>> = {
    account: 0 as AccountOrdinal,
    kind: 'deposit',
    amountAtoms: 0 as QuoteAtoms,
    cashAtoms: 0 as QuoteAtoms,
  };

  constructor(cash: readonly number[] = []) {
    this.#cash = [...cash];
  }

  turn({ command }: SequencedCommand, events: EventWriter): void {
    if (command.type === 'OpenAccount') this.#open(command, events);
    else if (command.type !== 'CreditCash') this.#refuse('account_not_found', events);
    else {
      const cash = this.#cash[command.account - 1];
      if (cash === undefined) this.#refuse('account_not_found', events);
      else if (cash + command.amountAtoms < 0) this.#refuse('insufficient_margin', events);
      else this.#credit(command, events);
    }
  }

  snapshot(lent?: ByteWriter): Uint8Array {
    const bytes = lent ?? new ByteWriter();
    bytes.reset();
    bytes.u32(this.#cash.length);
    for (const atoms of this.#cash) bytes.int(atoms);
    return lent === undefined ? bytes.copy() : bytes.written();
  }

  #refuse(code: RefusalCode, events: EventWriter): void {
    events.emit({ type: 'CommandRefused', code, order: 0 as OrderOrdinal, bound: 0 });
  }

  #open({ label, partyId }: Extract<Command, { type: 'OpenAccount' }>, events: EventWriter): void {
    if (label === FAULTY) throw new Error('planted');
    const account = this.#cash.push(0) as AccountOrdinal;
    events.emit({ type: 'AccountOpened', account, label, partyId });
  }

  /** As two postings in the same event object. */
  #credit({ account, amountAtoms }: Extract<Command, { type: 'CreditCash' }>, events: EventWriter): void {
    this.#posted.account = account;
    for (const part of [Math.floor(amountAtoms / 2), Math.ceil(amountAtoms / 2)]) {
      this.#cash[account - 1] = this.#cash[account - 1]! + part;
      this.#posted.amountAtoms = part as QuoteAtoms;
      this.#posted.cashAtoms = this.#cash[account - 1] as QuoteAtoms;
      events.cashPosted(this.#posted);
    }
  }
}

export const toyRules: StateMachineRules = {
  rulesVersion: 1,
  oldestRulesVersion: 1,
  fresh: () => new ToyLedger(),
  restore: (snapshot) => {
    const bytes = new ByteReader(snapshot);
    return new ToyLedger(Array.from({ length: bytes.u32() }, () => bytes.int()));
  },
};
