/**
 * Ids. Inside the venue they are small integers that the core assigns in order; on the wire they are strings. Parsing returns `undefined`
 * for malformed text, so callers treat it like an unknown id.
 */

declare const identity: unique symbol;
type Ordinal<Name extends string> = number & { readonly [identity]: Name };

/** The sequence of a command in the journal; the first is 1. */
export type Sequence = Ordinal<'Sequence'>;
/** The core numbers accounts, markets, orders, trades, position episodes, withdrawals, deposits, funding intents and affiliates, each from 1. */
export type AccountOrdinal = Ordinal<'AccountOrdinal'>;
export type MarketOrdinal = Ordinal<'MarketOrdinal'>;
export type OrderOrdinal = Ordinal<'OrderOrdinal'>;
export type TradeOrdinal = Ordinal<'TradeOrdinal'>;
export type PositionOrdinal = Ordinal<'PositionOrdinal'>;
export type WithdrawalOrdinal = Ordinal<'WithdrawalOrdinal'>;
export type DepositOrdinal = Ordinal<'DepositOrdinal'>;
export type FundingIntentOrdinal = Ordinal<'FundingIntentOrdinal'>;
/** The same of agents: drafts, deployments, and the actions of all deployments together. */
export type AgentDraftOrdinal = Ordinal<'AgentDraftOrdinal'>;
export type AgentDeploymentOrdinal = Ordinal<'AgentDeploymentOrdinal'>;
export type AgentActionOrdinal = Ordinal<'AgentActionOrdinal'>;
export type AffiliateOrdinal = Ordinal<'AffiliateOrdinal'>;

const ACCOUNT_ID = /^acct-([1-9][0-9]{0,9})$/;
const NUMBERED_ID = /^[1-9][0-9]{0,14}$/;
const WITHDRAWAL_PREFIX = 'withdrawal-';
const DEPOSIT_PREFIX = 'dep-';
const FUNDING_INTENT_PREFIX = 'intent-';
const AFFILIATE_PREFIX = 'aff-';

/** `acct-7` */
export function renderAccountId(account: AccountOrdinal): string {
  return `acct-${account}`;
}

export function parseAccountId(text: string): AccountOrdinal | undefined {
  const match = ACCOUNT_ID.exec(text);
  return match === null ? undefined : (Number(match[1]) as AccountOrdinal);
}

/** These ids are their plain digits. */
export function renderOrdinal(
  ordinal: OrderOrdinal | TradeOrdinal | PositionOrdinal | AgentDraftOrdinal | AgentDeploymentOrdinal | AgentActionOrdinal,
): string {
  return String(ordinal);
}

export function parseAgentDraftId(text: string): AgentDraftOrdinal | undefined {
  return NUMBERED_ID.test(text) ? (Number(text) as AgentDraftOrdinal) : undefined;
}

export function parseAgentDeploymentId(text: string): AgentDeploymentOrdinal | undefined {
  return NUMBERED_ID.test(text) ? (Number(text) as AgentDeploymentOrdinal) : undefined;
}

export function parseOrderId(text: string): OrderOrdinal | undefined {
  return NUMBERED_ID.test(text) ? (Number(text) as OrderOrdinal) : undefined;
}

/** `withdrawal-7` */
export function renderWithdrawalId(withdrawal: WithdrawalOrdinal): string {
  return `${WITHDRAWAL_PREFIX}${withdrawal}`;
}

export function parseWithdrawalId(text: string): WithdrawalOrdinal | undefined {
  return numberAfter(WITHDRAWAL_PREFIX, text) as WithdrawalOrdinal | undefined;
}

/** `dep-7` */
export function renderDepositId(deposit: DepositOrdinal): string {
  return `${DEPOSIT_PREFIX}${deposit}`;
}

export function parseDepositId(text: string): DepositOrdinal | undefined {
  return numberAfter(DEPOSIT_PREFIX, text) as DepositOrdinal | undefined;
}

/** `intent-7` */
export function renderFundingIntentId(intent: FundingIntentOrdinal): string {
  return `${FUNDING_INTENT_PREFIX}${intent}`;
}

export function parseFundingIntentId(text: string): FundingIntentOrdinal | undefined {
  return numberAfter(FUNDING_INTENT_PREFIX, text) as FundingIntentOrdinal | undefined;
}

/** `aff-7` */
export function renderAffiliateId(affiliate: AffiliateOrdinal): string {
  return `${AFFILIATE_PREFIX}${affiliate}`;
}

function numberAfter(prefix: string, text: string): number | undefined {
  if (!text.startsWith(prefix)) return undefined;
  const digits = text.slice(prefix.length);
  return NUMBERED_ID.test(digits) ? Number(digits) : undefined;
}
