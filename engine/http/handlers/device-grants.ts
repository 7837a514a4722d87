/**
 * Handlers for device grants. An approval is marked as delivered before its key is issued, so that no approval issues two keys; it is
 * given back if the venue refused to issue one.
 */
import type { connectOperations } from '#contract/agent-connect.ts';
import { Refused } from '#contract/refused.ts';
import { ownAccount } from '#http/access/access.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import { createApiKey } from '#identity/api-key.ts';
import type { DecisionFailure, DecisionResult, GrantedAccess, PollResult } from '#identity/device-grants.ts';
import { renderAccountId } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { WriterBusy } from '#writer/port/submit.ts';
import { venueRefusal } from './venue-refusal.ts';

const VERSION = 'agent-connect/v1' as const;

export function deviceGrantHandlers({
  deviceGrants,
  relyingParty,
  submit,
}: HttpPorts): Pick<Handlers, keyof typeof connectOperations> {
  /** Rejects if no key was issued, or perhaps none. */
  const issueKey = async ({ account, label, scopes }: GrantedAccess) => {
    const { keyId, key, digest } = createApiKey();
    const expiresAtEpochMs = 0 as EpochMs;
    const record = await submit({
      command: { type: 'IssueApiKey', account, keyId, digest, scopes, label, expiresAtEpochMs },
    });
    const refusal = venueRefusal(record);
    if (refusal !== undefined) throw refusal;
    return { keyId, apiKey: key };
  };

  return {
    startDeviceGrant: async ({ body: { label, scopes }, network }) => {
      if (new Set(scopes).size !== scopes.length) throw new Refused('invalid_request', 'scopes: name each scope once.');
      const started = await deviceGrants.start(network, { label, scopes });
      if (started === 'full') throw new Refused('too_many_device_grants');
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
        if (error instanceof Refused || error instanceof WriterBusy) await deviceGrants.giveBack(deviceCode, granted.account);
        throw error;
      }
    },

    decideDeviceGrant: async ({ params, body: { userCode, decision }, principal }) => {
      const account = ownAccount(principal, params.accountId);
      if (decision === 'describe') return { body: shown(await deviceGrants.describe(userCode), 'pending') };
      if (decision === 'deny') return { body: shown(await deviceGrants.deny(userCode), 'denied') };
      return { body: shown(await deviceGrants.approve(userCode, account), 'approved') };
    },
  };
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

function shown<Status extends string>(result: DecisionResult, status: Status) {
  if ('failure' in result) throw new Refused(DECISION_REFUSALS[result.failure]);
  const { access, expiresAtEpochMs } = result;
  const { label, scopes } = access;
  return { version: VERSION, status, label, scopes: [...scopes], expiresAtEpochMs };
}
