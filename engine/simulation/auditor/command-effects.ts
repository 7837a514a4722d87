/**
 * What each command may result in: the one event that carries it out, whose fields repeat the command's, and the other types of
 * events that may come with it.
 */
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { fail } from './audit-failed.ts';

type EventType = VenueEvent['type'];
type Fields = Readonly<Record<string, unknown>>;

interface Effect {
  /** The event that a command has exactly once, and which field of the command each of its fields repeats. */
  readonly event?: EventType;
  readonly fields?: Readonly<Record<string, string>>;
  /** The types of the other events. */
  readonly others: ReadonlySet<EventType>;
  /** The event may be followed by the ends of the order's legs. */
  readonly endsLegs?: boolean;
}

const POSTINGS = ['CashPosted', 'LedgerPosted'] as const;
const FILLS = [
  'OrderAccepted',
  'OrderCancelled',
  'TradeExecuted',
  'OrderFilled',
  'OrderReduced',
  'LegChanged',
  'PositionChanged',
  'FundingPaid',
  'FundMoved',
  ...POSTINGS,
] as const;
const PLACEMENTS = [...FILLS, 'OrderRested', 'TriggerAccepted'] as const;
const MARKET_WORK = [...FILLS, 'OrderRested', 'OrderTriggered', 'LiquidationStarted', 'MarketWorkPending'] as const;

/** The record of a step repeats the ledger's receipt. */
const RECEIPT = {
  step: 'step',
  attempt: 'attempt',
  outcome: 'outcome',
  reason: 'reason',
  createdId: 'createdId',
  ledgerEventId: 'ledgerEventId',
  ledgerOffset: 'ledgerOffset',
} as const;

