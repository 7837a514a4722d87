/** The rules of all commands. */

import { ACCOUNT_COMMANDS } from './account/administration.ts';
import { KYC_COMMANDS } from './account/kyc.ts';
import { LEVERAGE_COMMANDS } from './account/leverage.ts';
import { PREFERENCE_COMMANDS } from './account/preferences.ts';
import { RETIREMENT_COMMANDS } from './account/retirement.ts';
import { AFFILIATE_COMMANDS } from './affiliate/registration.ts';
import { DEPLOYING_COMMANDS } from './agent/deploying.ts';
import { DRAFTING_COMMANDS } from './agent/drafting.ts';
import { PAPER_TRADING_COMMANDS } from './agent/paper-trading.ts';
import { AGENT_FUNDING_COMMANDS } from './agent-account/funding.ts';
import { AGENT_ACCOUNT_OPENING_COMMANDS } from './agent-account/opening.ts';
import type { Command } from './command.ts';
import type { CommandRule, CommandRules } from './command-rule.ts';
import { MARKET_ADMINISTRATION_COMMANDS } from './market/administration.ts';
import { PRICE_COMMANDS } from './market/prices.ts';
import { MARKET_UPDATE_COMMANDS } from './market/update.ts';
import { AMENDMENT_COMMANDS } from './order/amendment.ts';
import { BATCH_COMMANDS } from './order/batch.ts';
import { CANCEL_ALL_AFTER_COMMANDS } from './order/cancel-all-after.ts';
import { CANCELLATION_COMMANDS } from './order/cancellation.ts';
import { DUE_ORDERS_COMMANDS } from './order/due-orders.ts';
import { PLACEMENT_COMMANDS } from './order/placement.ts';
import { CONSENT_COMMANDS } from './owner/consents.ts';
import { PARTY_COMMANDS } from './owner/parties.ts';
import { PASSKEY_COMMANDS } from './owner/passkeys.ts';
import { MARGIN_COMMANDS } from './position/margin-adjustment.ts';
import { SWITCH_COMMANDS } from './switches/administration.ts';
import { DEPOSIT_COMMANDS } from './transfer/deposit.ts';
import { FAUCET_COMMANDS } from './transfer/faucet.ts';
import { LEDGER_ACCEPTANCE_COMMANDS } from './transfer/ledger-acceptance.ts';
import { LEDGER_BINDING_COMMANDS } from './transfer/ledger-binding.ts';
import { LEDGER_GUARD_COMMANDS } from './transfer/ledger-guard.ts';
import { OWNER_WITHDRAWAL_COMMANDS } from './transfer/owner-withdrawal.ts';
import { TRANSFER_COMMANDS } from './transfer/transfer.ts';
import { WITHDRAWAL_COMMANDS } from './transfer/withdrawal.ts';
import { WITHDRAWAL_STEP_COMMANDS } from './transfer/withdrawal-step.ts';

export const COMMANDS: CommandRules<Command> = {
  ...ACCOUNT_COMMANDS,
  ...RETIREMENT_COMMANDS,
  ...PREFERENCE_COMMANDS,
  ...LEVERAGE_COMMANDS,
  ...KYC_COMMANDS,
  ...AFFILIATE_COMMANDS,
  ...MARKET_ADMINISTRATION_COMMANDS,
  ...MARKET_UPDATE_COMMANDS,
  ...PRICE_COMMANDS,
  ...BATCH_COMMANDS,
  ...AMENDMENT_COMMANDS,
  ...CANCELLATION_COMMANDS,
  ...DUE_ORDERS_COMMANDS,
  ...CANCEL_ALL_AFTER_COMMANDS,
  ...PLACEMENT_COMMANDS,
  ...MARGIN_COMMANDS,
  ...PASSKEY_COMMANDS,
  ...PARTY_COMMANDS,
  ...CONSENT_COMMANDS,
  ...SWITCH_COMMANDS,
  ...DEPOSIT_COMMANDS,
  ...FAUCET_COMMANDS,
  ...LEDGER_BINDING_COMMANDS,
  ...LEDGER_ACCEPTANCE_COMMANDS,
  ...LEDGER_GUARD_COMMANDS,
  ...OWNER_WITHDRAWAL_COMMANDS,
  ...TRANSFER_COMMANDS,
  ...WITHDRAWAL_COMMANDS,
  ...WITHDRAWAL_STEP_COMMANDS,
  ...AGENT_ACCOUNT_OPENING_COMMANDS,
  ...DRAFTING_COMMANDS,
  ...DEPLOYING_COMMANDS,
  ...PAPER_TRADING_COMMANDS,
  ...AGENT_FUNDING_COMMANDS,
};

/** The rule of a command, typed for that command. */
export function ruleOf<Kind extends Command>({ type }: Kind): CommandRule<Kind> {
  return COMMANDS[type as Command['type']] as unknown as CommandRule<Kind>;
}
