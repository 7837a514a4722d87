/** The row types of accounts: their money, keys, settings and figures. Values are stored as in `rows.ts`. */
import type {
  AccountOrdinal,
  AffiliateOrdinal,
  DepositOrdinal,
  MarketOrdinal,
  OrderOrdinal,
  PositionOrdinal,
  Sequence,
  TradeOrdinal,
  WithdrawalOrdinal,
} from '#units/ids.ts';
import type { Bps, EpochMs, QuoteAtoms, WideAtoms } from '#units/money.ts';
import type { AgentFundingDirection } from '#venue/agent-account/agent-funding.ts';
import type { ConsentState, PartyStatus } from '#venue/owner/party.ts';
import type { OpenWithdrawalStatus, WithdrawalStep } from '#venue/transfer/withdrawal-steps.ts';
import type { Flag } from './rows.ts';

/** One of an operator is `reserved`, then `released` or `settled`. One of an owner is open, then `blocked` or `settled`. */
export type WithdrawalStatus = OpenWithdrawalStatus | 'blocked' | 'released' | 'settled';

/** `submitted`: approved and not moved. */
export type AgentFundingStatus = 'prepared' | 'submitted' | 'credited' | 'refused';

export interface AccountRow {
  readonly account: AccountOrdinal;
  readonly label: string;
  /** Empty while no party is bound. */
  readonly partyId: string;
  /** The last change of its party, wallet or consent. */
  readonly partySequence: Sequence;
  readonly partyStatus: PartyStatus;
  /** It was opened by the registration of an owner. */
  readonly isOwner: Flag;
  /** The account of its owner if it is an agent account; otherwise 0. */
  readonly agentOwner: AccountOrdinal | 0;
  /** It has a signing wallet. */
  readonly hasWallet: Flag;
  readonly consentState: ConsentState;
  /** Why the ledger did not create the consent; else empty. */
  readonly consentReason: string;
  readonly isRetired: Flag;
  /** Retired as legacy. */
  readonly isLegacy: Flag;
  readonly cashAtoms: QuoteAtoms;
  readonly reservedAtoms: QuoteAtoms;
  /** The account of the affiliate that referred it. */
  readonly referrer: AccountOrdinal | null;
  /** A fee of it has earned its referrer something. */
  readonly isPayingReferral: Flag;
  /** When its owner skipped KYC; 0 before. */
  readonly kycSkippedAtEpochMs: EpochMs;
  /** The time assigned to the last change of a deposit or withdrawal; 0 before the first. */
  readonly transferredAtEpochMs: EpochMs;
  readonly lastSequence: Sequence;
}

/** A credited deposit. */
export interface DepositRow {
  /** Each deposit is a command of its own, so the sequence identifies it. */
  readonly sequence: Sequence;
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  /** `null` if the operator credited it. */
  readonly deposit: DepositOrdinal | null;
  /** The external ledger's event that confirmed it; empty if the operator credited it. */
  readonly ledgerEventId: string;
  readonly updatedAtEpochMs: EpochMs;
}

/** An affiliate, with the totals since its registration and those of the day of its last fee. */
export interface AffiliateRow {
  readonly account: AccountOrdinal;
  readonly affiliate: AffiliateOrdinal;
  readonly referralCode: string;
  readonly shareBps: Bps;
  readonly registeredAtEpochMs: EpochMs;
  readonly referredAccounts: number;
  /** Those whose fees have earned something. */
  readonly payingAccounts: number;
  readonly fills: number;
  readonly feesAtoms: WideAtoms;
  readonly earnedAtoms: WideAtoms;
  /** The start of the UTC day of the last fee, or of the registration. */
  readonly dayEpochMs: EpochMs;
  readonly dayFills: number;
  readonly dayFeesAtoms: WideAtoms;
  readonly dayEarnedAtoms: WideAtoms;
  readonly lastSequence: Sequence;
}

/** What an affiliate earned on a UTC day with at least one fee. */
export interface AffiliateDayRow {
  readonly account: AccountOrdinal;
  readonly dayEpochMs: EpochMs;
  readonly fills: number;
  readonly feesAtoms: WideAtoms;
  readonly earnedAtoms: WideAtoms;
}

/** Whether an account has marked a market. */
export interface FavoriteRow {
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly isFavorite: Flag;
}

/** The leverage that an account chose in a market; 0 if it returned to the default. */
export interface LeverageRow {
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly leverageHundredths: number;
}

