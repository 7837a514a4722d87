/** The page reads only fields that the contract has, with values that it expects. `npm run check:page` fails otherwise. */
import { expectTypeOf, test } from 'vitest';
import type * as z from 'zod';
import type { AccountSnapshot as AccountOfContract, PartyBinding as PartyOfContract } from '#contract/accounts.ts';
import type { decideDeviceGrant } from '#contract/agent-connect.ts';
import type { ApiKeyList } from '#contract/api-keys.ts';
import type { DepositConfirmation, DepositResource } from '#contract/deposits.ts';
import type { FaucetGrant as FaucetOfContract, FundingIntents } from '#contract/faucet.ts';
import type { PartyConsent, PartyOnboarding, SigningWallet } from '#contract/party.ts';
import type { PasskeyList, PasskeyRemoval, PasskeyResult, SetupKeyResult } from '#contract/passkeys.ts';
import type {
  AuthCapabilities,
  RegistrationStepBody,
  OwnerSession as SessionOfContract,
  SocialLogin,
} from '#contract/sign-in-bodies.ts';
import type { SigningApproval, SigningChallenge } from '#contract/signing.ts';
import type { TransferHistory } from '#contract/transfers.ts';
import type { WithdrawalConfirmation, WithdrawalResource } from '#contract/withdrawals.ts';
import type * as page from './src/venue/resources.ts';

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
