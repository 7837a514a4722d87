/**
 * Writes a small journal with every kind of command, in two lives of a venue with a local ledger: owners with deposits and withdrawals
 * that settle, expire, are blocked and stay open, and what operators and traders do. Random keys differ from run to run.
 */

import { newLedgerKey } from '#settlement/coordinator/command-id.ts';
import { APPROVAL_DEADLINE_MS, OFFER_LIFETIME_MS } from '#settlement/coordinator/pass-ports.ts';
import { Life } from '#settlement/coordinator/testing/life.ts';
import type { Receipt } from '#settlement/port/receipt.ts';
import type { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { SCENARIO_MARKET } from '#simulation/scenario.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import type {
  AccountOrdinal,
  AgentDeploymentOrdinal,
  AgentDraftOrdinal,
  DepositOrdinal,
  MarketOrdinal,
  OrderOrdinal,
  WithdrawalOrdinal,
} from '#units/ids.ts';
import { type BaseAtoms, type Bps, bps, type EpochMs, type PriceAtoms, quoteAtoms } from '#units/money.ts';
import type { Amendment, Command, LimitTerms, PlaceOrder } from '#venue/command.ts';
import { passkey } from '#venue/owner/testing/owners.ts';

const market = 1 as MarketOrdinal;
const [trader, other] = [1 as AccountOrdinal, 2 as AccountOrdinal];
const INDEX = 10_000 as PriceAtoms;
const NO_PRICE = 0 as PriceAtoms;
const NO_OFFER = 0 as EpochMs;
const REFERRAL_CODE = 'golden-referral-code';

/** The files of the journal. Both lives end with a snapshot. */
export async function writeGoldenJournal(): Promise<ReadonlyMap<string, Uint8Array>> {
  const time = new ManualTime();
  const first = await Life.open({ time });
  await operate(first);
  await trade(first, time);
  const alice = await setUp(first, 'alice', REFERRAL_CODE);
  await first.carryOut({ type: 'OpenAgentAccount', account: alice, label: 'agent', digestSeed: 9 });
  await deploy(first, time, alice);
  await first.deposit(alice, 1_000);
  await fundAgent(first, time, alice);
  await first.withdraw(alice, 400);
  const unsigned = (await first.requestWithdrawal(alice, 50, 'unsigned'))!;
  await first.until('a reservation', () => first.owners.withdrawal(unsigned)?.status === 'reserved');
  time.pass(APPROVAL_DEADLINE_MS);
  await first.until('a blocked withdrawal', () => first.owners.withdrawal(unsigned) === undefined);
  await acceptDifference(first);
  await first.close();
  const second = await Life.open({ time, ...first.files });
  await letOffersExpire(second, time, alice);
  await changePasskeys(second, alice);
  await leaveOpen(second);
  await acceptForeign(second);
  await end(second);
  await second.close();
  return contentsOf(second.files.journalFiles);
}

function contentsOf(files: PowerCutFiles): ReadonlyMap<string, Uint8Array> {
  return files.contents();
}

async function carryOutAll(life: Life, commands: readonly Command[]): Promise<void> {
  for (const command of commands) await life.carryOut(command);
}

async function operate(life: Life): Promise<void> {
  const amountAtoms = quoteAtoms(10_000_000_000);
  const key = { scopes: ['read', 'trade'], label: 'bot', digest: 'd'.repeat(64) } as const;
  await carryOutAll(life, [
    { type: 'BindEnvironment', environment: 'development' },
    { type: 'ListMarket', specification: SCENARIO_MARKET, status: 'draft' },
    { type: 'SetMarketStatus', market, status: 'open' },
    { type: 'OpenAccount', label: 'trader', partyId: 'party-1', digestSeed: 7 },
    { type: 'OpenAccount', label: 'other', partyId: 'party-2', digestSeed: 8 },
    { type: 'CreditCash', account: trader, amountAtoms, reference: 'earlier program' },
    { type: 'CreditCash', account: other, amountAtoms, reference: 'bank', moneyId: 'account.credit bank-1' },
    { type: 'CreditInsurance', amountAtoms, reference: 'bank', moneyId: 'insurance.credit bank-2' },
    { type: 'TransferCash', account: trader, to: other, amountAtoms: quoteAtoms(1), reference: '', moneyId: 'transfer 1' },
    { type: 'DebitCash', account: other, amountAtoms: quoteAtoms(1), reference: 'bank', moneyId: 'account.debit 1' },
    { type: 'ReserveWithdrawal', account: trader, amountAtoms: quoteAtoms(3), destination: 'bank' },
    { type: 'ReleaseWithdrawal', withdrawal: 2 as WithdrawalOrdinal },
    { type: 'ReserveWithdrawal', account: trader, amountAtoms: quoteAtoms(3), destination: 'bank' },
    { type: 'SettleWithdrawal', withdrawal: 3 as WithdrawalOrdinal },
    { type: 'IssueApiKey', account: trader, keyId: 'key-1', ...key, expiresAtEpochMs: NO_OFFER },
    { type: 'IssueApiKey', account: trader, keyId: 'key-2', ...key, expiresAtEpochMs: (2 ** 42) as EpochMs },
    { type: 'RevokeApiKey', account: trader, keyId: 'key-1' },
    { type: 'SetFavorite', account: trader, market, favorite: true },
    { type: 'SetLeverage', account: trader, market, leverageHundredths: 550 },
    { type: 'SetLeaderboardListing', account: trader, shown: true, displayName: 'trader', handle: 'h-1' },
    { type: 'SetVenueStatus', status: 'intake_paused' },
    { type: 'SetVenueStatus', status: 'open' },
    { type: 'SetCapability', capability: 'affiliate', isOn: true },
    { type: 'RegisterAffiliate', account: trader, referralCode: REFERRAL_CODE },
    { type: 'SkipKyc', account: trader },
  ]);
}

