/** The layout of the settlement state in a snapshot. Lists have 32-bit counts, because they grow for the life of a venue. */
import type { Cursor } from '#venue/record/cursor.ts';
import { longList } from '#venue/record/long-list.ts';
import { DEPOSIT_STEPS, DUE_DEPOSIT_STEPS } from './deposit-steps.ts';
import {
  type BoundLedger,
  type Deposit,
  FUNDING_SOURCES,
  type FundingIntent,
  LAST_OUTCOMES,
  type OwnerWithdrawal,
  type SettlementState,
} from './settlement-state.ts';
import { OPEN_WITHDRAWAL_STATUSES, WITHDRAWAL_STEPS } from './withdrawal-steps.ts';

/** Reading changes `it`. */
export function settlementLayout(io: Cursor, it: SettlementState): void {
  for (const intent of longList(io, [...it.intents.values()], intentLayout)) it.putIntent(intent);
  for (const deposit of longList(io, [...it.deposits.values()], depositLayout)) it.putDeposit(deposit);
  for (const withdrawal of longList(io, [...it.withdrawals.values()], withdrawalLayout)) it.putWithdrawal(withdrawal);
  for (const moneyId of longList(io, [...it.moneyIds], (cursor, id) => cursor.text(id))) it.moneyIds.add(moneyId);
  if (io.flag(it.ledger !== undefined)) it.ledger = io.part(it.ledger, ledgerLayout);
  it.ledgerHead = { offset: io.int(it.ledgerHead.offset), ledgerEventId: io.text(it.ledgerHead.ledgerEventId) };
}

function intentLayout(io: Cursor, it: FundingIntent): FundingIntent {
  return {
    intent: io.int(it.intent),
    account: io.u32(it.account),
    amountAtoms: io.int(it.amountAtoms),
    source: io.oneOf(FUNDING_SOURCES, it.source),
    createdAtEpochMs: io.int(it.createdAtEpochMs),
    deposit: io.int(it.deposit),
  };
}

function depositLayout(io: Cursor, it: Deposit): Deposit {
  return {
    deposit: io.int(it.deposit),
    intent: io.int(it.intent),
    account: io.u32(it.account),
    amountAtoms: io.int(it.amountAtoms),
    ledgerKey: io.text(it.ledgerKey),
    partyId: io.text(it.partyId),
    step: io.oneOf(DUE_DEPOSIT_STEPS, it.step),
    attempt: io.u32(it.attempt),
    isSubmitted: io.flag(it.isSubmitted),
    isRenewal: io.flag(it.isRenewal),
    offerId: io.text(it.offerId),
    offerExpiresAtEpochMs: io.int(it.offerExpiresAtEpochMs),
    lastStep: io.oneOf(DEPOSIT_STEPS, it.lastStep),
    lastOutcome: io.oneOf(LAST_OUTCOMES, it.lastOutcome),
    lastReason: io.text(it.lastReason),
    ledgerEventId: io.text(it.ledgerEventId),
  };
}

function withdrawalLayout(io: Cursor, it: OwnerWithdrawal): OwnerWithdrawal {
  return {
    withdrawal: io.int(it.withdrawal),
    account: io.u32(it.account),
    amountAtoms: io.int(it.amountAtoms),
    destination: io.text(it.destination),
    ledgerKey: io.text(it.ledgerKey),
    idempotencyKey: io.text(it.idempotencyKey),
    status: io.oneOf(OPEN_WITHDRAWAL_STATUSES, it.status),
    requestedAtEpochMs: io.int(it.requestedAtEpochMs),
    step: io.oneOf(WITHDRAWAL_STEPS, it.step),
    attempt: io.u32(it.attempt),
    isSubmitted: io.flag(it.isSubmitted),
    isRenewal: io.flag(it.isRenewal),
    consentId: io.text(it.consentId),
    offerId: io.text(it.offerId),
    offerExpiresAtEpochMs: io.int(it.offerExpiresAtEpochMs),
    reason: io.text(it.reason),
  };
}

function ledgerLayout(io: Cursor, it: BoundLedger): BoundLedger {
  return {
    ledgerId: io.text(it.ledgerId),
    treasuryPartyId: io.text(it.treasuryPartyId),
    custodyPartyId: io.text(it.custodyPartyId),
  };
}
