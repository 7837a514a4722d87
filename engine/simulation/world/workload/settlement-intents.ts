/**
 * The commands of a test world for deposits and withdrawals on the external ledger. Owners start them; the coordinator submits
 * the steps and records receipts, most of them for what is due, some twice, late or for another attempt.
 */
import type { AccountOrdinal, DepositOrdinal, FundingIntentOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import { type EpochMs, epochMs, quoteAtoms } from '#units/money.ts';
import type { DepositStep } from '#venue/transfer/deposit-steps.ts';
import { DEPOSIT_STEPS } from '#venue/transfer/deposit-steps.ts';
import type { LedgerEvent, StepReceipt } from '#venue/transfer/ledger-steps.ts';
import type { WithdrawalStep } from '#venue/transfer/withdrawal-steps.ts';
import { WITHDRAWAL_STEPS } from '#venue/transfer/withdrawal-steps.ts';
import type { Intents } from './intent.ts';
import type { Scene, Sender } from './sender.ts';
import type { SeenFlow } from './settlement-view.ts';

type SettlementKind =
  | 'GrantFaucet'
  | 'BindDeposit'
  | 'SubmitDepositStep'
  | 'RecordDepositStep'
  | 'RenewDeposit'
  | 'RequestWithdrawal'
  | 'ReserveOnLedger'
  | 'AuthorizeWithdrawal'
  | 'SubmitWithdrawalStep'
  | 'RecordWithdrawalStep'
  | 'BlockWithdrawal'
  | 'RenewWithdrawal'
  | 'BindLedger'
  | 'AcceptLedgerEntries'
  | 'GuardLedger';

/** Of requests that have one. */
const MINIMUM = quoteAtoms(1_000);

const OWNERS = { maker: 0.2, taker: 0.4, gambler: 0.4, duplicator: 0.4, stranger: 0.3 } as const;

export const SETTLEMENT_INTENTS: Pick<Intents, SettlementKind> = {
  GrantFaucet: {
    weights: OWNERS,
    make: (sender) => ({
      type: 'GrantFaucet',
      account: ownerOf(sender),
      amountAtoms: quoteAtoms(sender.random.chance(0.05) ? 0 : 1_000_000_000),
    }),
  },
  BindDeposit: {
    weights: OWNERS,
    make: (sender, { view }) => {
      const own = [...view.settlement.intents].filter(([, account]) => account === sender.account);
      const [intent, account] = own[0] ?? [sender.random.between(0, 3), ownerOf(sender)];
      return {
        type: 'BindDeposit',
        account: account as AccountOrdinal,
        intent: intent as FundingIntentOrdinal,
        ledgerKey: sender.newText(),
      };
    },
  },
  SubmitDepositStep: {
    weights: { coordinator: 10 },
    make: (sender, scene) => {
      const due = pick(sender, scene.view.settlement.deposits, ({ isSubmitted }) => !isSubmitted);
      const step = (due?.step ?? sender.random.pick(DEPOSIT_STEPS)) as DepositStep;
      return {
        type: 'SubmitDepositStep',
        deposit: ordinalOf(sender, due) as DepositOrdinal,
        step,
        attempt: attemptOf(sender, due),
        offerExpiresAtEpochMs: expiryOf(sender, scene, step),
      };
    },
  },
  RecordDepositStep: {
    weights: { coordinator: 10 },
    make: (sender, { view }) => {
      const due = pick(sender, view.settlement.deposits, ({ isSubmitted }) => isSubmitted);
      return {
        type: 'RecordDepositStep',
        deposit: ordinalOf(sender, due) as DepositOrdinal,
        step: (due?.step ?? sender.random.pick(DEPOSIT_STEPS)) as DepositStep,
        attempt: attemptOf(sender, due),
        ...receiptFor(sender),
      };
    },
  },
  RenewDeposit: {
    weights: { coordinator: 5 },
    make: (sender, { view }) => {
      const due = pick(sender, view.settlement.deposits, ({ step }) => step === 'owner_offer_acceptance');
      return { type: 'RenewDeposit', deposit: ordinalOf(sender, due) as DepositOrdinal };
    },
  },
  RequestWithdrawal: {
    weights: OWNERS,
    make: (sender, { view }) => {
      const account = ownerOf(sender);
      const available = view.account(account)?.available ?? 0;
      const part = sender.random.chance(0.1) ? 3 : 0.1;
      return {
        type: 'RequestWithdrawal',
        account,
        amountAtoms: quoteAtoms(Math.floor(available * sender.random.fraction() * part)),
        destination: sender.random.chance(0.95) ? `party-${account}` : sender.newText(),
        ledgerKey: sender.newText(),
        idempotencyKey: sender.newText(),
        // Earlier programs sent none.
        ...(available % 2 === 0 && { minimumAtoms: MINIMUM }),
      };
    },
  },
  ReserveOnLedger: {
    weights: { coordinator: 8 },
    make: (sender, { view }) => ({
      type: 'ReserveOnLedger',
      withdrawal: ordinalOf(
        sender,
        pick(sender, view.settlement.withdrawals, ({ status }) => status === 'requested'),
      ) as WithdrawalOrdinal,
    }),
  },
  AuthorizeWithdrawal: {
    weights: { coordinator: 8, stranger: 0.2 },
    make: (sender, { view }) => {
      const due = pick(sender, view.settlement.withdrawals, ({ status }) => status === 'reserved');
      return {
        type: 'AuthorizeWithdrawal',
        account: (due?.account ?? 1) as AccountOrdinal,
        withdrawal: ordinalOf(sender, due) as WithdrawalOrdinal,
      };
    },
  },
  SubmitWithdrawalStep: {
    weights: { coordinator: 18 },
    make: (sender, scene) => {
      const due = pick(
        sender,
        scene.view.settlement.withdrawals,
        ({ status, isSubmitted }) => !isSubmitted && (status === 'authorized' || status === 'submitted'),
      );
      const step = (due?.step ?? sender.random.pick(WITHDRAWAL_STEPS)) as WithdrawalStep;
      return {
        type: 'SubmitWithdrawalStep',
        withdrawal: ordinalOf(sender, due) as WithdrawalOrdinal,
        step,
        attempt: attemptOf(sender, due),
        offerExpiresAtEpochMs: expiryOf(sender, scene, step),
      };
    },
  },
  RecordWithdrawalStep: {
    weights: { coordinator: 18 },
    make: (sender, { view }) => {
      const due = pick(sender, view.settlement.withdrawals, ({ isSubmitted }) => isSubmitted);
      return {
        type: 'RecordWithdrawalStep',
        withdrawal: ordinalOf(sender, due) as WithdrawalOrdinal,
        step: (due?.step ?? sender.random.pick(WITHDRAWAL_STEPS)) as WithdrawalStep,
        attempt: attemptOf(sender, due),
        ...receiptFor(sender),
      };
    },
  },
  BlockWithdrawal: {
    weights: { coordinator: 0.4 },
    make: (sender, { view }) => ({
      type: 'BlockWithdrawal',
      withdrawal: ordinalOf(
        sender,
        pick(sender, view.settlement.withdrawals, () => true),
      ) as WithdrawalOrdinal,
      reason: sender.newText(),
    }),
  },
  RenewWithdrawal: {
    weights: { coordinator: 8 },
    make: (sender, { view }) => {
      const due = pick(sender, view.settlement.withdrawals, ({ step }) => step === 'owner_offer_acceptance');
      return { type: 'RenewWithdrawal', withdrawal: ordinalOf(sender, due) as WithdrawalOrdinal };
    },
  },
  BindLedger: {
    weights: { operator: 0.8 },
    make: (sender) => ({
      type: 'BindLedger',
      ledgerId: sender.newText(),
      treasuryPartyId: sender.newText(),
      custodyPartyId: sender.newText(),
    }),
  },
  AcceptLedgerEntries: {
    weights: { operator: 0.8 },
    // Mostly after the receipts' offsets.
    make: (sender) => ({
      type: 'AcceptLedgerEntries',
      ...ledgerEventFor(sender),
      ledgerOffset: sender.random.between(0, 100_000),
      reason: sender.newText(),
    }),
  },
  GuardLedger: {
    weights: { operator: 0.4 },
    make: () => ({ type: 'GuardLedger' }),
  },
};

/** Strangers use any account. */
function ownerOf({ tradingStyle, account, random }: Sender): AccountOrdinal {
  return (tradingStyle === 'stranger' ? random.between(0, 40) : account) as AccountOrdinal;
}

function pick(
  { random }: Sender,
  flows: ReadonlyMap<number, SeenFlow>,
  isWanted: (flow: SeenFlow) => boolean,
): SeenFlow | undefined {
  const wanted = [...flows.values()].filter(isWanted);
  // Mostly the oldest, so that some reach their end.
  if (wanted.length > 0 && random.chance(0.95)) return random.chance(0.7) ? wanted[0] : random.pick(wanted);
  return flows.size > 0 && random.chance(0.5) ? random.pick([...flows.values()]) : undefined;
}

function ordinalOf({ random }: Sender, flow: SeenFlow | undefined): number {
  return flow?.ordinal ?? random.between(0, 10);
}

function attemptOf({ random }: Sender, flow: SeenFlow | undefined): number {
  return (flow?.attempt ?? 1) + (random.chance(0.03) ? random.pick([-1, 1]) : 0);
}

/** Offers expire soon, so that some are renewed. */
function expiryOf({ random }: Sender, scene: Scene, step: string): EpochMs {
  const isOffer = step === 'treasury_offer' || step === 'payout_offer';
  if (isOffer === random.chance(0.02)) return epochMs(0);
  return epochMs(scene.nowEpochMs() + random.between(1, random.chance(0.5) ? 1_000 : 20_000));
}

function receiptFor(sender: Sender): StepReceipt {
  const { random } = sender;
  const isAccepted = random.chance(0.85);
  return {
    outcome: isAccepted ? 'accepted' : 'rejected',
    reason: isAccepted ? '' : random.pick(['offer_closed', 'offer_accepted', 'offer_expired', 'balance_insufficient']),
    createdId: isAccepted && random.chance(0.95) ? sender.newText() : '',
    ...ledgerEventFor(sender),
  };
}

export function ledgerEventFor(sender: Sender): LedgerEvent {
  const { random } = sender;
  return { ledgerEventId: random.chance(0.98) ? sender.newText() : '', ledgerOffset: random.between(0, 10_000) };
}