function order(account: AccountOrdinal, clientOrderId: string, side: 'buy' | 'sell', quantity: number): PlaceOrder {
  const terms = { kind: 'limit', priceAtoms: INDEX, quantityAtoms: quantity as BaseAtoms, postOnly: false } as const;
  const placed = { market, clientOrderId, side, terms, reduceOnly: false, leverageHundredths: 0, idempotencyKey: clientOrderId };
  return { type: 'PlaceOrder', account, ...placed };
}

async function trade(life: Life, time: ManualTime): Promise<void> {
  const { type: _, account: __, idempotencyKey: ___, ...entry } = order(trader, 'entry', 'buy', 2);
  const stop = {
    ...entry,
    side: 'sell' as const,
    terms: { kind: 'market', quantityAtoms: 1 as BaseAtoms } as const,
    reduceOnly: true,
  };
  const triggerPriceAtoms = (INDEX - 500) as PriceAtoms;
  const trigger = {
    kind: 'stop_loss',
    source: 'mark',
    direction: 'derived',
    priceAtoms: triggerPriceAtoms,
    trailingAtoms: NO_PRICE,
    trailingBps: 0 as Bps,
    closePosition: false,
    linkedClientOrderId: '',
  } as const;
  const published = (): Command => ({ type: 'PublishIndexPrice', market, priceAtoms: INDEX, observedAtEpochMs: now(time) });
  await carryOutAll(life, [
    published(),
    order(trader, 'bid', 'buy', 3),
    order(other, 'ask', 'sell', 2),
    { type: 'PlaceOrders', account: trader, entries: [entry], idempotencyKey: 'batch' },
    { type: 'CancelOrder', account: trader, order: 1 as OrderOrdinal },
    { type: 'CancelOrders', account: trader, orders: [3 as OrderOrdinal] },
    order(trader, 'open', 'buy', 1),
    {
      ...order(trader, 'protected', 'buy', 1),
      attached: { stopLoss: { source: 'mark', triggerPriceAtoms, priceAtoms: NO_PRICE } },
    },
    { type: 'PlaceOrders', account: trader, entries: [{ ...stop, clientOrderId: 'stops', trigger }], idempotencyKey: 'stops' },
    { type: 'AdjustPositionMargin', account: trader, market, direction: 'add', amountAtoms: quoteAtoms(1_000) },
  ]);
  await endOrders(life, time);
}

/** Times in force, amendments, and a timer that cancels orders. The next order is number 8. */
async function endOrders(life: Life, time: ManualTime): Promise<void> {
  const inForce = (clientOrderId: string, terms: Partial<LimitTerms>): PlaceOrder => {
    const placed = order(trader, clientOrderId, 'buy', 2);
    return { ...placed, terms: { ...placed.terms, ...terms } as LimitTerms };
  };
  const amendment = (of: number, quantity: number): Amendment => ({
    market,
    order: of as OrderOrdinal,
    priceAtoms: 0 as PriceAtoms,
    quantityAtoms: quantity as BaseAtoms,
  });
  const expiresAtEpochMs = (now(time) + 5_000) as EpochMs;
  await carryOutAll(life, [
    inForce('ioc', { timeInForce: 'IOC' }),
    inForce('fok', { timeInForce: 'FOK' }),
    inForce('gtd', { timeInForce: 'GTD', expiresAtEpochMs }),
    inForce('timer', { postOnly: true }),
    { type: 'AmendOrder', account: trader, ...amendment(10, 1) },
    { type: 'AmendOrders', account: trader, entries: [amendment(10, 3), amendment(11, 1)] },
    { type: 'SetCancelAllAfter', account: trader, market, timeoutMs: 5_000 },
  ]);
  await time.advance(6_000);
  await life.carryOut({ type: 'EndDueOrders' });
}

