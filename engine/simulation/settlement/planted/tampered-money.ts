/** Planted faults of the venue's core: turns whose events move money twice, or to another account. */
import type { Plant } from '#simulation/settlement/venue-life.ts';
import { tamperedVenue } from '#simulation/world/planted/tampered-rules.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { plus } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { Venue } from '#venue/venue.ts';

type Tampering = (events: readonly VenueEvent[]) => readonly VenueEvent[];

/** A venue that emits other events than its core. Its state stays that of the core. */
export function emitting(tamper: Tampering): Plant {
  const tampered = (venue: Venue): Venue => Object.assign(venue, tamperedVenue({ turn: venue.turn.bind(venue) }, tamper));
  return {
    rules: (rules) => ({
      ...rules,
      fresh: () => tampered(rules.fresh()),
      restore: (bytes) => tampered(rules.restore(bytes)),
    }),
  };
}

/** Repeats the confirmation of a deposit, with its posting. */
export const creditTwice: Tampering = (events) => repeated(events, 'DepositConfirmed', 1);

/** Repeats the release of a blocked withdrawal, with its two postings. */
export const releaseTwice: Tampering = (events) => repeated(events, 'WithdrawalReleased', 2);

/** Credits deposits of the first account to the second, and those of all others to the first. */
export const creditOther: Tampering = (events) =>
  events.map((event, index) => {
    const isPosting = event.type === 'CashPosted' && events[index - 1]?.type === 'DepositConfirmed';
    return event.type === 'DepositConfirmed' || isPosting ? { ...event, account: otherThan(event.account) } : event;
  });

/** Grants every account two funding intents. */
export const grantTwice: Tampering = (events) =>
  events.flatMap((event): readonly VenueEvent[] =>
    event.type === 'FundingIntentCreated' ? [event, { ...event, intent: (event.intent + 1) as typeof event.intent }] : [event],
  );

/** Gives every account the same party. */
export const allocateOther: Tampering = (events) =>
  events.map((event) => (event.type === 'PartyChanged' && event.status === 'allocated' ? { ...event, partyId: 'other' } : event));

/** Binds two deposits to a funding intent. */
export const bindTwice: Tampering = (events) =>
  events.flatMap((event): readonly VenueEvent[] => {
    if (event.type !== 'DepositBound') return [event];
    const ledgerKey = [...event.ledgerKey].toReversed().join('');
    return [event, { ...event, deposit: (event.deposit + 1) as typeof event.deposit, ledgerKey }];
  });

function otherThan(account: AccountOrdinal): AccountOrdinal {
  return (account === 1 ? 2 : 1) as AccountOrdinal;
}

/** Repeats the event and the postings after it. Their balances follow from the ones before. */
function repeated(events: readonly VenueEvent[], type: VenueEvent['type'], postings: number): readonly VenueEvent[] {
  const at = events.findIndex((event) => event.type === type);
  if (at === -1) return events;
  const again = events.slice(at, at + 1 + postings).map((event) => {
    if (event.type === 'CashPosted') return { ...event, cashAtoms: plus(event.cashAtoms, event.amountAtoms) };
    if (event.type === 'LedgerPosted') return { ...event, balanceAtoms: plus(event.balanceAtoms, event.amountAtoms) };
    return event;
  });
  const end = at + 1 + postings;
  return [...events.slice(0, end), ...again, ...events.slice(end)];
}
