/**
 * Handlers for fundings of agent accounts. The owner approves exactly one intent; the approval is durable before the money moves, and the
 * core moves it once.
 */
import { hash, randomBytes } from 'node:crypto';
import {
  AGENT_FUNDING_LIFETIME_MS,
  type AgentFundingConfirmation,
  type AgentFundingResource,
  type AgentFundingSummary,
  type agentFundingOperations,
} from '#contract/agent-funding.ts';
import { SETTLEMENT_ASSET } from '#contract/fields.ts';
import { Refused } from '#contract/refused.ts';
import type { SigningChallenge } from '#contract/signing.ts';
import { ownAccount } from '#http/access/access.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import type { ApprovalRequest } from '#identity/approvals.ts';
import type { Principal } from '#identity/directory.ts';
import type { AgentFundingView } from '#reads/agent-reads.ts';
import { cursorScope, pageQuery } from '#reads/paging.ts';
import { parseRendered, type RenderedReads } from '#reads/resource-reads.ts';
import { parseDecimal, renderDecimal } from '#units/decimal.ts';
import { type AccountOrdinal, parseAccountId, renderAccountId } from '#units/ids.ts';
import { type EpochMs, type QuoteAtoms, quoteAtoms, SETTLEMENT_DECIMALS } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import { readAccepted } from './accepted-command.ts';
import {
  demandIncomingFunding,
  demandOpenFunding,
  fundingRefusal,
  readFunding,
  submittingFunding,
} from './agent-funding-gate.ts';
import { idempotencyOf } from './idempotency.ts';
import { approverOf, dueChallenge } from './owner-approval.ts';
import { approvalsOf } from './owner-commands.ts';
import { RefusedAttempts } from './refused-attempts.ts';
import { REPLAYED, venueRefusal } from './venue-refusal.ts';

interface FundingCall {
  readonly params: { readonly accountId: string; readonly agentAccountId: string; readonly transferId: string };
  readonly principal: Principal;
  readonly reads: RenderedReads;
}

/** 128 random bits in base64url. */
const TRANSFER_ID_BYTES = 16;

