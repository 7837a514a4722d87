/**
 * The names in the interface that the venue implements: its operations, and the fields that it shows of each resource. All other
 * declarations must be marked as ours.
 */

export interface InterfaceOperation {
  readonly group: string;
  readonly status: number;
  readonly needsIdempotencyKey: boolean;
}

const OPERATIONS = `
System | GET /health | 200
System | GET /ready | 200
System | GET /openapi.json | 200
Affiliates | GET /v1/affiliate/availability | 200
Orders | POST /v1/orders | 202 | key
Orders | POST /v1/orders/batch | 202 | key
Orders | POST /v1/orders/batch/cancel | 200
Orders | POST /v1/orders/preview | 200
Orders | GET /v1/orders/{orderId} | 200
Orders | POST /v1/orders/{orderId}/cancel | 200
Withdrawals | POST /v1/withdrawals | 202 | key
Withdrawals | GET /v1/withdrawals/{withdrawalId} | 200
Withdrawals | POST /v1/withdrawals/{withdrawalId}/confirm | 200 | key
Withdrawals | POST /v1/withdrawals/{withdrawalId}/authorize | 200
Auth | GET /v1/auth/capabilities | 200
Auth | POST /v1/auth/social/register | 200
Auth | POST /v1/auth/social/register/recover | 200
Auth | POST /v1/auth/register/complete | 200
Auth | POST /v1/auth/login/init | 200
Auth | POST /v1/auth/login/complete | 200
Auth | POST /v1/auth/social/login | 200
Auth | POST /v1/auth/mapping/recover | 200
Auth | GET /v1/api-keys/current | 200
Realtime access | POST /v1/realtime/ticket | 200
Realtime access | PUT /v1/realtime/ticket | 200
Realtime access | DELETE /v1/realtime/ticket | 204
Markets | GET /v1/markets | 200
Markets | GET /v1/markets/{marketId} | 200
Markets | GET /v1/markets/{marketId}/stats | 200
Markets | GET /v1/markets/{marketId}/book | 200
Markets | GET /v1/markets/{marketId}/candles | 200
Leaderboard | GET /v1/leaderboard | 200
Market Data | GET /v1/market-data/candidate-markets | 200
Accounts | GET /v1/accounts/{accountId} | 200
Accounts | GET /v1/accounts/{accountId}/positions | 200
Accounts | GET /v1/accounts/{accountId}/positions/history | 200
Accounts | GET /v1/accounts/{accountId}/affiliate/earnings | 200
Accounts | POST /v1/accounts/{accountId}/affiliate/registration | 200
Accounts | GET /v1/accounts/{accountId}/affiliate/profile | 200
Accounts | POST /v1/accounts/{accountId}/kyc/skip | 200
Accounts | GET /v1/accounts/{accountId}/kyc | 200
Accounts | GET /v1/accounts/{accountId}/fills | 200
Accounts | GET /v1/accounts/{accountId}/orders | 200
Accounts | GET /v1/accounts/{accountId}/orders/open | 200
Accounts | GET /v1/accounts/{accountId}/party | 200
Accounts | POST /v1/accounts/{accountId}/party | 200
Accounts | POST /v1/accounts/{accountId}/party/complete | 200
Accounts | POST /v1/accounts/{accountId}/party/consent | 200
Accounts | POST /v1/accounts/{accountId}/local-signing-wallet | 200
Accounts | GET /v1/accounts/{accountId}/local-signing-funding-intents | 200
Accounts | POST /v1/accounts/{accountId}/deposits | 200
Accounts | POST /v1/accounts/{accountId}/deposits/confirm | 200
Accounts | POST /v1/accounts/{accountId}/faucet-grant | 200
Accounts | GET /v1/accounts/{accountId}/transfers | 200
Accounts | GET /v1/accounts/{accountId}/passkeys | 200
Accounts | POST /v1/accounts/{accountId}/passkeys/setup-key | 200
Accounts | PUT /v1/accounts/{accountId}/favorites/{marketId} | 200
Accounts | DELETE /v1/accounts/{accountId}/favorites/{marketId} | 200
Accounts | POST /v1/accounts/{accountId}/agent-accounts/{agentAccountId}/fundings/{transferId}/confirm | 200
Accounts | GET /v1/accounts/{accountId}/agents/{deploymentId}/actions | 200
Accounts | GET /v1/accounts/{accountId}/agents/{deploymentId}/positions | 200
Accounts | POST /v1/accounts/{accountId}/agents/{deploymentId}/realtime-ticket | 200
Agent access | GET /v1/agents/strategies | 200
Unified-library v2 | GET /v2/markets | 200
Unified-library v2 | GET /v2/markets/{symbol}/stats | 200
Unified-library v2 | GET /v2/markets/{symbol}/candles | 200
Unified-library v2 | GET /v2/markets/{symbol}/book | 200
Unified-library v2 | GET /v2/accounts/{accountId} | 200
Unified-library v2 | GET /v2/accounts/{accountId}/positions | 200
Unified-library v2 | POST /v2/orders/{orderId}/cancel | 200
Unified-library v2 | GET /v2/orders/{orderId} | 200
Unified-library v2 | GET /v2/accounts/{accountId}/orders | 200
Unified-library v2 | GET /v2/accounts/{accountId}/orders/open | 200
Unified-library v2 | GET /v2/accounts/{accountId}/fills | 200
Unified-library v2 | POST /v2/order | 200 | key
Unified-library v2 | POST /v2/orders | 200 | key
Unified-library v2 | POST /v2/orders/cancel | 200 | key
Unified-library v2 | GET /v2/not-implemented/fetch-trades | 501
Unified-library v2 | POST /v2/not-implemented/cancel-all-orders | 501
Unified-library v2 | PUT /v2/not-implemented/edit-order | 501
Unified-library v2 | GET /v2/not-implemented/fetch-funding-rate-history | 501
Unified-library v2 | GET /v2/not-implemented/fetch-funding-history | 501
Unified-library v2 | PUT /v2/not-implemented/set-leverage | 501
Unified-library v2 | PUT /v2/not-implemented/set-margin-mode | 501
Agent access | POST /v1/agent-connect/start | 200
Agent access | POST /v1/agent-connect/complete | 200
Agent access | POST /v1/accounts/{accountId}/agent-connect/approve | 200
Agent access | GET /v1/accounts/{accountId}/api-keys | 200
Agent access | DELETE /v1/accounts/{accountId}/api-keys/{keyId} | 204
`;

