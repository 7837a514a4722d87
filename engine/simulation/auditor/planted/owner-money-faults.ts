/** Faults in deposits and withdrawals on the external ledger: money that moves twice, not at all, or without a receipt. */
import type { Auditor } from '#simulation/auditor/auditor.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import type { PlantedFault } from './planted-fault.ts';
import { balanced, has, replaced, replacedAll } from './turn-edits.ts';

const CHECK = 'owner money';

export const OWNER_MONEY_FAULTS: readonly PlantedFault[] = [
  {
    fault: 'a confirmed deposit that credits twice',
    plant: () => doubleDeposit,
    isNotInCrash: true,
    check: 'transfer',
    says: /the turn posted \(.*\) outside of trading, instead of/,
  },
  {
    fault: 'a receipt that is recorded twice',
    plant: () => secondReceipt,
    isNotInCrash: true,
    check: CHECK,
    says: /owner_account_acceptance \d+ was recorded, due was none/,
  },
  {
    fault: 'a confirmed deposit whose account is not credited',
    plant: () => lostDeposit,
    isNotInCrash: true,
    check: 'transfer',
    says: /the turn posted \(\) outside of trading, instead of/,
  },
  {
    fault: 'a deposit that is credited by a rejected step',
    plant: () => depositByRejection,
    isNotInCrash: true,
    check: CHECK,
    says: /owner_account_acceptance \d+ is due after owner_account_acceptance, the event says none/,
  },
  {
    fault: 'a blocked withdrawal that is released twice',
    plant: () => secondBlock,
    isNotInCrash: true,
    check: CHECK,
    says: /owner withdrawal \d+ is not open/,
  },
  {
    fault: 'a blocked withdrawal that is not released',
    plant: () => blockWithoutRelease,
    isNotInCrash: true,
    check: CHECK,
    says: /the turn has no release of withdrawal/,
  },
  {
    fault: 'a withdrawal that is settled without an accepted acceptance',
    plant: () => settlementByRejection,
    isNotInCrash: true,
    check: CHECK,
    says: /offer_withdrawal \d+ is due after owner_offer_acceptance, the event says settled/,
  },
  {
    fault: 'a withdrawal that leaves the venue without a receipt',
    plant: () => settlementWithoutReceipt,
    isNotInCrash: true,
    check: CHECK,
    says: /the turn has a settlement of withdrawal \d+, and must have \(\)/,
  },
  {
    fault: 'a money id that moves money twice',
    plant: () => secondUse,
    isNotInCrash: true,
    check: CHECK,
    says: /money id .* was used twice/,
  },
];

function doubleDeposit(turn: CommittedRecord, books: Auditor): CommittedRecord | undefined {
  const posted = turn.events.find(has('CashPosted'));
  const isConfirmed = turn.events.some(has('DepositConfirmed'));
  return isConfirmed ? balanced(replaced(turn, posted!, posted!, { ...posted! }), books) : undefined;
}

function secondReceipt(turn: CommittedRecord, books: Auditor): readonly CommittedRecord[] | undefined {
  const posted = turn.events.find(has('CashPosted'));
  if (posted === undefined || !turn.events.some(has('DepositConfirmed'))) return undefined;
  const cashAtoms = books.money.cashOf(posted.account) + posted.amountAtoms * 2;
  return [turn, replacedAll(turn, [[posted, { cashAtoms }]])];
}

function lostDeposit(turn: CommittedRecord): CommittedRecord | undefined {
  const posted = turn.events.find(has('CashPosted'));
  return turn.events.some(has('DepositConfirmed')) ? replaced(turn, posted!) : undefined;
}

function depositByRejection(turn: CommittedRecord): CommittedRecord | undefined {
  return turn.events.some(has('DepositConfirmed')) ? rejected(turn, turn.events[0]!) : undefined;
}

function secondBlock(turn: CommittedRecord, books: Auditor): readonly CommittedRecord[] | undefined {
  const blocked = turn.events.find(has('WithdrawalBlocked'));
  // The ledger has other withdrawals too, or it would fall below zero.
  if (turn.command.type !== 'BlockWithdrawal' || blocked === undefined) return undefined;
  return books.money.ledgers.withdrawals < blocked.amountAtoms * 2 ? undefined : [turn, turn];
}

function blockWithoutRelease(turn: CommittedRecord): CommittedRecord | undefined {
  const blocked = turn.events.find(has('WithdrawalBlocked'));
  if (blocked === undefined) return undefined;
  return { ...turn, events: turn.events.slice(0, turn.events.indexOf(blocked) + 1) };
}

function settlementByRejection(turn: CommittedRecord): CommittedRecord | undefined {
  const { command, events } = turn;
  return command.type === 'RecordWithdrawalStep' && events.some(has('WithdrawalSettled'))
    ? rejected(turn, events[0]!)
    : undefined;
}

/** The operator's command settles an owner's withdrawal. */
function settlementWithoutReceipt(turn: CommittedRecord, books: Auditor): readonly CommittedRecord[] | undefined {
  const [requested] = turn.events;
  if (requested?.type !== 'WithdrawalRequested') return undefined;
  const { withdrawal, account, amountAtoms } = requested;
  const balanceAtoms = books.money.ledgers.withdrawals;
  const events = [
    { type: 'WithdrawalSettled', withdrawal, account, amountAtoms },
    { type: 'LedgerPosted', ledger: 'withdrawals', amountAtoms: -amountAtoms, balanceAtoms },
  ] as VenueEvent[];
  return [turn, { ...turn, command: { type: 'SettleWithdrawal', withdrawal }, events }];
}

function secondUse(turn: CommittedRecord, books: Auditor): readonly CommittedRecord[] | undefined {
  const { command, events } = turn;
  const [posted] = events;
  if (command.type !== 'CreditCash' || command.moneyId === undefined || posted?.type !== 'CashPosted') return undefined;
  const cashAtoms = books.money.cashOf(posted.account) + posted.amountAtoms * 2;
  return [turn, replacedAll(turn, [[posted, { cashAtoms }]])];
}

/** The ledger rejected the step that the venue took as accepted. */
function rejected(turn: CommittedRecord, recorded: VenueEvent): CommittedRecord {
  const receipt = { outcome: 'rejected', reason: 'balance_insufficient' };
  const command = { ...turn.command, ...receipt } as CommittedRecord['command'];
  return { ...replacedAll(turn, [[recorded, receipt]]), command };
}
