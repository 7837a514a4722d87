/**
 * Every step that an owner approves by a signature, with every approval that is wrong in one respect: each gets the response that its
 * operation prescribes, and nothing moves. Then 64 uses of one right approval at once move it once.
 */
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import * as z from 'zod';
import { DEPOSIT_SIGNING_STEPS } from '#contract/deposits.ts';
import type { Operation } from '#contract/operation.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { WITHDRAWAL_SIGNING_STEPS } from '#contract/withdrawals.ts';
import { type ApprovedStep, type Due, isSignIn, type PreparedStep } from '#http/testing/approvals/approved-step.ts';
import { APPROVED_STEPS } from '#http/testing/approvals/approved-steps.ts';
import { approvingOwner } from '#http/testing/approvals/approving-owner.ts';
import { MUTATED_CEREMONIES } from '#http/testing/approvals/mutated-ceremonies.ts';
import { MUTATED_CHALLENGES, misdirections } from '#http/testing/approvals/mutated-challenges.ts';
import { MUTATED_REQUESTS } from '#http/testing/approvals/mutated-requests.ts';
import { MUTATED_SIGNERS } from '#http/testing/approvals/mutated-signers.ts';
import { type Scene, signed, withAssertion } from '#http/testing/approvals/mutation.ts';
import { whilePlanted } from '#http/testing/provocations.ts';
import { OPERATION_IDS, UNLIMITED } from '#http/testing/stage.ts';
import { startVenue, type VenueResponse, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import type { ApprovalFailure } from '#identity/approvals.ts';
import { approvalRefusal } from '#identity/sign-in/approval-refusal.ts';
import { UNKNOWN_CREDENTIAL_MESSAGE } from '#identity/sign-in/ceremony-message.ts';
import { MAX_PAGE } from '#settlement/port/ledger.ts';
import { eventually } from '#time/testing/eventually.ts';
import type { Command } from '#venue/command.ts';

const AT_ONCE = 64;
const MUTATIONS = [...MUTATED_CEREMONIES, ...MUTATED_SIGNERS, ...MUTATED_CHALLENGES];

describe.each(APPROVED_STEPS.map((step) => [`${step.operation}: ${step.name}`, step] as const))('%s', (_, step) => {
  let venue: VenueUnderTest;
  let prepared: PreparedStep | undefined;
  let another: PreparedStep | undefined;
  beforeAll(async () => {
    venue = await startVenue(UNLIMITED);
  });
  afterAll(async () => {
    expect(venue.internalErrors).toEqual([]);
    await venue.close();
  });

  const prepare = async (of: ApprovedStep = step) =>
    of.prepare(await approvingOwner(venue, { hasSetupKey: of.registersSetupKey !== true }));

  /** All tests share what is due: no refused approval changes it. */
  async function scene(): Promise<Scene & { readonly prepared: PreparedStep }> {
    onTestFailed(() => {
      prepared = undefined;
    });
    prepared ??= await prepare();
    const { approver } = prepared;
    return {
      step,
      prepared,
      another: async () => {
        another ??= await prepare();
        return another;
      },
      otherOperation: async () => {
        const other = step.operation === 'decideDeviceGrant' ? 'addPasskey' : 'decideDeviceGrant';
        const otherStep = APPROVED_STEPS.find(({ operation }) => operation === other)!;
        return (await (await otherStep.prepare(approver)).due()).challenge;
      },
    };
  }

  test.each(named([...misdirections(step), ...MUTATIONS].filter(isMutated)))('refuses %s', async (_name, { failure, mutate }) => {
    const shown = await scene();
    const { due, approval } = await mutate(shown);
    const before = await everything(shown.prepared);
    const cause = typeof failure === 'function' ? failure(step) : failure;
    expectRefused(await due.complete(approval), due, cause);
    await expectUnmoved(shown.prepared, due, before);
    if (!isOfSignature(cause)) return;
    // It is used up by the refused signature.
    const good = signed(step, shown.prepared, due.challenge);
    expectRefused(await due.complete(good), due, { failure: 'challenge_unknown' });
    await expectUnmoved(shown.prepared, due, before);
  });

  test.each(named(MUTATED_REQUESTS.filter(isMutated)))('refuses %s', async (_name, { code, bearer, change }) => {
    const shown = await scene();
    const due = await shown.prepared.due();
    const good = signed(step, shown.prepared, due.challenge);
    const by = await bearer?.(shown);
    const before = await everything(shown.prepared);
    const { body } = await due.complete(change === undefined ? good : change(good), by);
    expect(body).toMatchObject({ code: code(step) });
    await expectUnmoved(shown.prepared, due, before);
    // The challenge is not used up: it is looked at now.
    const unsigned = withAssertion(good, () => ({ signature: '' }));
    const rejection = step.signers === 'setup_key' ? 'malformed' : 'signature_invalid';
    expectRefused(await due.complete(unsigned), due, { failure: 'signature_rejected', rejection });
  });

  test(`carries out one of ${AT_ONCE} uses of a new challenge at once, and nothing if it is repeated`, async () => {
    const shown = await scene();
    const due = await shown.prepared.due();
    const approval = signed(step, shown.prepared, due.challenge);
    const { account: before, ledger } = await everything(shown.prepared);
    const commands: Command['type'][] = [];
    const beforeSubmit = ({ type }: Command) => commands.push(type);
    const used = () => Promise.all(Array.from({ length: AT_ONCE }, () => due.complete(approval)));
    const responses = await whilePlanted(venue.planted, { beforeSubmit }, used);
    expect(commands).toEqual(step.commands);
    if (step.isCarriedOut !== undefined) expect(responses.filter(step.isCarriedOut)).toHaveLength(1);
    await eventually(async () => {
      const entries = await venue.settlement!.local.entries({ afterOffset: ledger.offset, limit: MAX_PAGE });
      expect(entries.map(({ command }) => command.step)).toEqual(step.ledgerSteps);
      await step.verify(shown.prepared, before);
    });
    const after = await everything(shown.prepared);
    expect((await due.complete(approval)).body).toMatchObject(step.repeated);
    expect(await everything(shown.prepared)).toEqual(after);
  });

  function isMutated({ excuse }: { readonly excuse?: (of: ApprovedStep) => string | undefined }): boolean {
    return excuse?.(step) === undefined;
  }

  function expectRefused({ status, body }: VenueResponse, due: Due, cause: ApprovalFailure): void {
    const { message } = approvalRefusal(cause);
    if (isOfSignature(cause) && isSignIn(step)) {
      expect(body).toMatchObject({ code: 'passkey_rejected', safeMessage: UNKNOWN_CREDENTIAL_MESSAGE });
    } else if (isOfSignature(cause)) {
      const agentRefusal = 'owner_signature_invalid';
      expect(body).toMatchObject({ code: 'signature_rejected', agentRefusal, safeMessage: message });
    } else if (step.onOtherChallenge === 'refusal') {
      expect(body).toMatchObject({ code: 'challenge_rejected', safeMessage: message });
    } else {
      const { challenge, ...shown } = body;
      expect([status, shown]).toEqual([200, due.shown]);
      expect(challenge).not.toBeNull();
      expect(challenge.challengeIdentifier).not.toBe(due.challenge.challengeIdentifier);
    }
  }
});

function named<Row extends { readonly name: string }>(rows: readonly Row[]): readonly (readonly [name: string, row: Row])[] {
  return rows.map((row) => [row.name, row]);
}

function isOfSignature({ failure }: ApprovalFailure): boolean {
  return failure === 'signature_rejected' || failure === 'credential_not_allowed';
}

/** The state of the venue and of the ledger, what the owner sees of the account, and the account's sessions. */
async function everything({ approver: { owner, venue } }: PreparedStep) {
  const { local } = venue.settlement!;
  const { freshness: _, ...account } = await owner.body('getAccount');
  const { freshness: __, ...transfers } = await owner.body('listTransfers');
  const { passkeys } = await owner.body('listPasskeys');
  const { apiKeys } = await owner.body('listApiKeys');
  const sessions = await venue.sessions.list(owner.bot.account);
  const state = { sequence: venue.sequence(), digest: venue.stateDigest() };
  return { state, ledger: await local.head(), account: { ...account, passkeys, apiKeys }, transfers, sessions };
}

/** The same is due as before. */
async function expectUnmoved(prepared: PreparedStep, due: Due, before: object): Promise<void> {
  expect(await everything(prepared)).toEqual(before);
  expect((await prepared.due()).shown).toEqual(due.shown);
}

describe('the table of steps', () => {
  test('has every operation that takes an assertion', () => {
    const takesAssertion = ({ body }: Operation) =>
      body !== undefined && JSON.stringify(z.toJSONSchema(body, { io: 'input' })).includes('"credentialAssertion"');
    const approved = OPERATION_IDS.filter((id) => takesAssertion(OPERATIONS[id]));
    expect(new Set(APPROVED_STEPS.map(({ operation }) => operation))).toEqual(new Set(approved));
  });

  test.each([
    ['confirmDeposit', DEPOSIT_SIGNING_STEPS],
    ['confirmWithdrawal', WITHDRAWAL_SIGNING_STEPS],
  ] as const)('has every signing step of %s', (id, signingSteps) => {
    const names = APPROVED_STEPS.filter(({ operation }) => operation === id).map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set(signingSteps));
  });
});