/** By method and path. */
export const INTERFACE_OPERATIONS: ReadonlyMap<string, InterfaceOperation> = new Map(
  OPERATIONS.trim()
    .split('\n')
    .map((line) => {
      const [group = '', place = '', status, key] = line.split(' | ');
      return [place, { group, status: Number(status), needsIdempotencyKey: key === 'key' }];
    }),
);

/** The fields of a resource, by the name of its component. */
export const INTERFACE_FIELDS: Readonly<Record<string, string>> = {
  Order: 'version orderId accountId marketId status lastSequence idempotencyKey cancelReason',
  OrderPlacement: 'accountId marketId clientOrderId side orderType quantity notional price postOnly',
  OrderBatchOutcomes: 'version outcomes',
  AcceptedOrderOutcome: 'index accepted orderId accountId marketId status lastSequence idempotencyKey cancelReason',
  RejectedOrderOutcome: 'index accepted orderId accountId marketId status lastSequence idempotencyKey',
  AccountSnapshot:
    'version accountId asset snapshotSequence readModelDigest marginMode cashBalanceAtoms cashBalance equityAtoms equity ' +
    'availableForOrdersAtoms availableForOrders resync consentState riskEvidence positions',
  PositionSnapshot: 'version accountId snapshotSequence readModelDigest positions resync freshness',
  Position:
    'positionId accountId marketId side status openedAtEpochMs closedAtEpochMs maxQuantityAtoms maxQuantity currentQuantityAtoms ' +
    'currentQuantity avgEntryPriceAtoms avgEntryPrice avgExitPriceAtoms avgExitPrice realizedPnlAtoms realizedPnl feesPaidAtoms ' +
    'feesPaid fundingPaidAtoms fundingPaid closeReason lastSequence markPriceAtoms unrealizedPnlAtoms liquidationPriceAtoms ' +
    'marginHealthBps equityAtoms maintenanceRequirementAtoms marginStatus riskAsOfMarketDataSequence liquidationTierConsistent ' +
    'adlIndicator',
  MarketCatalogue: 'version markets snapshotSequence readModelDigest',
  Market:
    'marketId underlyingSymbol marketType logoUrl logoUnavailable status priceScale quantityScale minPrice maxPrice minQuantity ' +
    'maxQuantity initialMarginBps maintenanceMarginTiers maxLeverageX makerFeeBps takerFeeBps settlementAsset lastPriceAtoms ' +
    'lastPrice change24hBps settlementAssetDecimals favorite',
  Freshness: 'status degradedState journalSequence asOfEpochMs projectorLagMs dbReplicaLagMs backfillStatus',
  TransferHistory: 'version accountId transfers nextCursor freshness kind',
  Transfer: 'transferId accountId kind asset amountAtoms amount status ledgerEventId updatedAtEpochMs lastSequence',
  MarketFavorite: 'version accountId marketId favorite',
  AgentStrategyCatalogue: 'version strategies',
  AgentStrategy:
    'id name family sourceVenue sourceUrl sourceKind termsUrl termsSummary usageAllowed description rulesText parameters timeframe ' +
    'marketsHint pineSubsetFit pineSubsetFitReason publicStats',
  AgentDeployment:
    'deploymentId ownerAccountId strategySource strategyVersion marketId mode state stateVersion parameters createdAtEpochMs ' +
    'updatedAtEpochMs modelId fallbackModelId',
  AgentActionLog: 'deployment actions paperPnl nextAfterActionId',
  AgentAction: 'actionId deploymentId ownerAccountId kind outcome payload payloadDigest recordedAtEpochMs model',
  PaperPnl: 'positionBaseAtoms cashQuoteAtoms feesQuoteAtoms markPriceAtoms equityQuoteAtoms fillCount',
  StrategyParameter: 'name default min max',
  PublicStrategyStat: 'metric value asOf sourceUrl',
  AffiliateProfile: 'version accountId registered affiliateId referralCode registeredAtEpochMs',
  KycStatus: 'version required providerAvailability state',
  RealtimeTicket: 'ticket accountId expiresAt',
  PasskeyList: 'version relyingPartyId passkeys',
  ListedPasskey: 'passkeyId name createdAt relyingPartyId origin status',
  SetupKeyResult: 'version action creation',
  SigningChallenge: 'challenge challengeIdentifier allowCredentials userVerification',
  CredentialDescriptor: 'type id',
  Fido2Approval: 'kind credentialAssertion',
  CredentialAssertion: 'credId clientData signature authenticatorData',
  SigningApproval: 'challengeIdentifier firstFactor',
  AgentFunding:
    'transferId accountId agentAccountId direction asset amount amountAtoms status refusalReason journalRecordOrdinal ' +
    'journalRecordDigest intentDigest expiresAtEpochMs createdAtEpochMs',
  AgentFundingConfirmation: 'status funding challenge',
  UnifiedLimitOrderEntry: 'symbol type side amount price params',
  UnifiedMarketOrderEntry: 'symbol type side amount price params',
  UnifiedOrder:
    'id symbol status info index accepted clientOrderId timestamp datetime side type timeInForce price amount filled remaining ' +
    'reduceOnly postOnly',
  UnifiedBalance: 'free total used info',
  UnifiedOrderCancels: 'ids symbol',
  UnifiedError: 'name message code retryable timestamp datetime info',
  Error:
    'version requestId code safeMessage retryable recoveryActions occurredAtEpochMs realtimeTicketFailure apiKeyRejection agentRefusal ' +
    'rejectionGuard withdrawalFailure dependency',
};

/** Section 9: the versions of resources and of the realtime contract. */
export const INTERFACE_VERSIONS: ReadonlySet<string> = new Set(
  (
    'external-order/v1 external-limit-order-batch/v1 external-withdrawal/v1 external-account-snapshot/v1 external-position-snapshot/v1 ' +
    'external-market-catalog/v1 external-transfer-history/v1 external-affiliate-profile/v1 external-kyc-status/v1 ' +
    'external-market-favorite/v1 external-rest-error/v1 local-signing/v2 account-passkeys/v1 faucet-grant/v1 ' +
    'agent-strategy-catalog/v1 realtime-contract/v1'
  ).split(' '),
);
