/** Venues whose settlement has one planted fault each, and the finding that a world must report. */
import { depositCommand } from '#settlement/coordinator/ledger-steps.ts';
import type { LedgerCommand } from '#settlement/port/command.ts';
import type { Ledger } from '#settlement/port/ledger.ts';
import type { CoordinatorSide, Plant } from '#simulation/settlement/venue-life.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { epochMs } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { Outcome } from '#writer/port/submit.ts';
import { allocateOther, bindTwice, creditOther, creditTwice, emitting, grantTwice, releaseTwice } from './tampered-money.ts';

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
    plant: emitting(creditTwice),
    finding: /deposit \d+ changes, and is confirmed/,
  },
  {
    fault: 'a deposit that is credited to another account',
    plant: emitting(creditOther),
    finding: /deposit \d+ ends with \d+ of account \d+/,
  },
  {
    fault: 'a reservation that returns twice',
    plant: emitting(releaseTwice),
    finding: /withdrawal \d+ is released twice/,
  },
  {
    fault: 'a faucet that grants an account money twice',
    plant: emitting(grantTwice),
    finding: /the faucet grants account \d+ money twice/,
  },
  {
    fault: 'a funding intent that two deposits pay',
    plant: emitting(bindTwice),
    finding: /intent \d+ is paid by deposit \d+ and by deposit \d+/,
  },
  {
    fault: 'a payout to the party of another account',
    plant: { side: paysOther },
    finding: /withdrawal \d+ of \d+ to acct-\d+::\S+ offers \d+ to acct-\d+::/,
  },
  {
    fault: 'an account with a party that the ledger has not allocated for it',
    plant: emitting(allocateOther),
    finding: /account \d+ has the party other; the ledger allocated acct-\d+::/,
  },
  {
    fault: 'a second payout of the same withdrawal',
    plant: { side: paysTwice },
    finding: /the ledger gets \w+-payout_offer-2 \(payout_offer\) before the journal has it/,
  },
  {
    fault: 'an accepted offer that counts as expired, and is made again',
    plant: { side: (side) => misrecording(side, 'RecordDepositStep') },
    finding: /deposit \d+ owner_offer_acceptance is recorded as rejected, and the ledger has sequenced_accepted/,
  },
  {
    fault: 'an accepted payout that counts as expired, and is released',
    plant: { side: (side) => misrecording(side, 'RecordWithdrawalStep') },
    finding: /withdrawal \d+ owner_offer_acceptance is recorded as rejected, and the ledger has sequenced_accepted/,
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
    plant: { side: (side) => withCommandIds(side, (id) => id.replace(/-\d+$/, '-1')) },
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
  {
    fault: 'an older copy of a store that the venue takes for the newer one',
    plant: { side: seesNoDifference },
    finding: /it never happens that transfers are halted/,
  },
];

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

/** Consents to payouts to the party of another account, if there is one. */
function paysOther(side: CoordinatorSide): CoordinatorSide {
  return submitting(side, (command) => {
    if (command.step !== 'owner_withdrawal_consent') return command;
    const other = destinations.get(command.commandId) ?? otherParty(side, command.partyId);
    destinations.set(command.commandId, other);
    return { ...command, destinationPartyId: other };
  });
}

/** By command id: a command that is submitted again is the same. */
const destinations = new Map<string, string>();

function otherParty({ owners }: CoordinatorSide, partyId: string): string {
  for (let account = 1; ; account += 1) {
    const owner = owners.owner(account as AccountOrdinal);
    if (owner === undefined) return partyId;
    if (owner.party.partyId !== '' && owner.party.partyId !== partyId) return owner.party.partyId;
  }
}

/** Makes each payout offer once more. */
function paysTwice(side: CoordinatorSide): CoordinatorSide {
  return submitting(side, (command) => {
    if (command.step === 'payout_offer')
      void side.ledger.submit({ ...command, commandId: command.commandId.replace(/1$/, '2') }).catch(() => undefined);
    return command;
  });
}

/** Records accepted acceptances of offers as rejected. */
function misrecording(side: CoordinatorSide, type: 'RecordDepositStep' | 'RecordWithdrawalStep'): CoordinatorSide {
  return {
    ...side,
    submit: (submission) => {
      const { command } = submission;
      if (command.type !== type || command.step !== 'owner_offer_acceptance') return side.submit(submission);
      return side.submit({ ...submission, command: { ...command, outcome: 'rejected', reason: 'offer_expired', createdId: '' } });
    },
  };
}

/** The ledger seems to end where the journal's knowledge of it ends. */
function seesNoDifference(side: CoordinatorSide): CoordinatorSide {
  const entries: Ledger['entries'] = async ({ afterOffset, limit }) => {
    const known = side.owners.ledger()!;
    if (limit !== 1 || afterOffset !== known.offset - 1) return [];
    const [entry] = await side.ledger.entries({ afterOffset: 0, limit: 1 });
    return [{ ...entry!, receipt: { ...entry!.receipt, ledgerEventId: known.ledgerEventId } }];
  };
  return { ...side, ledger: withMethod(side.ledger, 'entries', entries) };
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

function withCommandIds(side: CoordinatorSide, change: (commandId: string) => string): CoordinatorSide {
  return submitting(side, (command) => ({ ...command, commandId: change(command.commandId) }));
}

/** Submits other commands to the ledger. */
function submitting(side: CoordinatorSide, change: (command: LedgerCommand) => LedgerCommand): CoordinatorSide {
  const { ledger } = side;
  return { ...side, ledger: withMethod(ledger, 'submit', (command) => ledger.submit(change(command))) };
}

function withMethod<Name extends keyof Ledger>(ledger: Ledger, replaced: Name, method: Ledger[Name]): Ledger {
  return new Proxy<Ledger>(ledger, { get: (_, name: keyof Ledger) => (name === replaced ? method : ledger[name]) });
}