function now(time: ManualTime): EpochMs {
  return time.now();
}

/** An owner whose setup is complete. */
async function setUp(life: Life, name: string, referralCode = ''): Promise<AccountOrdinal> {
  const account = await life.owner(name, referralCode);
  await life.activateParty(account);
  await life.carryOut({ type: 'CreateSigningWallet', account, walletId: `wallet-${account}` });
  await life.carryOut({ type: 'SubmitPartyConsent', account, ledgerKey: newLedgerKey(), replacesConsentId: '' });
  await life.until('a consent', () => life.owners.owner(account)?.consent.state === 'present');
  return account;
}

/** One deployment stops after an order; another one stays open. */
async function deploy(life: Life, time: ManualTime, account: AccountOrdinal): Promise<void> {
  const agentAccount = (account + 1) as AccountOrdinal;
  const [used, unused] = [1 as AgentDraftOrdinal, 2 as AgentDraftOrdinal];
  const [stopped, open] = [1 as AgentDeploymentOrdinal, 2 as AgentDeploymentOrdinal];
  const script = { name: 'breakout', text: 'strategy("breakout")', textDigest: 'e'.repeat(64) };
  const terms = { market, timeframeMs: 60_000, historyBars: 300, orderSizeAtoms: 1 as BaseAtoms, parameters: '{}' };
  const strategy = { strategySource: 'strategy_lab', strategyVersion: '1', modelId: 'script-1' };
  const created = { type: 'CreateAgentDeployment', account, agentAccount, draft: used, ...terms, ...strategy } as const;
  const change = { type: 'ChangeAgentDeployment', reason: '' } as const;
  const order = { kind: 'entry', signal: 'long', quantityAtoms: 1 as BaseAtoms, reduceOnly: false } as const;
  await carryOutAll(life, [
    { type: 'DraftAgentScript', account, ...script },
    { type: 'DraftAgentScript', account, ...script },
    { type: 'ReviewAgentScript', account, draft: used, reviewDigest: 'f'.repeat(64) },
    { type: 'RemoveAgentDraft', account, draft: unused },
    created,
    created,
    { ...change, deployment: stopped, state: 'running', expectedStateVersion: 1 },
    { ...change, deployment: open, state: 'running', expectedStateVersion: 1 },
    { type: 'PlacePaperOrder', deployment: stopped, barEpochMs: now(time), index: 0, side: 'sell', ...order },
    { type: 'PlacePaperOrder', deployment: open, barEpochMs: now(time), index: 0, side: 'sell', ...order },
    { ...change, deployment: stopped, state: 'stopped', expectedStateVersion: 2 },
  ]);
}

/** A funding of the agent account that has moved, one that is prepared, and one that is approved and returns. */
async function fundAgent(life: Life, time: ManualTime, account: AccountOrdinal): Promise<void> {
  // The newest account.
  const agentAccount = (account + 1) as AccountOrdinal;
  const expiresAtEpochMs = (now(time) + 60_000) as EpochMs;
  const intent = { account, agentAccount, amountAtoms: quoteAtoms(40), expiresAtEpochMs };
  const [moved, prepared, approved] = ['transfer-of-golden-1', 'transfer-of-golden-2', 'transfer-of-golden-3'] as const;
  const { credentialId } = life.owners.owner(account)!.passkeys[0]!;
  const approval = { account, credentialId, intentDigest: 'd'.repeat(64) };
  await carryOutAll(life, [
    { type: 'CreateAgentFunding', ...intent, transferId: moved, direction: 'owner_to_agent' },
    { type: 'CreateAgentFunding', ...intent, transferId: prepared, direction: 'owner_to_agent' },
    { type: 'ApproveAgentFunding', ...approval, transferId: moved },
    { type: 'MoveAgentFunding', account, transferId: moved },
    { type: 'CreateAgentFunding', ...intent, transferId: approved, direction: 'agent_to_owner' },
    { type: 'ApproveAgentFunding', ...approval, transferId: approved },
  ]);
}

