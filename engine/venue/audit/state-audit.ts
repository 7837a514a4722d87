/**
 * A summary of all state that can still change: for each kind of row a count, sums of amounts, and a digest of all fields. The same
 * state has the same summary in every storage format and row order.
 */

/** For each kind, the fields in the digest, and those of them that are summed. A `referrer` is 0 for an account without one. */
const KINDS = {
  accounts: {
    fields: [
      'account',
      'label',
      'partyId',
      'isOwner',
      'agentOwner',
      'partyStatus',
      'hasWallet',
      'consentState',
      'consentReason',
      'isRetired',
      'isLegacy',
      'cashAtoms',
      'reservedAtoms',
      'referrer',
      'kycSkippedAtEpochMs',
    ],
    summed: ['cashAtoms', 'reservedAtoms'],
  },
  /** Of accounts that do not use the default. */
  leverages: { fields: ['account', 'market', 'leverageHundredths'], summed: [] },
  affiliates: { fields: ['account', 'affiliate', 'referralCode', 'shareBps', 'registeredAtEpochMs'], summed: [] },
  /** Keys that are not revoked. `expiresAtEpochMs` is 0 if the key never expires. */
  apiKeys: { fields: ['keyId', 'account', 'digest', 'scopes', 'label', 'expiresAtEpochMs'], summed: [] },
  /** Open positions. */
  positions: {
    fields: ['position', 'account', 'market', 'signedBaseAtoms', 'entryNotionalAtoms', 'marginAtoms', 'insuredAtoms'],
    summed: ['entryNotionalAtoms', 'marginAtoms', 'insuredAtoms'],
  },
  /** Open orders. */
  orders: {
    fields: ['order', 'account', 'market', 'side', 'priceAtoms', 'remainingAtoms', 'reduceOnly', 'leverageHundredths'],
    summed: ['remainingAtoms'],
  },
  /** The environment if one is bound, the status of the venue unless it is open, and the capabilities that were switched. */
  switches: { fields: ['name', 'value'], summed: [] },
  /** Prices are 0 before the first one. */
  markets: {
    fields: [
      'market',
      'marketId',
      'status',
      'indexPriceAtoms',
      'markPriceAtoms',
      'openInterestAtoms',
      'fundDay',
      'fundSpentAtoms',
      'fundBalanceAtoms',
    ],
    summed: [],
  },
  /** Ledgers with a balance other than 0. */
  ledgers: { fields: ['ledger', 'balanceAtoms'], summed: ['balanceAtoms'] },
  /** Open withdrawals. Those of the operator have no steps. */
  withdrawals: {
    fields: [
      'withdrawal',
      'account',
      'amountAtoms',
      'idempotencyKey',
      'status',
      'reason',
      'step',
      'isSubmitted',
      'offerExpiresAtEpochMs',
    ],
    summed: ['amountAtoms'],
  },
  /** Drafts that are not removed. */
  agentDrafts: { fields: ['draft', 'account', 'name', 'textDigest', 'reviewDigest'], summed: [] },
  /** Open deployments. */
  agentDeployments: {
    fields: [
      'deployment',
      'account',
      'agentAccount',
      'draft',
      'market',
      'timeframeMs',
      'historyBars',
      'orderSizeAtoms',
      'parameters',
      'strategySource',
      'strategyVersion',
      'modelId',
      'textDigest',
      'reviewDigest',
      'state',
      'stateVersion',
      'lastBarEpochMs',
      'lastIndex',
      'positionBaseAtoms',
      'cashQuoteAtoms',
      'feesQuoteAtoms',
      'fillCount',
    ],
    summed: ['cashQuoteAtoms', 'feesQuoteAtoms'],
  },
  /** Fundings of agent accounts that are approved and have not moved. */
  agentFundings: {
    fields: ['transferId', 'account', 'agentAccount', 'direction', 'amountAtoms'],
    summed: ['amountAtoms'],
  },
  /** The last ordinal of each kind. */
  numbers: { fields: ['kind', 'last'], summed: ['last'] },
} as const;

export type AuditedKind = keyof typeof KINDS;
/** Flags are 0 or 1. */
export type AuditedRow<Kind extends AuditedKind> = Readonly<Record<(typeof KINDS)[Kind]['fields'][number], string | number>>;

