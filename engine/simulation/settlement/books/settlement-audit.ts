/** Compares the two independent books, the journal's and the ledger's: whatever one of them claims of the other must be there. */
import type { OwnerDirectory } from '#reads/owner-directory.ts';
import type { LedgerCommand } from '#settlement/port/command.ts';
import type { Ledger } from '#settlement/port/ledger.ts';
import { demand } from '#simulation/world/audit/demand.ts';
import { type Flow, nameOf, nonceOf, unprovenId } from './flow.ts';
import { JournalBooks, type RecordedStep } from './journal-books.ts';
import { LedgerBooks } from './ledger-books.ts';

/** Commands that did not come from the venue have ids with this start. */
export const ELSEWHERE = 'elsewhere-';

export class SettlementAudit {
  readonly journal = new JournalBooks();
  /** Of the running venue: another one while an older copy of the journal runs. */
  running = this.journal;
  readonly ledger = new LedgerBooks();
  #comparedSteps = 0;
  #comparedApprovals = 0;
  #comparedEntries = 0;
  /** Offsets that the coordinator's reports of payments without a deposit name. */
  readonly #reportedOffsets = new Set<number>();

  /** A command has reached the ledger: the journal must have it already. */
  reached({ commandId, step }: LedgerCommand): void {
    demand(this.running.submitted.has(unprovenId(commandId)), `the ledger gets ${commandId} (${step}) before the journal has it`);
  }