/** A new command does not compile without a line here. */
const EFFECTS: { readonly [Type in Command['type']]: Effect } = {
  ListMarket: effect('MarketListed', { specification: 'specification', status: 'status', history: 'history' }),
  SetMarketStatus: effect('MarketStatusChanged', { market: 'market', status: 'status' }, ['MarketWorkPending']),
  UpdateMarket: effect('MarketUpdated', { market: 'market', specification: 'specification' }, ['MarketWorkPending']),
  PublishIndexPrice: effect('MarketPriced', { market: 'market' }, ['FundingSettled', ...MARKET_WORK]),
  AdvanceMarket: { others: new Set<EventType>(MARKET_WORK) },
  OpenAccount: effect('AccountOpened', { label: 'label', partyId: 'partyId' }),
  RetireAccount: effect('AccountRetired', { account: 'account', isLegacy: 'isLegacy' }, [
    'ApiKeyRevoked',
    'AgentFundingRefused',
    'AgentDeploymentChanged',
  ]),
  BindEnvironment: effect('EnvironmentBound', { environment: 'environment' }),
  SetVenueStatus: effect('VenueStatusChanged', { status: 'status' }, ['MarketWorkPending']),
  SetCapability: effect('CapabilitySet', { capability: 'capability', isOn: 'isOn' }, ['MarketWorkPending']),
  CreditCash: effect('CashPosted', { account: 'account', amountAtoms: 'amountAtoms' }, ['MoneyIdUsed']),
  CreditInsurance: effect('LedgerPosted', { amountAtoms: 'amountAtoms' }, ['MoneyIdUsed']),
  IssueApiKey: effect(
    'ApiKeyIssued',
    {
      account: 'account',
      keyId: 'keyId',
      digest: 'digest',
      scopes: 'scopes',
      label: 'label',
      expiresAtEpochMs: 'expiresAtEpochMs',
    },
    ['ApiKeyRevoked'],
  ),
  RevokeApiKey: effect('ApiKeyRevoked', { account: 'account', keyId: 'keyId' }),
  PlaceOrder: { others: new Set<EventType>(PLACEMENTS) },
  PlaceOrders: { others: new Set<EventType>([...PLACEMENTS, 'EntryRefused']) },
  CancelOrder: { ...effect('OrderCancelled', { account: 'account', order: 'order' }), endsLegs: true },
  AmendOrder: effect('OrderAmended', { account: 'account', market: 'market', order: 'order' }, ['OrderRested', ...FILLS]),
  AmendOrders: { others: new Set<EventType>(['OrderAmended', 'EntryRefused', 'OrderRested', ...FILLS]) },
  EndDueOrders: { others: new Set<EventType>(['OrderCancelled', 'CancelAllAfterFired', 'CancelAllAfterFinished']) },
  SetCancelAllAfter: effect('CancelAllAfterSet', { account: 'account', market: 'market' }, ['CancelAllAfterFired']),
  CancelOrders: { others: new Set<EventType>(['OrderCancelled', 'EntryRefused']) },
  ReserveWithdrawal: effect(
    'WithdrawalReserved',
    { account: 'account', amountAtoms: 'amountAtoms', destination: 'destination' },
    POSTINGS,
  ),
  ReleaseWithdrawal: effect('WithdrawalReleased', { withdrawal: 'withdrawal' }, POSTINGS),
  SettleWithdrawal: effect('WithdrawalSettled', { withdrawal: 'withdrawal' }, POSTINGS),
  DebitCash: effect('WithdrawalReserved', { account: 'account', amountAtoms: 'amountAtoms', destination: 'reference' }, [
    'WithdrawalSettled',
    'MoneyIdUsed',
    ...POSTINGS,
  ]),
  TransferCash: effect('CashTransferred', { from: 'account', to: 'to', amountAtoms: 'amountAtoms', reference: 'reference' }, [
    'MoneyIdUsed',
    ...POSTINGS,
  ]),
  RegisterOwner: effect(
    'OwnerRegistered',
    { identityDigest: 'identityDigest', provider: 'provider', referralCode: 'referralCode' },
    ['AccountOpened', 'PasskeyAdded', 'AccountReferred'],
  ),
  AddPasskey: effect('PasskeyAdded', { account: 'account', passkey: 'passkey' }),
  RecordPasskeyUse: effect('PasskeyUsed', {
    account: 'account',
    credentialId: 'credentialId',
    signatureCount: 'signatureCount',
  }),
  RemovePasskey: effect('PasskeyRemoved', { account: 'account', credentialId: 'credentialId' }),
  StartParty: effect('PartyChanged', { account: 'account', ledgerKey: 'ledgerKey' }),
  AllocateParty: effect('PartyChanged', { account: 'account', partyId: 'partyId' }, ['LedgerEventSeen']),
  ActivateParty: effect('PartyChanged', { account: 'account' }),
  CreateSigningWallet: effect('SigningWalletCreated', { account: 'account', walletId: 'walletId' }),
  SubmitPartyConsent: effect('PartyConsentChanged', {
    account: 'account',
    ledgerKey: 'ledgerKey',
    consentId: 'replacesConsentId',
  }),
  RecordPartyConsent: effect('PartyConsentChanged', { account: 'account', reason: 'reason' }, [
    'PasskeyRemoved',
    'LedgerEventSeen',
  ]),
  SetFavorite: effect('FavoriteSet', { account: 'account', market: 'market', favorite: 'favorite' }),
  AdjustPositionMargin: effect('PositionMarginAdjusted', { account: 'account', market: 'market' }, [
    'FundingPaid',
    'FundMoved',
    ...POSTINGS,
  ]),
  SetLeverage: effect('LeverageSet', { account: 'account', market: 'market', leverageHundredths: 'leverageHundredths' }),
  SetLeaderboardListing: effect('LeaderboardListingSet', {
    account: 'account',
    shown: 'shown',
    displayName: 'displayName',
    handle: 'handle',
  }),
  RegisterAffiliate: effect('AffiliateRegistered', { account: 'account', referralCode: 'referralCode' }),
  SkipKyc: effect('KycSkipped', { account: 'account' }),
  GrantFaucet: effect('FundingIntentCreated', { account: 'account', amountAtoms: 'amountAtoms' }),
  BindDeposit: effect('DepositBound', { account: 'account', intent: 'intent', ledgerKey: 'ledgerKey' }),
  SubmitDepositStep: effect('DepositStepSubmitted', { deposit: 'deposit', step: 'step', attempt: 'attempt' }),
  RecordDepositStep: effect('DepositStepRecorded', { deposit: 'deposit', ...RECEIPT }, ['DepositConfirmed', 'CashPosted']),
  RenewDeposit: effect('DepositRenewed', { deposit: 'deposit' }),
  RequestWithdrawal: effect(
    'WithdrawalRequested',
    {
      account: 'account',
      amountAtoms: 'amountAtoms',
      destination: 'destination',
      ledgerKey: 'ledgerKey',
      idempotencyKey: 'idempotencyKey',
    },
    POSTINGS,
  ),
  ReserveOnLedger: effect('WithdrawalStatusChanged', { withdrawal: 'withdrawal' }),
  AuthorizeWithdrawal: effect('WithdrawalStatusChanged', { account: 'account', withdrawal: 'withdrawal' }),
  SubmitWithdrawalStep: effect('WithdrawalStepSubmitted', { withdrawal: 'withdrawal', step: 'step', attempt: 'attempt' }),
  RecordWithdrawalStep: effect('WithdrawalStepRecorded', { withdrawal: 'withdrawal', ...RECEIPT }, [
    'WithdrawalSettled',
    'WithdrawalBlocked',
    'WithdrawalReleased',
    ...POSTINGS,
  ]),
  BlockWithdrawal: effect('WithdrawalBlocked', { withdrawal: 'withdrawal', reason: 'reason' }, [
    'WithdrawalReleased',
    ...POSTINGS,
  ]),
  RenewWithdrawal: effect('WithdrawalRenewed', { withdrawal: 'withdrawal' }),
  BindLedger: effect('LedgerBound', {
    ledgerId: 'ledgerId',
    treasuryPartyId: 'treasuryPartyId',
    custodyPartyId: 'custodyPartyId',
  }),
  AcceptLedgerEntries: effect('LedgerEntriesAccepted', {
    ledgerOffset: 'ledgerOffset',
    ledgerEventId: 'ledgerEventId',
    reason: 'reason',
  }),
  GuardLedger: effect('LedgerGuarded', {}),
  DraftAgentScript: effect('AgentScriptDrafted', {
    account: 'account',
    name: 'name',
    text: 'text',
    textDigest: 'textDigest',
  }),
  ReviewAgentScript: effect('AgentScriptReviewed', { account: 'account', draft: 'draft', reviewDigest: 'reviewDigest' }),
  RemoveAgentDraft: effect('AgentDraftRemoved', { account: 'account', draft: 'draft' }),
  CreateAgentDeployment: effect('AgentDeploymentCreated', {
    account: 'account',
    agentAccount: 'agentAccount',
    draft: 'draft',
    market: 'market',
    timeframeMs: 'timeframeMs',
    historyBars: 'historyBars',
    orderSizeAtoms: 'orderSizeAtoms',
    parameters: 'parameters',
    strategySource: 'strategySource',
    strategyVersion: 'strategyVersion',
    modelId: 'modelId',
  }),
  ChangeAgentDeployment: effect('AgentDeploymentChanged', { deployment: 'deployment', state: 'state', reason: 'reason' }),
  PlacePaperOrder: effect('PaperOrderPlaced', {
    deployment: 'deployment',
    barEpochMs: 'barEpochMs',
    index: 'index',
    kind: 'kind',
    signal: 'signal',
    side: 'side',
    quantityAtoms: 'quantityAtoms',
    reduceOnly: 'reduceOnly',
  }),
  CreateAgentFunding: effect('AgentFundingCreated', {
    account: 'account',
    agentAccount: 'agentAccount',
    transferId: 'transferId',
    direction: 'direction',
    amountAtoms: 'amountAtoms',
    expiresAtEpochMs: 'expiresAtEpochMs',
  }),
  ApproveAgentFunding: effect('AgentFundingApproved', {
    account: 'account',
    transferId: 'transferId',
    credentialId: 'credentialId',
    intentDigest: 'intentDigest',
  }),
  MoveAgentFunding: effect('AgentFundingMoved', { account: 'account', transferId: 'transferId' }, [
    'CashTransferred',
    'CashPosted',
  ]),
  OpenAgentAccount: effect('AgentAccountOpened', { account: 'account', label: 'label' }, ['AccountOpened']),
};