export function agentFundingHandlers(ports: HttpPorts): Pick<Handlers, keyof typeof agentFundingOperations> {
  const { directory, clock, environment, recordDigest } = ports;
  const submit = submittingFunding(ports.submit);
  const approvals = approvalsOf(ports);
  const attempts = new RefusedAttempts();

  const resourceOf = async ({ funding, movedSequence }: AgentFundingView): Promise<AgentFundingResource> => {
    const digest = movedSequence === null ? undefined : await recordDigest(movedSequence);
    return {
      ...funding,
      refusalReason: funding.status === 'refused' ? 'account_unavailable' : attempts.of(funding.transferId),
      journalRecordOrdinal: movedSequence,
      journalRecordDigest: digest === undefined ? null : `sha256:${digest}`,
      intentDigest: `sha256:${intentDigestOf(funding)}`,
    };
  };

  const confirmation = async (
    { principal }: FundingCall,
    view: AgentFundingView,
    challenge: SigningChallenge | null = null,
  ): Promise<AgentFundingConfirmation> => {
    const { funding } = view;
    const due = maySign(principal) ? 'approval_required' : 'owner_signature_required';
    const prepared = isExpired(funding, clock.now()) ? 'expired' : due;
    return { status: funding.status === 'prepared' ? prepared : funding.status, funding: await resourceOf(view), challenge };
  };

  /** With a fresh challenge if the owner's signature is due, and the bearer can sign. */
  const withChallenge = async (call: FundingCall, view: AgentFundingView): Promise<AgentFundingConfirmation> => {
    const { funding } = view;
    const isDue = funding.status === 'prepared' && !isExpired(funding, clock.now()) && maySign(call.principal);
    const challenge = isDue ? await dueChallenge(approvals, intentApproval(call.principal.account, funding)) : null;
    if (isDue) attempts.forget(funding.transferId);
    return confirmation(call, view, challenge);
  };

  /** Resolves to whether it was carried out: otherwise another request of the owner was first. */
  const carryOut = async (command: Extract<Command, { readonly transferId: string }>): Promise<boolean> => {
    const refusal = venueRefusal(await submit({ command }));
    if (refusal === undefined) attempts.forget(command.transferId);
    if (refusal === undefined || refusal.code === 'agent_funding_state_conflict') return refusal === undefined;
    throw fundingRefusal(refusal, directory);
  };

  const demandUnobstructed = ({ obstacle }: AgentFundingView): void => {
    if (obstacle !== null) throw fundingRefusal(new Refused(obstacle), directory);
  };

  /** Moves what is approved. */
  const move = async (call: FundingCall): Promise<AgentFundingConfirmation> => {
    const { account } = call.principal;
    await carryOut({ type: 'MoveAgentFunding', account, transferId: call.params.transferId });
    const view = await readAccepted(viewOf(call));
    // An account was retired after the first view was read.
    if (view.funding.status === 'refused') demandUnobstructed(view);
    return confirmation(call, view);
  };

  const initiate = (call: FundingCall, view: AgentFundingView): Promise<AgentFundingConfirmation> =>
    view.funding.status === 'submitted' ? move(call) : withChallenge(call, view);

  type Approval = Parameters<typeof approverOf>[2];
  const complete = async (call: FundingCall, view: AgentFundingView, approval: Approval): Promise<AgentFundingConfirmation> => {
    const { account } = call.principal;
    const { funding } = view;
    if (funding.status === 'submitted') return confirmation(call, view);
    const { transferId } = funding;
    const credentialId = await approverOf(approvals, intentApproval(account, funding), approval);
    const intentDigest = intentDigestOf(funding);
    const isApproved =
      credentialId !== undefined &&
      (await carryOut({ type: 'ApproveAgentFunding', account, transferId, credentialId, intentDigest }));
    if (isApproved) return move(call);
    const later = await readFunding(viewOf(call));
    if (later.funding.status === 'refused') demandUnobstructed(later);
    return withChallenge(call, later);
  };

  return {
    createAgentFunding: async (call) => {
      const { params, body, principal } = call;
      const account = ownAccount(principal, params.accountId);
      const agentAccount = agentAccountOf(params);
      const { direction } = body;
      const amountAtoms = atomsOf(body.amount);
      const transferId = randomBytes(TRANSFER_ID_BYTES).toString('base64url');
      const expiresAtEpochMs = (clock.now() + AGENT_FUNDING_LIFETIME_MS) as EpochMs;
      const record = await submit({
        command: { type: 'CreateAgentFunding', account, agentAccount, transferId, direction, amountAtoms, expiresAtEpochMs },
        idempotency: idempotencyOf(account, 'createAgentFunding', call),
      });
      const refusal = venueRefusal(record);
      if (refusal !== undefined) throw withGuard(fundingRefusal(refusal, directory));
      const created = record.events.find((event) => event.type === 'AgentFundingCreated')!;
      const funding: AgentFundingSummary = {
        transferId: created.transferId,
        accountId: renderAccountId(account),
        agentAccountId: renderAccountId(agentAccount),
        direction,
        asset: SETTLEMENT_ASSET,
        amount: renderDecimal(amountAtoms, SETTLEMENT_DECIMALS),
        amountAtoms: String(amountAtoms),
        status: 'prepared',
        expiresAtEpochMs: created.expiresAtEpochMs,
        createdAtEpochMs: record.epochMs,
      };
      const unattempted = { refusalReason: null, journalRecordOrdinal: null, journalRecordDigest: null };
      return {
        body: { ...funding, ...unattempted, intentDigest: `sha256:${intentDigestOf(funding)}` },
        headers: record.replayed ? REPLAYED : {},
      };
    },

    listAgentFundings: async ({ params, query, principal, reads }) => {
      const account = ownAccount(principal, params.accountId);
      const scope = cursorScope('listAgentFundings', { ...params, ...query });
      const page = { account, agentAccount: agentAccountOf(params), ...pageQuery(scope, query) };
      const body = await reads.agentFundingList(scope, page);
      if (body === undefined) throw new Refused('agent_account_not_found');
      return { body };
    },

    confirmAgentFunding: async (call) => {
      const { params, body, principal } = call;
      const { action, challengeIdentifier, firstFactor } = body;
      ownAccount(principal, params.accountId);
      if (action === 'complete' && !maySign(principal)) throw new Refused('passkey_required');
      if (action === 'status') return { body: await confirmation(call, await readFunding(viewOf(call))) };
      demandOpenFunding(environment, directory);
      const view = await readFunding(viewOf(call));
      const { funding, obstacle } = view;
      const isEnded = funding.status === 'credited';
      try {
        // Also of a funding that has ended.
        if (obstacle === 'account_legacy_excluded') demandUnobstructed(view);
        if (funding.direction === 'owner_to_agent') demandIncomingFunding(directory);
        if (isEnded) return { body: await confirmation(call, view) };
        if (isExpired(funding, clock.now())) throw fundingRefusal(new Refused('agent_funding_expired'), directory);
        demandUnobstructed(view);
        if (challengeIdentifier === undefined || firstFactor === undefined) return { body: await initiate(call, view) };
        return { body: await complete(call, view, { challengeIdentifier, firstFactor }) };
      } catch (thrown) {
        if (thrown instanceof Refused && !isEnded) attempts.note(funding.transferId, thrown);
        throw thrown;
      }
    },
  };
}