/** The operator has issued money on the ledger by hand. */
async function acceptDifference(life: Life): Promise<void> {
  await life.submitElsewhere({ step: 'development_issue', commandId: 'by-hand', amountAtoms: quoteAtoms(1) });
  await life.until('transfers are off', () => !life.capability('transfers'));
  await life.acceptLedger();
  await life.carryOut({ type: 'SetCapability', capability: 'transfers', isOn: true });
}

async function letOffersExpire(life: Life, time: ManualTime, alice: AccountOrdinal): Promise<void> {
  const bob = await setUp(life, 'bob');
  const deposit = await offered(life, bob);
  const withdrawal = (await life.requestWithdrawal(alice, 60, 'expires'))!;
  await consentTo(life, alice, withdrawal);
  const open = () => life.owners.withdrawal(withdrawal);
  await life.until('a payout offer', () => open()?.step === 'owner_offer_acceptance');
  time.pass(OFFER_LIFETIME_MS);
  await life.until('a blocked withdrawal', () => open() === undefined);
  await life.until('a withdrawn offer', () => life.owners.deposit(deposit)?.step === 'treasury_offer');
  await life.deposit(bob, 1_000);
}

/** A deposit whose offer its owner may accept. */
async function offered(life: Life, account: AccountOrdinal): Promise<DepositOrdinal> {
  await life.carryOut({ type: 'GrantFaucet', account, amountAtoms: quoteAtoms(1_000) });
  const { intent } = life.owners.fundingIntents(account)[0]!;
  await life.carryOut({ type: 'BindDeposit', account, intent, ledgerKey: newLedgerKey() });
  const deposit = life.owners.fundingIntents(account)[0]!.deposit!;
  await life.until('an offer', () => life.owners.deposit(deposit)?.step === 'owner_offer_acceptance');
  return deposit;
}

async function consentTo(life: Life, account: AccountOrdinal, withdrawal: WithdrawalOrdinal): Promise<void> {
  await life.until('a reservation', () => life.owners.withdrawal(withdrawal)?.status === 'reserved');
  const step = { step: 'owner_withdrawal_consent', attempt: 1, offerExpiresAtEpochMs: NO_OFFER } as const;
  await carryOutAll(life, [
    { type: 'AuthorizeWithdrawal', account, withdrawal },
    { type: 'SubmitWithdrawalStep', withdrawal, ...step },
  ]);
}

async function changePasskeys(life: Life, account: AccountOrdinal): Promise<void> {
  const credentialId = 'second-passkey';
  await carryOutAll(life, [
    { type: 'AddPasskey', account, passkey: passkey(credentialId) },
    { type: 'RecordPasskeyUse', account, credentialId, signatureCount: 5 },
    { type: 'RemovePasskey', account, credentialId, relyingPartyId: 'localhost' },
  ]);
}

/** A deposit and a withdrawal that wait for their owners, and a consent that was revoked. */
async function leaveOpen(life: Life): Promise<void> {
  const carol = await setUp(life, 'carol');
  await life.deposit(carol, 1_000);
  await consentTo(life, carol, (await life.requestWithdrawal(carol, 70, 'open'))!);
  const { partyId } = life.owners.owner(carol)!.party;
  await life.local.submit({ step: 'party_consent_revocation', commandId: 'revoke', partyId });
  await life.until('a revoked consent', () => life.owners.owner(carol)?.consent.state === 'revoked');
  await offered(life, await setUp(life, 'dave'));
}

/** Someone else's command on the ledger, as the operator accepts it. */
async function acceptForeign(life: Life): Promise<void> {
  let receipt: Receipt | undefined;
  life.local.watch((it) => {
    receipt = it;
  });
  await life.local.submit({ step: 'development_issue', commandId: 'foreign', amountAtoms: quoteAtoms(1) });
  await life.until('a sequenced command', () => receipt?.commandId === 'foreign');
  const { offset: ledgerOffset, ledgerEventId } = receipt!;
  await life.carryOut({ type: 'AcceptLedgerEntries', ledgerOffset, ledgerEventId, reason: 'test money' });
}

async function end(life: Life): Promise<void> {
  const account = await life.owner('erin');
  await carryOutAll(life, [
    { type: 'RetireAccount', account, isLegacy: true },
    { type: 'UpdateMarket', market, specification: { ...SCENARIO_MARKET, makerFeeBps: bps(1), liquidationFeeBps: bps(90) } },
    { type: 'SetMarketStatus', market, status: 'reduce_only' },
  ]);
}