/** These events can only be about the market of their command, if it names one. */
const OF_MARKET: ReadonlySet<EventType> = new Set<EventType>(['MarketWorkPending', 'FundingSettled', 'LiquidationStarted']);

/** The command was not refused. */
export function checkEffects(sequence: number, command: Command, events: readonly VenueEvent[]): void {
  const { event: type, fields, others, endsLegs } = EFFECTS[command.type];
  let found = 0;
  for (const event of events) {
    if (endsLegs && event.type === 'OrderCancelled' && event.reason === 'entry_ended') continue;
    if (event.type === type) {
      found += 1;
      for (const field in fields) checkField(sequence, command, event, field, fields[field]!);
    } else if (!others.has(event.type)) fail('command', `record ${sequence} is a ${command.type}, which causes no ${event.type}`);
    if (
      OF_MARKET.has(event.type) &&
      'market' in command &&
      (command as unknown as Fields).market !== (event as unknown as Fields).market
    )
      fail('command', `record ${sequence} is about another market than its ${event.type}`);
  }
  if (type !== undefined && found !== 1) fail('command', `record ${sequence} is a ${command.type} with ${found} of ${type}`);
}

function checkField(sequence: number, command: Command, event: VenueEvent, field: string, sent: string): void {
  const [one, other] = [(event as unknown as Fields)[field], (command as unknown as Fields)[sent]];
  if (isSame(one, other)) return;
  fail('command', `record ${sequence} is a ${command.type}, and its ${event.type} has another ${field}: ${JSON.stringify(one)}`);
}

/** Compares values as JSON would write them, in any order of their fields. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const fields = Object.keys({ ...one, ...other });
  return fields.every((field) => isSame((one as Fields)[field], (other as Fields)[field]));
}

function effect(event: EventType, fields: Effect['fields'] & object, others: readonly EventType[] = []): Effect {
  return { event, fields, others: new Set(others) };
}
