/** All operations of the contract, by id; and those of one environment. */

import { accountHistoryOperations } from './account-history.ts';
import { accountLedgerOperations } from './account-ledger.ts';
import { accountOperations } from './accounts.ts';
import { affiliateOperations } from './affiliates.ts';
import { agentAccountOperations } from './agent-accounts.ts';
import { agentActionOperations } from './agent-actions.ts';
import { connectOperations } from './agent-connect.ts';
import { agentDeploymentOperations } from './agent-deployments.ts';
import { agentDraftOperations } from './agent-drafts.ts';
import { agentFundingOperations } from './agent-funding.ts';
import { agentStrategyOperations } from './agent-strategies.ts';
import { apiKeyOperations } from './api-keys.ts';
import { authOperations } from './auth.ts';
import { cancelAllAfterOperations } from './cancel-all-after.ts';
import { depositOperations } from './deposits.ts';
import { byEnvironment, type Environment } from './environments.ts';
import { faucetOperations } from './faucet.ts';
import { favoriteOperations } from './favorites.ts';
import { fundingOperations } from './funding.ts';
import { kycOperations } from './kyc.ts';
import { leaderboardOperations } from './leaderboard.ts';
import { leverageOperations } from './leverage.ts';
import { marketDataOperations } from './market-data.ts';
import { marketOperations } from './markets.ts';
import { openInterestOperations } from './open-interest.ts';
import type { Operation } from './operation.ts';
import { orderAmendmentOperations } from './order-amendments.ts';
import { orderBatchOperations } from './order-batches.ts';
import { orderCancelOperations } from './order-cancels.ts';
import { orderPreviewOperations } from './order-previews.ts';
import { orderOperations } from './orders.ts';
import { sessionOperations } from './owner-sessions.ts';
import { partyOperations } from './party.ts';
import { passkeyOperations } from './passkeys.ts';
import { positionMarginOperations } from './position-margin.ts';
import { realtimeOperations } from './realtime-tickets.ts';
import { signInOperations } from './sign-in.ts';
import { systemOperations } from './system.ts';
import { transferOperations } from './transfers.ts';
import { unifiedOperations } from './unified.ts';
import { withdrawalOperations } from './withdrawals.ts';

export const OPERATIONS = {
  ...systemOperations,
  ...marketOperations,
  ...orderOperations,
  ...orderBatchOperations,
  ...orderAmendmentOperations,
  ...orderCancelOperations,
  ...cancelAllAfterOperations,
  ...orderPreviewOperations,
  ...leaderboardOperations,
  ...marketDataOperations,
  ...openInterestOperations,
  ...accountOperations,
  ...accountHistoryOperations,
  ...transferOperations,
  ...accountLedgerOperations,
  ...fundingOperations,
  ...favoriteOperations,
  ...leverageOperations,
  ...positionMarginOperations,
  ...affiliateOperations,
  ...kycOperations,
  ...authOperations,
  ...signInOperations,
  ...passkeyOperations,
  ...sessionOperations,
  ...partyOperations,
  ...faucetOperations,
  ...depositOperations,
  ...withdrawalOperations,
  ...realtimeOperations,
  ...connectOperations,
  ...apiKeyOperations,
  ...agentStrategyOperations,
  ...agentAccountOperations,
  ...agentFundingOperations,
  ...agentDraftOperations,
  ...agentDeploymentOperations,
  ...agentActionOperations,
  ...unifiedOperations,
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof OPERATIONS;

const OPERATIONS_IN = byEnvironment<Operation>(Object.values(OPERATIONS));

/** The operations that a venue in this environment serves; always the same list. */
export function operationsIn(environment: Environment): readonly Operation[] {
  return OPERATIONS_IN[environment];
}