  /** Everything that is durable in both stores. */
  async compare(ledger: Ledger): Promise<void> {
    await this.ledger.read(ledger);
    const { recorded, unapproved } = this.journal;
    for (; this.#comparedSteps < recorded.length; this.#comparedSteps += 1) this.#compareStep(recorded[this.#comparedSteps]!);
    for (; this.#comparedApprovals < unapproved.length; this.#comparedApprovals += 1) {
      const { flow, step, offerId } = unapproved[this.#comparedApprovals]!;
      const isKnownAccepted = step === 'owner_offer_acceptance' && this.ledger.offers.get(offerId)?.status === 'accepted';
      demand(isKnownAccepted, `${nameOf(flow)} submits ${step} without its owner's approval`);
    }
    this.#compareEntries();
    this.#compareParties();
    this.#compareReceivers();
    this.#compareMoney();
  }

  /** Takes a line of the coordinator's log. */
  reported(line: string): void {
    const offset = /into the custody without a deposit at offset (\d+)/.exec(line)?.[1];
    if (offset !== undefined) this.#reportedOffsets.add(Number(offset));
  }

  /** At the end: the operator has read of all money that came into the custody without a deposit, and of no other. */
  compareReports(): void {
    const paid = this.ledger.accepted.filter(
      ({ command }) => command.step === 'owner_account_acceptance' && command.commandId.startsWith(ELSEWHERE),
    );
    const offsets = paid.map(({ receipt }) => receipt.offset);
    for (const offset of offsets)
      demand(this.#reportedOffsets.has(offset), `money came into the custody at offset ${offset}, and was not reported`);
    demand(
      this.#reportedOffsets.size === offsets.length,
      `payments at ${[...this.#reportedOffsets].join(', ')} are reported, and there were ${offsets.join(', ')}`,
    );
  }

  /** What handlers and the coordinator read equals what the events result in. */
  compareDirectory(owners: OwnerDirectory, journal = this.journal): void {
    const deposits = owners.openDeposits().map((it) => ({ ...it, kind: 'deposit', ordinal: it.deposit, status: 'open' }));
    const withdrawals = owners.openWithdrawals().map((it) => ({ ...it, kind: 'withdrawal', ordinal: it.withdrawal }));
    const views = [...deposits, ...withdrawals].map(stateOf);
    const books = [...journal.open('deposit'), ...journal.open('withdrawal')].map(stateOf);
    demand(
      views.join('; ') === books.join('; '),
      `the directory has ${views.join('; ')}; the events result in ${books.join('; ')}`,
    );
  }

  #compareStep(recorded: RecordedStep): void {
    const { flow, step, commandId, offerId, receipt } = recorded;
    const name = `${nameOf(flow)} ${step}`;
    const entry = this.ledger.entries[receipt.ledgerOffset - 1];
    demand(entry !== undefined, `${name} has a receipt at offset ${receipt.ledgerOffset}, which the ledger has not reached`);
    const { command, receipt: found } = entry;
    demand(
      unprovenId(command.commandId) === commandId,
      `${name} has the receipt of ${command.commandId} instead of ${commandId}`,
    );
    demand(found.ledgerEventId === receipt.ledgerEventId, `${name} has another event id than the ledger`);
    const isAccepted = found.outcome === 'sequenced_accepted';
    if (isAccepted) demand((found.createdId ?? '') === receipt.createdId, `${name} names another contract than the ledger`);
    else if (receipt.outcome === 'rejected') {
      const reason = this.#reasonOf(recorded, found.reason);
      demand(receipt.reason === reason, `${name} is recorded as ${receipt.reason}, and the ledger has ${reason}`);
    }
    // The owner accepted the offer by another command.
    const isAcceptedElsewhere = step === 'owner_offer_acceptance' && this.ledger.offers.get(offerId)?.status === 'accepted';
    const isRight = receipt.outcome === 'accepted' ? isAccepted || isAcceptedElsewhere : !isAccepted;
    demand(isRight, `${name} is recorded as ${receipt.outcome}, and the ledger has ${found.outcome}`);
  }

  /** The journal says how an offer was closed; the ledger says only that it was. */
  #reasonOf({ flow, step, offerId, isRenewal }: RecordedStep, reason: string | undefined): string | undefined {
    if (reason !== 'offer_closed') return reason;
    const status = this.ledger.offers.get(offerId)?.status;
    if (status === 'withdrawn') return 'offer_withdrawn';
    const isLastOffer = flow.kind === 'deposit' && step === 'offer_withdrawal' && !isRenewal;
    return isLastOffer && status === 'accepted' ? 'offer_accepted' : 'offer_closed';
  }

  /** What the ledger carried out for the venue is in the journal. */
  #compareEntries(): void {
    const { entries } = this.ledger;
    for (; this.#comparedEntries < entries.length; this.#comparedEntries += 1) {
      const { commandId } = entries[this.#comparedEntries]!.command;
      if (commandId.startsWith(ELSEWHERE)) continue;
      demand(this.journal.submitted.has(unprovenId(commandId)), `the ledger has ${commandId}, which the journal has not`);
    }
  }

  /** Each account has the party that the ledger allocated for it, and no other account has it. */
  #compareParties(): void {
    const accounts = new Map<string, number>();
    for (const [account, { partyId, ledgerKey }] of this.journal.parties) {
      if (partyId === '') continue;
      demand(!accounts.has(partyId), `the party ${partyId} belongs to accounts ${accounts.get(partyId)} and ${account}`);
      accounts.set(partyId, account);
      const receipt = this.ledger.byCommand.get(`${nonceOf(ledgerKey)}-party_allocation-1`)?.receipt;
      const allocated = receipt?.outcome === 'sequenced_accepted' ? receipt.createdId : undefined;
      demand(allocated === partyId, `account ${account} has the party ${partyId}; the ledger allocated ${allocated}`);
    }
  }

