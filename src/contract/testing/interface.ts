/**
 * The names in the interface that the venue implements: its operations, and the fields that it shows of each resource. All other
 * declarations must be marked as ours.
 */

export interface InterfaceOperation {
  readonly group: string;
  readonly access: string;
  readonly status: number;
  readonly needsIdempotencyKey: boolean;
}

const OPERATIONS = `
System | GET /health | none | 200
System | GET /ready | none | 200
System | GET /openapi.json | none | 200
Affiliates | GET /v1/affiliate/availability | none | 200
Orders | POST /v1/orders | trade | 202 | key
Orders | POST /v1/orders/batch | trade | 202 | key
Orders | POST /v1/orders/batch/cancel | trade | 200
Orders | POST /v1/orders/preview | read | 200
Orders | GET /v1/orders/{orderId} | read | 200
Orders | POST /v1/orders/{orderId}/cancel | trade | 200
Withdrawals | POST /v1/withdrawals | owner | 202 | key
Withdrawals | GET /v1/withdrawals/{withdrawalId} | read | 200
Withdrawals | POST /v1/withdrawals/{withdrawalId}/confirm | owner | 200 | key
Withdrawals | POST /v1/withdrawals/{withdrawalId}/authorize | owner | 200
Auth | GET /v1/auth/capabilities | none | 200
Auth | POST /v1/auth/social/register | none | 200
Auth | POST /v1/auth/social/register/recover | none | 200
Auth | POST /v1/auth/register/complete | none | 200
Auth | POST /v1/auth/login/init | none | 200
Auth | POST /v1/auth/login/complete | none | 200
Auth | POST /v1/auth/social/login | none | 200
Auth | POST /v1/auth/mapping/recover | owner | 200
Auth | GET /v1/api-keys/current | any | 200
Realtime access | POST /v1/realtime/ticket | read | 200
Realtime access | PUT /v1/realtime/ticket | none | 200
Realtime access | DELETE /v1/realtime/ticket | none | 204
Markets | GET /v1/markets | none | 200
Markets | GET /v1/markets/{marketId} | none | 200
Markets | GET /v1/markets/{marketId}/stats | none | 200
Markets | GET /v1/markets/{marketId}/book | none | 200
Markets | GET /v1/markets/{marketId}/candles | none | 200
Leaderboard | GET /v1/leaderboard | none | 200
Market Data | GET /v1/market-data/candidate-markets | none | 200
Accounts | GET /v1/accounts/{accountId} | read | 200
Accounts | GET /v1/accounts/{accountId}/positions | read | 200
Accounts | GET /v1/accounts/{accountId}/positions/history | read | 200
Accounts | GET /v1/accounts/{accountId}/affiliate/earnings | read | 200
Accounts | POST /v1/accounts/{accountId}/affiliate/registration | owner | 200
Accounts | GET /v1/accounts/{accountId}/affiliate/profile | read | 200
Accounts | POST /v1/accounts/{accountId}/kyc/skip | owner | 200
Accounts | GET /v1/accounts/{accountId}/kyc | read | 200
Accounts | GET /v1/accounts/{accountId}/fills | read | 200
Accounts | GET /v1/accounts/{accountId}/orders | read | 200
Accounts | GET /v1/accounts/{accountId}/orders/open | read | 200
Accounts | GET /v1/accounts/{accountId}/party | read | 200
Accounts | POST /v1/accounts/{accountId}/party | owner | 200
Accounts | POST /v1/accounts/{accountId}/party/complete | owner | 200
Accounts | POST /v1/accounts/{accountId}/party/consent | owner | 200
Accounts | POST /v1/accounts/{accountId}/local-signing-wallet | owner | 200
Accounts | GET /v1/accounts/{accountId}/local-signing-funding-intents | owner | 200
Accounts | POST /v1/accounts/{accountId}/deposits | owner | 200
Accounts | POST /v1/accounts/{accountId}/deposits/confirm | owner | 200
Accounts | POST /v1/accounts/{accountId}/faucet-grant | bearer | 200
Accounts | GET /v1/accounts/{accountId}/transfers | read | 200
Accounts | GET /v1/accounts/{accountId}/passkeys | read | 200
Accounts | POST /v1/accounts/{accountId}/passkeys/setup-key | owner | 200
Accounts | PUT /v1/accounts/{accountId}/favorites/{marketId} | trade | 200
Accounts | DELETE /v1/accounts/{accountId}/favorites/{marketId} | trade | 200
Accounts | POST /v1/accounts/{accountId}/agent-accounts/{agentAccountId}/fundings/{transferId}/confirm | funding | 200
Accounts | GET /v1/accounts/{accountId}/agents/{deploymentId}/actions | agents | 200
Accounts | GET /v1/accounts/{accountId}/agents/{deploymentId}/positions | read | 200
Accounts | POST /v1/accounts/{accountId}/agents/{deploymentId}/realtime-ticket | read | 200
Agent access | GET /v1/agents/strategies | none | 200
Unified-library v2 | GET /v2/markets | none | 200
Unified-library v2 | GET /v2/markets/{symbol}/stats | none | 200
Unified-library v2 | GET /v2/markets/{symbol}/candles | none | 200
Unified-library v2 | GET /v2/markets/{symbol}/book | none | 200
Unified-library v2 | GET /v2/accounts/{accountId} | read | 200
Unified-library v2 | GET /v2/accounts/{accountId}/positions | read | 200
Unified-library v2 | POST /v2/orders/{orderId}/cancel | trade | 200
Unified-library v2 | GET /v2/orders/{orderId} | read | 200
Unified-library v2 | GET /v2/accounts/{accountId}/orders | read | 200
Unified-library v2 | GET /v2/accounts/{accountId}/orders/open | read | 200
Unified-library v2 | GET /v2/accounts/{accountId}/fills | read | 200
Unified-library v2 | POST /v2/order | trade | 200 | key
Unified-library v2 | POST /v2/orders | trade | 200 | key
Unified-library v2 | POST /v2/orders/cancel | trade | 200 | key
Unified-library v2 | GET /v2/not-implemented/fetch-trades | none | 501
Unified-library v2 | POST /v2/not-implemented/cancel-all-orders | none | 501
Unified-library v2 | PUT /v2/not-implemented/edit-order | none | 501
Unified-library v2 | GET /v2/not-implemented/fetch-funding-rate-history | none | 501
Unified-library v2 | GET /v2/not-implemented/fetch-funding-history | none | 501
Unified-library v2 | PUT /v2/not-implemented/set-leverage | none | 501
Unified-library v2 | PUT /v2/not-implemented/set-margin-mode | none | 501
Agent access | POST /v1/agent-connect/start | none | 200
Agent access | POST /v1/agent-connect/complete | none | 200
Agent access | POST /v1/accounts/{accountId}/agent-connect/approve | owner | 200
Agent access | GET /v1/accounts/{accountId}/api-keys | owner | 200
Agent access | DELETE /v1/accounts/{accountId}/api-keys/{keyId} | owner | 204
`;

/** By method and path. */
export const INTERFACE_OPERATIONS: ReadonlyMap<string, InterfaceOperation> = new Map(
  OPERATIONS.trim()
    .split('\n')
    .map((line) => {
      const [group = '', place = '', access = '', status, key] = line.split(' | ');
      return [place, { group, access, status: Number(status), needsIdempotencyKey: key === 'key' }];
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
