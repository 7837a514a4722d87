/** Venues whose settlement has one planted fault each, and the finding that a world must report. */
import { depositCommand } from '#settlement/coordinator/ledger-steps.ts';
import type { Ledger } from '#settlement/port/ledger.ts';
import type { CoordinatorSide, Plant } from '#simulation/settlement/venue-life.ts';
import { tamperedVenue } from '#simulation/world/planted/tampered-rules.ts';
import { epochMs } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { Venue } from '#venue/venue.ts';
import type { Outcome } from '#writer/port/submit.ts';

export interface FaultySettlement {
  readonly fault: string;
  readonly plant: Plant;
  /** The message of the world. */
  readonly finding: RegExp;
}

const NO_OFFER = epochMs(0);

export const FAULTY_SETTLEMENTS: readonly FaultySettlement[] = [
  {
    fault: 'a receipt that credits its deposit twice',
    plant: {
      rules: (rules) => ({ ...rules, fresh: () => twice(rules.fresh()), restore: (bytes) => twice(rules.restore(bytes)) }),
    },
    finding: /deposit \d+ changes, and is confirmed/,
  },
  {
    fault: 'a release without the receipt of the withdrawn offer',
    plant: { side: releasesEarly },
    finding: /withdrawal \d+ offer_withdrawal has (a receipt at offset|the receipt of|another event id)/,
  },
  {
    fault: 'a step that the ledger gets before it is in the journal',
    plant: { side: submitsEarly },
    finding: /the ledger gets \w+-treasury_offer-1 \(treasury_offer\) before the journal has it/,
  },
  {
    fault: 'the first attempt in place of a later one',
    plant: { side: (side) => ({ ...side, ledger: withCommandIds(side.ledger, (id) => id.replace(/-\d+$/, '-1')) }) },
    finding: /has the receipt of \w+-1 instead of|does not go on, although nothing fails any more/,
  },
  {
    fault: 'an owner’s step that the venue starts by itself',
    plant: { side: signsItself },
    finding: /deposit \d+ submits owner_offer_acceptance without its owner's approval/,
  },
  {
    fault: 'a receipt that is never recorded',
    plant: { side: forgetsReceipts },
    finding: /withdrawal \d+, whose payout_offer is due \(submitted\), does not go on/,
  },
];

function twice(venue: Venue): Venue {
  const inner = { turn: venue.turn.bind(venue) };
  return Object.assign(
    venue,
    tamperedVenue(inner, (events) => events.flatMap((event, at) => [event, ...repeated(events, at)])),
  );
}

/** After the posting of a deposit: its confirmation and the posting again. */
function repeated(events: readonly VenueEvent[], index: number): readonly VenueEvent[] {
  const [confirmed, posted] = [events[index - 1], events[index]];
  if (confirmed?.type !== 'DepositConfirmed' || posted?.type !== 'CashPosted') return [];
  const cashAtoms = (posted.cashAtoms + posted.amountAtoms) as typeof posted.cashAtoms;
  return [confirmed, { ...posted, cashAtoms }];
}

function releasesEarly(side: CoordinatorSide): CoordinatorSide {
  return after(side, 'SubmitWithdrawalStep', async ({ withdrawal, step }, { submit, owners }) => {
    if (step !== 'offer_withdrawal') return;
    const { attempt } = owners.withdrawal(withdrawal)!;
    const receipt = { outcome: 'accepted', reason: '', createdId: '', ledgerEventId: 'none', ledgerOffset: 1 } as const;
    await submit({ command: { type: 'RecordWithdrawalStep', withdrawal, step, attempt, ...receipt } });
  });
}

function submitsEarly(side: CoordinatorSide): CoordinatorSide {
  return {
    ...side,
    submit: async (submission) => {
      const { command } = submission;
      if (command.type === 'SubmitDepositStep' && command.step === 'treasury_offer') {
        const { offerExpiresAtEpochMs } = command;
        await side.ledger.submit(
          depositCommand({ ...side.owners.deposit(command.deposit)!, offerExpiresAtEpochMs }, command.step),
        );
      }
      return side.submit(submission);
    },
  };
}

function signsItself(side: CoordinatorSide): CoordinatorSide {
  return after(side, 'RecordDepositStep', async ({ deposit, step, attempt, outcome }, { submit }) => {
    if (step !== 'treasury_offer' || outcome !== 'accepted') return;
    const next = 'owner_offer_acceptance';
    await submit({ command: { type: 'SubmitDepositStep', deposit, step: next, attempt, offerExpiresAtEpochMs: NO_OFFER } });
  });
}

/** The coordinator believes that each receipt of a payout offer was recorded. */
function forgetsReceipts(side: CoordinatorSide): CoordinatorSide {
  return {
    ...side,
    submit: async (submission) => {
      const { command } = submission;
      if (command.type !== 'RecordWithdrawalStep' || command.step !== 'payout_offer') return side.submit(submission);
      return new Promise<never>(() => undefined);
    },
  };
}

type Of<Type extends Command['type']> = Extract<Command, { type: Type }>;

/** Does more after each command of the type. */
function after<Type extends Command['type']>(
  side: CoordinatorSide,
  type: Type,
  follow: (command: Of<Type>, side: CoordinatorSide) => Promise<void>,
): CoordinatorSide {
  return {
    ...side,
    submit: async (submission): Promise<Outcome> => {
      const outcome = await side.submit(submission);
      if (submission.command.type === type) await follow(submission.command as Of<Type>, side);
      return outcome;
    },
  };
}

function withCommandIds(ledger: Ledger, change: (commandId: string) => string): Ledger {
  return new Proxy<Ledger>(ledger, {
    get: (_, name: keyof Ledger) =>
      name === 'submit' ? (command: never) => ledger.submit(renamed(command, change)) : ledger[name],
  });
}

function renamed<Identified extends { readonly commandId: string }>(
  command: Identified,
  change: (id: string) => string,
): Identified {
  return { ...command, commandId: change(command.commandId) };
}
