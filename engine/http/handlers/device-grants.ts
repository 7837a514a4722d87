/**
 * Handlers for device grants. An approval is a passkey's signature over exactly the requested access, and void once its session has
 * ended or the passkey was removed. It is marked as delivered before its key is issued, so that no approval issues two keys; it is
 * given back if no key was issued.
 */
import { type connectOperations, DEFAULT_KEY_LIFETIME_DAYS } from '#contract/agent-connect.ts';
import { Refused } from '#contract/refused.ts';
import type { SigningChallenge } from '#contract/signing.ts';
import { ownAccount } from '#http/access/access.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import { createApiKey } from '#identity/api-key.ts';
import type { ApprovalRequest } from '#identity/approvals.ts';
import type { DecisionFailure, DecisionResult, GrantedAccess, PollResult, ShownGrant } from '#identity/device-grants.ts';
import { isOfOwner } from '#identity/session-owner.ts';
import { StoreUnavailable } from '#identity/store-unavailable.ts';
import { type AccountOrdinal, renderAccountId } from '#units/ids.ts';
import { WriterBusy } from '#writer/port/submit.ts';
import { approverOf, dueChallenge } from './owner-approval.ts';
import { approvalsOf, demandUnretired } from './owner-commands.ts';
import { venueRefusal } from './venue-refusal.ts';

const VERSION = 'agent-connect/v1' as const;

export function deviceGrantHandlers(ports: HttpPorts): Pick<Handlers, keyof typeof connectOperations> {
  const { deviceGrants, owners, relyingParty, sessions, submit } = ports;
  const approvals = approvalsOf(ports);

  /** Rejects if no key was issued, or perhaps none. */
  const issueKey = async (granted: GrantedAccess) => {
    const { account, label, scopes, sessionId, credentialId, keyExpiresAtEpochMs: expiresAtEpochMs } = granted;
    const session = await sessions.unrevoked(sessionId);
    if (session === undefined || !isOfOwner(session, owners)) throw new Refused('access_denied', SESSION_ENDED);
    // The session may be of another passkey than the signature.
    if (owners.passkey(credentialId)?.account !== account) throw new Refused('access_denied', PASSKEY_REMOVED);
    const { keyId, key, digest } = createApiKey();
    const record = await submit({
      command: { type: 'IssueApiKey', account, keyId, digest, scopes, label, expiresAtEpochMs },
    });
    const refusal = venueRefusal(record);
    if (refusal !== undefined) throw refusal;
    return { keyId, apiKey: key, expiresAtEpochMs };
  };

  return {
    startDeviceGrant: async ({ body, network }) => {
      const { label, scopes, keyLifetimeDays = DEFAULT_KEY_LIFETIME_DAYS } = body;
      if (new Set(scopes).size !== scopes.length) throw new Refused('invalid_request', 'scopes: name each scope once.');
      const started = await deviceGrants.start(network, { label, scopes, keyLifetimeDays });
      if (started === 'full') throw new Refused('too_many_device_grants', undefined, { headers: { 'retry-after': '60' } });
      const [origin] = relyingParty().origins;
      const verificationUri = `${origin}/app#connect`;
      const verificationUriComplete = `${verificationUri}=${started.userCode}`;
      return { body: { version: VERSION, ...started, verificationUri, verificationUriComplete } };
    },

    collectDeviceGrant: async ({ body: { deviceCode } }) => {
      const polled = await deviceGrants.poll(deviceCode);
      if ('failure' in polled) throw pollRefusal(polled);
      const { granted } = polled;
      try {
        const issued = await issueKey(granted);
        const { account, label, scopes } = granted;
        const accountId = renderAccountId(account);
        return { body: { version: VERSION, status: 'approved', accountId, ...issued, scopes: [...scopes], label } };
      } catch (error) {
        // After any other error the key may have been issued.
        if (error instanceof Refused || error instanceof WriterBusy || error instanceof StoreUnavailable)
          await deviceGrants.giveBack(deviceCode, granted);
        throw error;
      }
    },

    decideDeviceGrant: async ({ params, body: { userCode, decision, approval }, principal }) => {
      const account = ownAccount(principal, params.accountId);
      if (decision === 'deny') return { body: shown(foundOf(await deviceGrants.deny(userCode)), 'denied') };
      const described = foundOf(await deviceGrants.describe(userCode));
      if (decision === 'describe') return { body: shown(described, 'pending') };
      demandUnretired(owners, account);
      const request = approvalOf(account, described);
      const credentialId = approval === undefined ? undefined : await approverOf(approvals, request, approval);
      if (credentialId === undefined)
        return { body: shown(described, 'approval_required', await dueChallenge(approvals, request)) };
      // The operation needs a session.
      const { sessionId } = principal.session!;
      const approver = { account, sessionId, credentialId };
      return { body: shown(foundOf(await deviceGrants.approve(userCode, approver)), 'approved') };
    },
  };
}

const SESSION_ENDED =
  'The owner signed out before the API key was collected, which ended the approval. Ask the owner before you start another device grant.';

const PASSKEY_REMOVED =
  'The owner removed the passkey that approved the device grant, before the API key was collected. Ask the owner before you start another one.';

/** What the passkey signs: this grant, with everything that its key may do. */
function approvalOf(account: AccountOrdinal, { grantId, access }: ShownGrant): ApprovalRequest {
  const { label, scopes, keyLifetimeDays } = access;
  const command = new TextEncoder().encode(JSON.stringify([grantId, label, scopes, keyLifetimeDays]));
  return { account, operation: 'agent-connect/approve', command, signers: 'passkey' };
}

function pollRefusal({ failure, intervalMs = 0 }: Extract<PollResult, { failure: unknown }>): Refused {
  const headers = failure === 'slow_down' ? { 'retry-after': String(Math.ceil(intervalMs / 1_000)) } : {};
  return new Refused(failure, undefined, { headers });
}

const DECISION_REFUSALS = {
  unknown: 'user_code_not_found',
  expired: 'expired_token',
  decided: 'device_grant_decided',
} as const satisfies Record<DecisionFailure, string>;

function foundOf(result: DecisionResult): ShownGrant {
  if ('failure' in result) throw new Refused(DECISION_REFUSALS[result.failure]);
  return result;
}

function shown<Status extends string>(grant: ShownGrant, status: Status, challenge: SigningChallenge | null = null) {
  const { access, startedAtEpochMs, expiresAtEpochMs } = grant;
  const { label, scopes, keyLifetimeDays } = access;
  return { version: VERSION, status, label, scopes: [...scopes], keyLifetimeDays, startedAtEpochMs, expiresAtEpochMs, challenge };
}