export interface KindAudit {
  readonly count: number;
  readonly sums: Readonly<Record<string, string>>;
  /** 64 bits, in hex. It detects damage and bugs, not deliberate collisions. */
  readonly digest: string;
}

export type StateAudit = Readonly<Record<AuditedKind, KindAudit>>;

/** Describes the differences between two states for people; empty if the states are equal. */
export function auditDifferences(expected: StateAudit, found: StateAudit): readonly string[] {
  return (Object.keys(KINDS) as AuditedKind[]).flatMap((kind) => {
    const [expectedKind, foundKind] = [expected[kind], found[kind]];
    if (expectedKind.digest === foundKind.digest && expectedKind.count === foundKind.count) return [];
    const [expectedText, actualText] = [summary(expectedKind), summary(foundKind)];
    return [
      expectedText === actualText
        ? `${kind}: ${actualText}, with different content`
        : `${kind}: ${actualText}, not ${expectedText}`,
    ];
  });
}

function summary({ count, sums }: KindAudit): string {
  return [String(count), ...Object.entries(sums).map(([field, sum]) => `${field} ${sum}`)].join(', ');
}

/** Builds the audit of a state. The caller adds every row once, in any order. */
export class StateTally {
  readonly #tallies = Object.fromEntries(
    Object.entries(KINDS).map(([kind, { fields, summed }]) => [kind, new KindTally(fields, summed)]),
  ) as Record<AuditedKind, KindTally>;

  add<Kind extends AuditedKind>(kind: Kind, row: AuditedRow<Kind>): void {
    this.#tallies[kind].add(row);
  }

  audit(): StateAudit {
    const kinds = Object.entries(this.#tallies).map(([kind, tally]) => [kind, tally.audit()]);
    return Object.fromEntries(kinds) as StateAudit;
  }
}

class KindTally {
  readonly #fields: readonly string[];
  readonly #sums: Map<string, bigint>;
  #count = 0;
  /** Two 32-bit digests, each the sum over all rows, so that the order of rows does not matter. */
  #first = 0;
  #second = 0;

  constructor(fields: readonly string[], summed: readonly string[]) {
    this.#fields = fields;
    this.#sums = new Map(summed.map((field) => [field, 0n]));
  }

  add(row: Readonly<Record<string, string | number>>): void {
    const digest = new RowDigest();
    for (const field of this.#fields) digest.take(row[field]!);
    this.#count += 1;
    this.#first = (this.#first + digest.first) | 0;
    this.#second = (this.#second + digest.second) | 0;
    for (const [field, sum] of this.#sums) this.#sums.set(field, sum + BigInt(row[field]!));
  }

  audit(): KindAudit {
    const sums = Object.fromEntries([...this.#sums].map(([field, sum]) => [field, String(sum)]));
    return { count: this.#count, sums, digest: hexOf(this.#first) + hexOf(this.#second) };
  }
}

const number = new Float64Array(1);
const words = new Uint32Array(number.buffer);

/** Two chains of MurmurHash3's 32-bit steps (public domain, Austin Appleby), from different seeds. */
class RowDigest {
  #first = 0x2f6e2b1;
  #second = 0x5bd1e995;

  take(value: string | number): void {
    if (typeof value === 'number') {
      number[0] = value;
      this.#mix(words[0]!);
      this.#mix(words[1]!);
      return;
    }
    this.#mix(value.length);
    for (let at = 0; at < value.length; at += 1) this.#mix(value.charCodeAt(at));
  }

  get first(): number {
    return finalize(this.#first);
  }

  get second(): number {
    return finalize(this.#second);
  }

  #mix(word: number): void {
    this.#first = mix(this.#first, word, 0xcc9e2d51, 0x1b873593);
    this.#second = mix(this.#second, word, 0x239b961b, 0xab0e9789);
  }
}

function mix(state: number, word: number, left: number, right: number): number {
  let part = Math.imul(word, left);
  part = (part << 15) | (part >>> 17);
  const next = state ^ Math.imul(part, right);
  return (Math.imul((next << 13) | (next >>> 19), 5) + 0xe6546b64) | 0;
}

function finalize(state: number): number {
  let left = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  left = Math.imul(left ^ (left >>> 13), 0xc2b2ae35);
  return left ^ (left >>> 16);
}

function hexOf(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
