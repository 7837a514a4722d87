/** The page reads only fields that the contract has, with values that it expects. `npm run check:page` fails otherwise. */
import { expectTypeOf, test } from 'vitest';
import type * as z from 'zod';
import type { AccountSnapshot as AccountOfContract, PartyBinding as PartyOfContract } from '#contract/accounts.ts';
import type { AgentAccountList } from '#contract/agent-accounts.ts';
import type { AgentActionLog } from '#contract/agent-actions.ts';
import type { decideDeviceGrant } from '#contract/agent-connect.ts';
import type { createAgentDeployment, SingleAgentDeployment } from '#contract/agent-deployments.ts';
import type { AgentDraftResource, ListedAgentDraft } from '#contract/agent-drafts.ts';
import type { AgentFundingConfirmation, AgentFundingList, AgentFundingResource } from '#contract/agent-funding.ts';
import type { AgentStrategyCatalogue } from '#contract/agent-strategies.ts';
import type { ApiKeyList } from '#contract/api-keys.ts';
import type { DepositConfirmation, DepositResource } from '#contract/deposits.ts';
import type { ErrorEnvelope } from '#contract/error-envelope.ts';
import type { FaucetGrant as FaucetOfContract, FundingIntents } from '#contract/faucet.ts';
import type { DeploymentTimeframe, MarketResource } from '#contract/markets.ts';
import type { PartyConsent, PartyOnboarding, SigningWallet } from '#contract/party.ts';
import type { PasskeyList, PasskeyRemoval, PasskeyResult, SetupKeyResult } from '#contract/passkeys.ts';
import type { CHANNELS } from '#contract/realtime-channels.ts';
import type { MintedTicket } from '#contract/realtime-tickets.ts';
import type {
  AuthCapabilities,
  RegistrationStepBody,
  OwnerSession as SessionOfContract,
  SocialLogin,
} from '#contract/sign-in-bodies.ts';
import type { SigningApproval, SigningChallenge } from '#contract/signing.ts';
import type { TransferHistory } from '#contract/transfers.ts';
import type { WithdrawalConfirmation, WithdrawalResource } from '#contract/withdrawals.ts';
import type { DeploymentTerms } from './src/venue/agent-operations.ts';
import type * as agents from './src/venue/agent-resources.ts';
import type * as page from './src/venue/resources.ts';
import type * as errors from './src/venue/venue-error.ts';

test('sign-in', () => {
  expectTypeOf<AuthCapabilities>().toExtend<page.Capabilities>();
  expectTypeOf<RegistrationStepBody>().toExtend<page.SocialSignIn>();
  expectTypeOf<SocialLogin>().toExtend<page.SocialSignIn>();
  expectTypeOf<SessionOfContract>().toExtend<page.OwnerSession>();
});

test('signatures', () => {
  expectTypeOf<SigningChallenge>().toExtend<page.Challenge>();
  expectTypeOf<page.Approval>().toExtend<SigningApproval>();
  expectTypeOf<SetupKeyResult>().toExtend<page.SetupKeyStep>();
  expectTypeOf<PasskeyResult>().toExtend<page.PasskeyStep>();
  expectTypeOf<PasskeyRemoval>().toExtend<page.PasskeyRemoval>();
  expectTypeOf<PasskeyList['passkeys'][number]>().toExtend<page.Passkey>();
});

test('the set-up', () => {
  expectTypeOf<PartyOfContract>().toExtend<page.PartyBinding>();
  expectTypeOf<PartyOnboarding>().toExtend<page.SetupStepState>();
  expectTypeOf<SigningWallet>().toExtend<page.SetupStepState>();
  expectTypeOf<PartyConsent>().toExtend<page.ConsentState>();
});

test('money', () => {
  expectTypeOf<AccountOfContract>().toExtend<page.AccountSnapshot>();
  expectTypeOf<FaucetOfContract>().toExtend<page.FaucetGrant>();
  expectTypeOf<FundingIntents['fundingIntents'][number]>().toExtend<page.FundingIntent>();
  expectTypeOf<DepositResource>().toExtend<page.Deposit>();
  expectTypeOf<DepositConfirmation>().toExtend<page.DepositSigning>();
  expectTypeOf<WithdrawalResource>().toExtend<page.Withdrawal>();
  expectTypeOf<WithdrawalConfirmation>().toExtend<page.WithdrawalSigning>();
  expectTypeOf<TransferHistory>().toExtend<page.TransferPage>();
});

test('programs', () => {
  expectTypeOf<z.infer<(typeof decideDeviceGrant)['success']['schema']>>().toExtend<page.DeviceGrant>();
  expectTypeOf<ApiKeyList['apiKeys'][number]>().toExtend<page.ApiKey>();
});

test('strategies and drafts', () => {
  expectTypeOf<AgentStrategyCatalogue['strategies'][number]>().toExtend<agents.Strategy>();
  expectTypeOf<ListedAgentDraft>().toExtend<agents.ListedDraft>();
  expectTypeOf<AgentDraftResource>().toExtend<agents.Draft>();
  expectTypeOf<ErrorEnvelope>().toExtend<errors.ErrorEnvelope>();
});

test('deployments', () => {
  expectTypeOf<DeploymentTimeframe>().toEqualTypeOf<agents.Timeframe>();
  expectTypeOf<MarketResource>().toExtend<agents.Market>();
  expectTypeOf<SingleAgentDeployment['deployment']>().toExtend<agents.Deployment>();
  type Sent = Omit<DeploymentTerms, 'timeframe'> & { readonly timeframe: DeploymentTimeframe };
  expectTypeOf<Sent>().toExtend<DeepReadonly<z.input<(typeof createAgentDeployment)['body']>>>();
  expectTypeOf<AgentActionLog>().toExtend<agents.ActionPage>();
  expectTypeOf<MintedTicket>().toExtend<agents.RealtimeTicket>();
  expectTypeOf<z.infer<(typeof CHANNELS)['account.agents']['data']>>().toExtend<agents.ActionsUpdate>();
  expectTypeOf<z.infer<(typeof CHANNELS)['market.price']['data']>>().toExtend<agents.PriceUpdate>();
});

test('agent accounts and their fundings', () => {
  expectTypeOf<AgentAccountList['agentAccounts'][number]>().toExtend<agents.AgentAccount>();
  expectTypeOf<AgentFundingResource>().toExtend<agents.AgentFunding>();
  expectTypeOf<AgentFundingList>().toExtend<agents.AgentFundingPage>();
  expectTypeOf<AgentFundingConfirmation>().toExtend<agents.AgentFundingSigning>();
});

type DeepReadonly<Value> = { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> };
