/**
 * The operator's actions on a running venue, as JSON objects: one declaration per action, unknown fields are refused. Every
 * action but the status and the reads is a journaled command, or a few of them.
 */
import * as z from 'zod';
import { decimalInput, IDEMPOTENCY_KEY_PATTERN, idInput, listInput, textInput, wholeNumberInput } from '#contract/fields.ts';
import { epochMs } from '#units/money.ts';
import { isCapability, SCOPES, VENUE_STATUSES } from '#venue/command.ts';
import { specificationChanges } from './specification-changes.ts';

const label = textInput(64).default('');
const scopes = listInput(z.enum(SCOPES), 1)
  .refine((named) => new Set(named).size === named.length, 'it names a scope twice')
  .default(['read', 'trade']);
/** When a key expires, in epoch milliseconds once parsed; never by default. */
const expiresAt = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2030-01-31T12:00:00Z' })
  .pipe(z.coerce.date())
  .transform((time) => epochMs(time.getTime()))
  .optional();
/** Where money came from; by default the key, if there is one. */
const reference = textInput(64, 1);
/** Chosen by the caller: the same action with the same key is carried out once, as long as the venue keeps keys. */
const key = z.string().regex(IDEMPOTENCY_KEY_PATTERN, 'must be 1 to 128 visible ASCII characters').optional();

function ledgerOffset(lowest: number) {
  return wholeNumberInput(lowest, Number.MAX_SAFE_INTEGER);
}

export const createAccountAction = z.strictObject({
  action: z.literal('account.create'),
  label,
  /** The initial cash of the account, in USD.E. */
  credit: decimalInput.default('0'),
  /** The scopes of its API key. */
  scopes,
  /** When that key expires. */
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
  z.strictObject({
    action: z.literal('account.retire'),
    accountId: idInput,
    /** Excludes the account as legacy. */
    legacy: z.boolean().default(false),
  }),
  z.strictObject({
    action: z.literal('account.list'),
    /** The maximum number of accounts. */
    limit: wholeNumberInput(1, 500).default(100),
    /** The last account of the previous page. */
    after: idInput.optional(),
  }),
  z.strictObject({ action: z.literal('account.show'), accountId: idInput }),
  z.strictObject({ action: z.literal('api-key.create'), accountId: idInput, label, scopes, expiresAt, key }),
  z.strictObject({ action: z.literal('api-key.list'), accountId: idInput }),
  z.strictObject({ action: z.literal('api-key.revoke'), accountId: idInput, keyId: idInput }),
  z.strictObject({
    action: z.literal('market.create'),
    marketId: idInput,
    /** The price of the underlying now, in USD: scales and bounds follow from it. */
    price: decimalInput,
    changes: specificationChanges.default({}),
  }),
  z.strictObject({ action: z.literal('market.update'), marketId: idInput, changes: specificationChanges }),
  z.strictObject({ action: z.literal('market.list') }),
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
  z.strictObject({
    action: z.literal('withdrawal.block'),
    withdrawalId: idInput,
    /** Its owner reads it. */
    reason: textInput(64, 1),
  }),
  z.strictObject({ action: z.literal('venue.status') }),
  z.strictObject({ action: z.literal('venue.set-status'), status: z.enum(VENUE_STATUSES) }),
  z.strictObject({
    action: z.literal('venue.capability'),
    capability: textInput(64, 1).refine(
      isCapability,
      'expected trading, deposits, withdrawals, transfers, agents, affiliate, registration or provider:<id>',
    ),
    state: z.enum(['on', 'off']),
  }),
  z.strictObject({
    action: z.literal('ledger.list'),
    /** By default the entries that the journal does not know. */
    afterOffset: ledgerOffset(0).optional(),
    /** The maximum number of entries. */
    limit: wholeNumberInput(1, 500).default(100),
  }),
  z.strictObject({
    action: z.literal('ledger.accept'),
    /** All entries up to this one were dealt with. */
    offset: ledgerOffset(1),
    ledgerEventId: textInput(255, 1),
    /** For the journal: how they were dealt with. */
    reason: textInput(255, 1),
  }),
]);

/** The input of an action: fields with a default may be omitted. */
export type OperatorRequest = z.input<typeof operatorAction>;
export type OperatorAction = z.output<typeof operatorAction>;
export type ActionOf<Name extends OperatorAction['action']> = Extract<OperatorAction, { action: Name }>;

/** An account with a key of its own. The key is returned here and nowhere else. */
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
  /** Absent if it never expires. */
  readonly expiresAtEpochMs?: number;
}

/** The venue's report about itself. Without figures if a halt prevents reads. */
export interface VenueReport extends Partial<VenueFigures> {
  readonly url: string;
  readonly realtimeUrl: string;
  /** Absent if metrics are off. */
  readonly metricsUrl?: string;
  readonly environment: string;
  /** As the operator set it. */
  readonly venueStatus: string;
  readonly capabilities: readonly { readonly capability: string; readonly state: 'on' | 'off' }[];
  /** Absent on a venue without an external ledger. */
  readonly externalLedger?: ExternalLedgerReport;
  /** The sign-in providers that do not work; absent if all do. */
  readonly signInFaults?: readonly { readonly provider: string; readonly fault: string }[];
  /** Absent in an environment without agents. */
  readonly deployments?: DeploymentsReport;
  readonly isReady: boolean;
  /** Why it takes no commands; empty if it does. */
  readonly reasons: readonly string[];
  /** Unavailable parts that cancels and closes do not need. */
  readonly degraded?: readonly string[];
  readonly journalSequence: number;
  /** The record that the next start continues from. */
  readonly snapshotSequence: number;
  /** Why the last snapshot could not be saved, if it failed. */
  readonly snapshotFailure?: string | undefined;
  /** The source of index prices. */
  readonly prices: string;
}

export interface ExternalLedgerReport {
  /** Whether it answered the last call. */
  readonly isUp: boolean;
  /** Whether it was compared with the journal since then. */
  readonly isCompared: boolean;
  /** Whether it takes no commands now: too many wait, or its store is full. */
  readonly isBusy: boolean;
  /** Commands that it has and that the journal does not know as sequenced. */
  readonly pending: number;
  /** Deposits, withdrawals and parties that it or the venue refuses: the log says which and why. */
  readonly stuck: number;
  /** Since the start: deposits that were credited to an account that was retired meanwhile. */
  readonly depositsToRetired: number;
  /** Since the start: deposits and faucet grants that were refused because of the bound of all deposits. */
  readonly depositsBeyondBound: number;
  /** Why transfers are halted; null if the journal explains all that it has. */
  readonly difference: string | null;
  /** The ledger's event that shows the difference; null if there is none. */
  readonly differenceOffset: number | null;
  readonly differenceEventId: string | null;
}

export interface DeploymentsReport {
  readonly running: number;
  /** They warm up, or wait for agents or their account. */
  readonly pending: number;
  /** How many have a closed candle that they have not worked yet. */
  readonly behind: number;
  /** How long ago the oldest such candle closed. */
  readonly lagMs: number;
}

export interface VenueFigures {
  /** The venue's own money, in USD.E: the fees that it took. */
  readonly fees: string;
  /** Covers closes that cost more than their margin. */
  readonly insurance: string;
  /** The cost beyond that: at or below zero. */
  readonly deficit: string;
  /** Funding that was paid and not yet received. */
  readonly funding: string;
  /** Cash that is reserved for withdrawals. */
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

export type OperatorResponse =
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
