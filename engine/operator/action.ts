/**
 * What the operator can ask of a running venue, as JSON objects: one declaration per action, unknown fields refused.
 * Every action but the status is a journaled command, or a few of them.
 */
import * as z from 'zod';
import { decimalInput, IDEMPOTENCY_KEY_PATTERN, idInput, listInput, textInput, wholeNumberInput } from '#contract/fields.ts';
import { epochMs } from '#units/money.ts';
import { SCOPES } from '#venue/command.ts';

const label = textInput(64).default('');
const scopes = listInput(z.enum(SCOPES), 1)
  .refine((named) => new Set(named).size === named.length, 'it names a scope twice')
  .default(['read', 'trade']);
/** When a key ends on its own, in epoch milliseconds once parsed; never, where nothing is said. */
const expiresAt = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2030-01-31T12:00:00Z' })
  .pipe(z.coerce.date())
  .transform((time) => epochMs(time.getTime()))
  .optional();
/** Where money came from; the key, if there is one, where nothing is said. */
const reference = textInput(64, 1);
/** Made by whoever asks: the same action with the same key is carried out once, as long as the venue keeps keys. */
const key = z.string().regex(IDEMPOTENCY_KEY_PATTERN, 'must be 1 to 128 visible ASCII characters').optional();

export const createAccountAction = z.strictObject({
  action: z.literal('account.create'),
  label,
  /** What the account begins with, in USD.E. */
  credit: decimalInput.default('0'),
  /** What its API key may do. */
  scopes,
  /** When that key ends. */
  expiresAt,
  /** An account without a party binding can read but not trade. */
  party: z.boolean().default(true),
  key,
});

export const operatorAction = z.discriminatedUnion('action', [
  createAccountAction,
  z.strictObject({
    action: z.literal('account.credit'),
    accountId: idInput,
    amount: decimalInput,
    reference: reference.optional(),
    key,
  }),
  z.strictObject({
    action: z.literal('account.debit'),
    accountId: idInput,
    amount: decimalInput,
    reference: reference.optional(),
    key,
  }),
  z.strictObject({ action: z.literal('account.retire'), accountId: idInput }),
  z.strictObject({
    action: z.literal('account.list'),
    /** How many accounts at most. */
    limit: wholeNumberInput(1, 500).default(100),
    /** The last account of the page before. */
    after: idInput.optional(),
  }),
  z.strictObject({ action: z.literal('account.show'), accountId: idInput }),
  z.strictObject({ action: z.literal('api-key.create'), accountId: idInput, label, scopes, expiresAt, key }),
  z.strictObject({ action: z.literal('api-key.list'), accountId: idInput }),
  z.strictObject({ action: z.literal('api-key.revoke'), accountId: idInput, keyId: idInput }),
  z.strictObject({
    action: z.literal('market.status'),
    marketId: idInput,
    status: z.enum(['open', 'reduce_only', 'cancel_only', 'closed']),
  }),
  z.strictObject({
    action: z.literal('insurance.credit'),
    amount: decimalInput,
    reference: reference.optional(),
    key,
  }),
  z.strictObject({ action: z.literal('venue.status') }),
]);

/** An action as it is asked for: what has a default may be left out. */
export type OperatorRequest = z.input<typeof operatorAction>;
export type OperatorAction = z.output<typeof operatorAction>;
export type ActionOf<Name extends OperatorAction['action']> = Extract<OperatorAction, { action: Name }>;

/** An account with a key of its own. The key is told here and nowhere else. */
export interface CreatedAccount {
  readonly accountId: string;
  readonly keyId: string;
  readonly apiKey: string;
  readonly scopes: readonly string[];
  /** USD.E, as a decimal. */
  readonly cash: string;
}

export interface CreatedApiKey {
  readonly accountId: string;
  readonly keyId: string;
  readonly apiKey: string;
  readonly scopes: readonly string[];
  /** Absent where it never does. */
  readonly expiresAtEpochMs?: number;
}

/** What the venue says of itself. Without figures where a halt leaves nothing to be read. */
export interface VenueReport extends Partial<VenueFigures> {
  readonly url: string;
  readonly realtimeUrl: string;
  /** Absent where metrics are off. */
  readonly metricsUrl?: string;
  readonly isReady: boolean;
  /** Why it takes no commands; empty when it does. */
  readonly reasons: readonly string[];
  /** What is away that cancels and closes do not need. */
  readonly degraded?: readonly string[];
  readonly journalSequence: number;
  /** What the next start does not run again. */
  readonly snapshotSequence: number;
  /** Why the last snapshot could not be saved, if so. */
  readonly snapshotFailure?: string | undefined;
  /** Where index prices come from. */
  readonly prices: string;
}

export interface VenueFigures {
  /** The venue's own money, in USD.E: the fees that it took. */
  readonly fees: string;
  /** What covers closes that cost more than their margin. */
  readonly insurance: string;
  /** What they cost beyond that: at or below zero. */
  readonly deficit: string;
  /** Funding that was paid and is yet to be received. */
  readonly funding: string;
  /** Cash that is reserved to leave the venue. */
  readonly withdrawals: string;
  readonly markets: readonly {
    readonly marketId: string;
    readonly status: string;
    readonly indexStatus: string | null;
    readonly indexPrice: string | null;
    readonly markPrice: string | null;
    /** The base of all long positions. */
    readonly openInterest: string;
  }[];
}

export type OperatorAnswer =
  | { readonly ok: true; readonly result: object }
  | { readonly ok: false; readonly error: { readonly code: string; readonly message: string } };

/** An action that was refused. The message is one line and says what to do. */
export class OperatorRefusal extends Error {
  override readonly name = 'OperatorRefusal';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