/** Only a session that a passkey signed in can answer a challenge. */
function maySign({ session }: Principal): boolean {
  return session?.signIn.by === 'passkey';
}

/** An approved one never expires. */
function isExpired({ status, expiresAtEpochMs }: AgentFundingSummary, now: EpochMs): boolean {
  return status === 'prepared' && now >= expiresAtEpochMs;
}

/** A malformed id matches no funding, and another account's is not shown. Rejects with {@link Refused} `agent_funding_not_found`. */
async function viewOf({ params, principal, reads }: FundingCall): Promise<AgentFundingView> {
  const agentAccount = parseAccountId(params.agentAccountId);
  const found =
    agentAccount === undefined ? undefined : await reads.agentFunding(principal.account, agentAccount, params.transferId);
  if (found === undefined) throw new Refused('agent_funding_not_found');
  return parseRendered(found);
}

/** Throws {@link Refused} for a malformed id. */
function agentAccountOf({ agentAccountId }: { readonly agentAccountId: string }): AccountOrdinal {
  const agentAccount = parseAccountId(agentAccountId);
  if (agentAccount === undefined) throw new Refused('agent_account_not_found');
  return agentAccount;
}

/** The canonical JSON of the intent. */
function intentText(funding: AgentFundingSummary): string {
  const { transferId, accountId, agentAccountId, direction, asset, amountAtoms, expiresAtEpochMs } = funding;
  const named = { version: 'agent-funding-intent/v1', transferId, accountId, agentAccountId };
  return JSON.stringify({ ...named, direction, asset, amountAtoms, expiresAtEpochMs });
}

function intentDigestOf(funding: AgentFundingSummary): string {
  return hash('sha256', intentText(funding), 'hex');
}

/** The digest of what is approved stays inside, unlike that of the intent: so the bytes differ. */
function intentApproval(account: AccountOrdinal, funding: AgentFundingSummary): ApprovalRequest {
  const command = Buffer.from(`approve ${intentText(funding)}`);
  return { account, operation: 'agent-funding', command, signers: 'passkey' };
}

/** Throws {@link Refused} if the amount is not a whole number of atoms. */
function atomsOf(amount: string): QuoteAtoms {
  const parsed = parseDecimal(amount, SETTLEMENT_DECIMALS);
  if ('atoms' in parsed) return quoteAtoms(parsed.atoms);
  const message = `The amount is ${amount}; it must have at most ${SETTLEMENT_DECIMALS} decimals, and be no more than an account can have.`;
  throw new Refused('amount_out_of_bounds', message, { rejectionGuard: 'amount_atoms_invalid' });
}

function withGuard(refusal: Refused): Refused {
  const { code, message, details } = refusal;
  return code === 'amount_out_of_bounds'
    ? new Refused(code, message, { ...details, rejectionGuard: 'amount_atoms_invalid' })
    : refusal;
}