/** An account's leaderboard listing; name and handle are empty while it is not shown. */
export interface LeaderboardListingRow {
  readonly account: AccountOrdinal;
  readonly isShown: Flag;
  readonly displayName: string;
  readonly handle: string;
  /** The start of the UTC day in which the account opted in; earlier days do not count. 0 while it is not shown. */
  readonly shownDayEpochMs: EpochMs;
}

/** The total profit (realized PnL minus fees and funding, with what the insurance fund covered) and volume of an account since its first trade. */
export interface ResultRow {
  readonly account: AccountOrdinal;
  readonly pnlAtoms: WideAtoms;
  readonly volumeAtoms: WideAtoms;
  /** The start of the UTC day of the last change. */
  readonly dayEpochMs: EpochMs;
}

/** The totals before a day in which they changed: the opening values of a window. */
export interface DayOpeningRow {
  readonly account: AccountOrdinal;
  readonly dayEpochMs: EpochMs;
  readonly pnlAtoms: WideAtoms;
  readonly volumeAtoms: WideAtoms;
}

export interface ApiKeyRow {
  readonly keyId: string;
  readonly account: AccountOrdinal;
  readonly digest: string;
  /** Separated by spaces. */
  readonly scopes: string;
  readonly label: string;
  readonly issuedAtEpochMs: EpochMs;
  /** 0 for never. */
  readonly expiresAtEpochMs: EpochMs;
  readonly isRevoked: Flag;
}

/** A withdrawal, from its reservation or request until it ends. */
export interface WithdrawalRow {
  readonly withdrawal: WithdrawalOrdinal;
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  readonly destination: string;
  /** Of the owner's request; empty for one of the operator. */
  readonly idempotencyKey: string;
  readonly reservedAtEpochMs: EpochMs;
  readonly status: WithdrawalStatus;
  /** Why it was blocked, or empty. */
  readonly reason: string;
  /** The step that is due on the external ledger; empty for one of the operator, and at its end. */
  readonly step: WithdrawalStep | '';
  readonly isSubmitted: Flag;
  /** Of the payout offer; 0 before it. */
  readonly offerExpiresAtEpochMs: EpochMs;
  /** The external ledger's newest event of it; empty before the first. */
  readonly ledgerEventId: string;
  /** `null` while it is open. */
  readonly endedAtEpochMs: EpochMs | null;
  /** The time assigned to its last change in the account's list. */
  readonly updatedAtEpochMs: EpochMs;
  readonly lastSequence: Sequence;
}

/** A cash transfer between accounts. Each is a command of its own, so the sequence identifies it. */
export interface TransferRow {
  readonly sequence: Sequence;
  readonly fromAccount: AccountOrdinal;
  readonly toAccount: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  readonly reference: string;
  readonly transferredAtEpochMs: EpochMs;
}

export type CashMovementKind =
  | 'deposit'
  | 'withdrawal'
  | 'withdrawal_release'
  | 'transfer'
  | 'liquidation_fee'
  | 'insurance_covered'
  | 'insurance_repaid';

/** A posting of cash in the ledger of an account that its fills do not have. */
export interface CashMovementRow {
  readonly account: AccountOrdinal;
  readonly movedAtEpochMs: EpochMs;
  readonly sequence: Sequence;
  /** Its index among the events of the record. */
  readonly posting: number;
  readonly kind: CashMovementKind;
  /** Negative if the account paid. */
  readonly amountAtoms: QuoteAtoms;
  /** The market and the position whose close or margin caused it, and the fill; 0 without a cause of that kind. */
  readonly market: MarketOrdinal | 0;
  readonly position: PositionOrdinal | 0;
  readonly order: OrderOrdinal | 0;
  readonly trade: TradeOrdinal | 0;
  /** The id of a deposit or withdrawal, the reference of a transfer; else empty. */
  readonly reference: string;
}

/** A funding between an owner and one of its agent accounts, as it was created. */
export interface AgentFundingRow {
  readonly transferId: string;
  /** The account of the owner. */
  readonly account: AccountOrdinal;
  readonly agentAccount: AccountOrdinal;
  readonly direction: AgentFundingDirection;
  readonly amountAtoms: QuoteAtoms;
  /** Of the record that created it. Each is a command of its own. */
  readonly createdSequence: Sequence;
  readonly createdAtEpochMs: EpochMs;
  readonly expiresAtEpochMs: EpochMs;
}

/** What has become of a funding. In a table of its own: an event replaces the row and needs no earlier one. */
export interface AgentFundingStateRow {
  readonly transferId: string;
  /** One that is `prepared` may have expired. */
  readonly status: AgentFundingStatus;
  /** Of the record that moved the money; `null` before it. */
  readonly movedSequence: Sequence | null;
}
