/** Changes to the events of one turn whose balances agree with each other, as if the venue itself had made them. */
import type { Auditor } from '#simulation/auditor/auditor.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';

type Type = VenueEvent['type'];
export type Of<Name extends Type> = Extract<VenueEvent, { type: Name }>;
/** Fields without the brands of their numbers. */
export type FieldChanges<Event> = { readonly [Field in keyof Event]?: Event[Field] extends number ? number : Event[Field] };

export function has<Name extends Type>(type: Name, which: (event: Of<Name>) => boolean = () => true) {
  return (event: VenueEvent): event is Of<Name> => event.type === type && which(event as Of<Name>);
}

export function changed<Event extends VenueEvent>(event: Event, change: FieldChanges<Event>): Event {
  return { ...event, ...change } as Event;
}

/** The turn with another event in the place of one. */
export function replaced(turn: CommittedRecord, event: VenueEvent, ...others: readonly VenueEvent[]): CommittedRecord {
  return { ...turn, events: turn.events.flatMap((one) => (one === event ? others : [one])) };
}

/** The turn with fields of some of its events changed. */
export function replacedAll(
  turn: CommittedRecord,
  changes: readonly (readonly [VenueEvent, Readonly<Record<string, unknown>>])[],
): CommittedRecord {
  const byEvent = new Map(changes);
  const events = turn.events.map((event) => ({ ...event, ...byEvent.get(event) }) as VenueEvent);
  return { ...turn, events };
}

/** The event of a type that comes next after another. */
export function next<Name extends Type>(
  turn: CommittedRecord,
  after: VenueEvent,
  type: Name,
  which?: (event: Of<Name>) => boolean,
): Of<Name> | undefined {
  return turn.events.slice(turn.events.indexOf(after) + 1).find(has(type, which)) as Of<Name> | undefined;
}

/** Sets all balances to what the amounts give, from those before the turn. */
export function balanced(turn: CommittedRecord, { money }: Auditor): CommittedRecord {
  const balances = new Map<string, number>();
  const add = (name: string, before: number, amount: number): number => {
    const balance = (balances.get(name) ?? before) + amount;
    balances.set(name, balance);
    return balance;
  };
  const events = turn.events.map((event) => {
    if (event.type === 'CashPosted')
      return changed(event, {
        cashAtoms: add(`${event.account}`, money.cashOf(event.account), event.amountAtoms),
      });
    if (event.type === 'LedgerPosted')
      return changed(event, { balanceAtoms: add(event.ledger, money.ledgers[event.ledger], event.amountAtoms) });
    return event;
  });
  return { ...turn, events };
}
