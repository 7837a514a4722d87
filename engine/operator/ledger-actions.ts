/** The operator's actions on the external ledger: list its entries, and accept a difference that was dealt with. */
import type { WithdrawalOrdinal } from '#units/ids.ts';
import type { Command } from '#venue/command.ts';
import type { CommandRefused } from '#venue/event.ts';
import { type ActionOf, OperatorRefusal } from './action.ts';

/** Why ledger and journal differ, in words. */
export interface StandingDifference {
  readonly text: string;
  readonly remedy: string;
  /** Whether it ends when the operator accepts the ledger's entries. */
  readonly isAcceptable: boolean;
}

/** The external ledger as the operator's actions need it. The reads reject with {@link OperatorRefusal} if it is unavailable. */
export interface OperatedLedger {
  /** `undefined` if the journal explains what the ledger has; `null` while that is not known. */
  readonly difference: () => StandingDifference | undefined | null;
  readonly entries: (query: { readonly afterOffset?: number | undefined; readonly limit: number }) => Promise<object>;
  /** Whether a withdrawal may have been paid although the journal has submitted no step of it. */
  readonly paymentOf: (withdrawal: WithdrawalOrdinal) => Promise<'possible' | 'impossible' | 'unknown'>;
  /** `undefined` if the ledger has no such entry. */
  readonly eventIdAt: (offset: number) => Promise<string | undefined>;
}

type Submit = (command: Command, explain: (refused: CommandRefused) => string | undefined) => Promise<unknown>;

export function listLedger(ledger: OperatedLedger | undefined, query: ActionOf<'ledger.list'>): Promise<object> {
  const { afterOffset, limit } = query;
  return demandLedger(ledger).entries({ afterOffset, limit });
}

/** The journaled command does not read the ledger, so the event is compared here: it never changes. */
export async function acceptLedger(
  ledger: OperatedLedger | undefined,
  { offset, ledgerEventId, reason }: ActionOf<'ledger.accept'>,
  submit: Submit,
): Promise<object> {
  const { difference, eventIdAt } = demandLedger(ledger);
  const standing = difference();
  if (standing === null)
    throw new OperatorRefusal('ledger_unavailable', 'the ledger was not compared with the journal yet: wait until it responds');
  if (standing === undefined)
    throw new OperatorRefusal('ledger_agrees', 'the journal explains all that the ledger has: there is nothing to accept');
  if (!standing.isAcceptable) throw new OperatorRefusal('difference_not_acceptable', `${standing.text}. ${standing.remedy}.`);
  const found = await eventIdAt(offset);
  if (found !== ledgerEventId) {
    const has = found === undefined ? 'no entry' : `the event ${found}`;
    throw new OperatorRefusal('ledger_event_unknown', `the ledger has ${has} at offset ${offset}: see ledger list`);
  }
  await submit({ type: 'AcceptLedgerEntries', ledgerOffset: offset, ledgerEventId, reason }, ({ code, bound }) =>
    code === 'ledger_offset_known'
      ? `the journal knows the ledger up to offset ${bound}: accept entries after that, up to the newest with ledger list`
      : undefined,
  );
  return { acceptedOffset: offset, ledgerEventId };
}

/** The cash of a withdrawal that may have been paid is not returned. */
export async function refuseIfPaid(ledger: OperatedLedger | undefined, withdrawal: WithdrawalOrdinal): Promise<void> {
  const payment = await ledger?.paymentOf(withdrawal);
  if (payment === 'possible')
    throw new OperatorRefusal(
      'withdrawal_may_be_paid',
      "the ledger has the owner's consent to this withdrawal, so it may have been paid: see ledger list",
    );
  if (payment === 'unknown')
    throw new OperatorRefusal(
      'ledger_unavailable',
      'the ledger does not respond, or is not the one of this journal, and so has not shown that the withdrawal is unpaid: it may have been paid',
    );
}

/** Transfers would be halted again at once. */
export function refuseDuringDifference(ledger: OperatedLedger | undefined): void {
  const standing = ledger?.difference() ?? undefined;
  if (standing === undefined) return;
  throw new OperatorRefusal(
    'external_ledger_differs',
    `ledger and journal differ, so transfers stay off: ${standing.text}. ${standing.remedy}.`,
  );
}

function demandLedger(ledger: OperatedLedger | undefined): OperatedLedger {
  if (ledger !== undefined) return ledger;
  throw new OperatorRefusal('no_external_ledger', 'no external ledger is connected to this venue');
}