  /** Every offer of a flow is to its party and of its amount, and only that party pays into the custody for it. */
  #compareReceivers(): void {
    const flows = new Map([...this.journal.flows.values()].map((flow) => [flow.nonce, flow]));
    for (const { commandId, receiver, amount } of this.ledger.offers.values()) {
      const flow = flows.get(keyOf(commandId));
      if (flow === undefined) continue;
      demand(
        receiver === flow.partyId && amount === flow.amountAtoms,
        `${nameOf(flow)} of ${flow.amountAtoms} to ${flow.partyId} offers ${amount} to ${receiver}`,
      );
    }
    for (const { command } of this.ledger.accepted) {
      if (command.step !== 'owner_account_acceptance') continue;
      const flow = flows.get(keyOf(command.commandId));
      demand(flow === undefined || flow.partyId === command.partyId, `${flow && nameOf(flow)} is paid by ${command.partyId}`);
    }
  }

  #compareMoney(): void {
    const paid = this.#paidByFlow();
    let expectedAtoms = paid.elsewhere;
    for (const flow of this.journal.flows.values()) {
      const { inAtoms, outAtoms, offers } = paid.of(flow);
      const name = nameOf(flow);
      if (flow.kind === 'deposit') {
        demand(inAtoms === 0 || inAtoms === flow.amountAtoms, `${name} of ${flow.amountAtoms} paid ${inAtoms} into the custody`);
        demand(flow.end !== 'confirmed' || inAtoms > 0, `${name} is confirmed, and nothing was paid into the custody`);
        demand(offers.accepted + offers.open <= 1, `${name} has ${offers.accepted} accepted and ${offers.open} open offers`);
      } else {
        demand(offers.accepted + offers.open <= 1, `${name} has ${offers.accepted} accepted and ${offers.open} open offers`);
        demand(flow.end !== 'settled' || offers.accepted === 1, `${name} is settled, and its offer is not accepted`);
        demand(
          flow.end !== 'blocked' || offers.accepted + offers.open === 0,
          `${name} is released, and its offer is accepted or open`,
        );
      }
      // Confirmed or in flight: each counts once.
      expectedAtoms += inAtoms - outAtoms;
    }
    demand(
      this.ledger.custodyAtoms === expectedAtoms,
      `the custody has ${this.ledger.custodyAtoms}; deposits less payouts are ${expectedAtoms}`,
    );
    const { creditedAtoms, settledAtoms } = this.journal.cash;
    demand(creditedAtoms <= paid.inAtoms, `deposits of ${creditedAtoms} are credited, and ${paid.inAtoms} came into the custody`);
    demand(settledAtoms <= paid.outAtoms, `withdrawals of ${settledAtoms} are settled, and ${paid.outAtoms} left the custody`);
    // Only flows that are still open may differ.
    const openIn = sumOf(this.journal.open('deposit').map((flow) => paid.of(flow).inAtoms));
    const openOut = sumOf(this.journal.open('withdrawal').map((flow) => paid.of(flow).outAtoms));
    demand(creditedAtoms === paid.inAtoms - openIn, `${creditedAtoms} is credited of ${paid.inAtoms - openIn} that came in`);
    demand(settledAtoms === paid.outAtoms - openOut, `${settledAtoms} is settled of ${paid.outAtoms - openOut} that left`);
  }

  #paidByFlow() {
    const ins = new Map<string, number>();
    let elsewhere = 0;
    for (const { command } of this.ledger.accepted) {
      if (command.step !== 'owner_account_acceptance') continue;
      if (command.commandId.startsWith(ELSEWHERE)) elsewhere += command.amountAtoms;
      else ins.set(keyOf(command.commandId), (ins.get(keyOf(command.commandId)) ?? 0) + command.amountAtoms);
    }
    const offersByKey = new Map<string, { open: number; accepted: number; withdrawn: number; outAtoms: number }>();
    for (const { commandId, status, amount } of this.ledger.offers.values()) {
      const counts = offersByKey.get(keyOf(commandId)) ?? { open: 0, accepted: 0, withdrawn: 0, outAtoms: 0 };
      offersByKey.set(keyOf(commandId), counts);
      counts[status] += 1;
      if (status === 'accepted' && commandId.includes('-payout_offer-')) counts.outAtoms += amount;
    }
    const of = ({ nonce }: Flow) => {
      const offers = offersByKey.get(nonce) ?? { open: 0, accepted: 0, withdrawn: 0, outAtoms: 0 };
      return { inAtoms: ins.get(nonce) ?? 0, outAtoms: offers.outAtoms, offers };
    };
    const outAtoms = sumOf([...offersByKey.values()].map((offers) => offers.outAtoms));
    return { of, elsewhere, inAtoms: sumOf([...ins.values()]), outAtoms };
  }
}

/** Keys have no hyphen. */
function keyOf(commandId: string): string {
  return commandId.slice(0, commandId.indexOf('-'));
}

function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0);
}

interface ComparedState {
  readonly kind: string;
  readonly ordinal: number;
  readonly status: string;
  readonly step: string | null;
  readonly attempt: number;
  readonly isSubmitted: boolean;
  readonly offerId: string;
  readonly offerExpiresAtEpochMs: number;
}

function stateOf({ kind, ordinal, status, step, attempt, isSubmitted, offerId, offerExpiresAtEpochMs }: ComparedState): string {
  return [kind, ordinal, status, step, attempt, isSubmitted, offerId, offerExpiresAtEpochMs].join(' ');
}
