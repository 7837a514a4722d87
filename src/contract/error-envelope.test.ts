/** The details of the error envelope: each has a closed list or a bound, and is published only for operations that declare it. */
import { describe, expect, test } from 'vitest';
import { epochMs } from '#units/money.ts';
import { DEFAULT_VENUE_LIMITS } from './contract-limits.ts';
import { AGENT_REFUSALS, DECLARED_DETAILS, errorEnvelope, REJECTION_GUARDS, WITHDRAWAL_FAILURES } from './error-envelope.ts';
import { documentOf } from './openapi.ts';
import type { Operation } from './operation.ts';
import { type RefusalDetails, Refused, renderEnvelope } from './refused.ts';
import { getHealth } from './system.ts';

const DETAILS: readonly RefusalDetails[] = [
  { apiKeyRejection: 'revoked' },
  { realtimeTicketFailure: 'expired' },
  { dependency: 'realtime_tickets' },
  { dependency: 'signer-2' },
  ...AGENT_REFUSALS.map((agentRefusal) => ({ agentRefusal })),
  ...REJECTION_GUARDS.map((rejectionGuard) => ({ rejectionGuard })),
  ...WITHDRAWAL_FAILURES.map((withdrawalFailure) => ({ withdrawalFailure })),
];

describe('an envelope', () => {
  test.each(DETAILS)('has the detail %o of its refusal, and no header', (details) => {
    const refused = new Refused('passkey_required', undefined, { ...details, headers: { 'retry-after': '1' } });
    const envelope = renderEnvelope(refused, 'id', epochMs(1_700_000_000_000));
    expect(envelope).toEqual({
      version: 'external-rest-error/v1',
      requestId: 'id',
      code: 'passkey_required',
      safeMessage: expect.stringContaining('passkey'),
      retryable: false,
      recoveryActions: ['none'],
      occurredAtEpochMs: 1_700_000_000_000,
      ...details,
    });
    expect(errorEnvelope.safeParse(envelope).success).toBe(true);
  });

  test.each([
    { agentRefusal: 'other' },
    { rejectionGuard: 'other' },
    { withdrawalFailure: 'settled' },
    { dependency: '' },
    { dependency: 'a b' },
    { dependency: `a${'b'.repeat(64)}` },
    { dependency: 'https://signer.example/?key=x' },
  ])('cannot have the detail %o', (details) => {
    const envelope = renderEnvelope(new Refused('source_unavailable'), 'id', epochMs(1_700_000_000_000));
    expect(errorEnvelope.safeParse(envelope).success).toBe(true);
    expect(errorEnvelope.safeParse({ ...envelope, ...details }).success).toBe(false);
  });
});

describe('a document', () => {
  test.each(DECLARED_DETAILS)('publishes %s exactly if one of its operations declares it', (detail) => {
    const declaring: Operation = { ...getHealth, refusalDetails: [detail] };
    const published = (operations: readonly Operation[]) => {
      const { properties } = documentOf(operations, DEFAULT_VENUE_LIMITS).components.schemas.Error as {
        readonly properties: object;
      };
      return DECLARED_DETAILS.filter((name) => name in properties);
    };
    expect(published([declaring])).toEqual([detail]);
    expect(published([getHealth])).toEqual([]);
  });
});
