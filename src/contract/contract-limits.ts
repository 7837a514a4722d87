/** Every limit of the contract in one machine-readable object, collected from the declarations. */
import * as z from 'zod';
import { BODY_BYTES_PER_TOKEN, largestBodyOf } from './largest-body.ts';
import { DEFAULT_RATES, type PageCost, publishedLimits, type Rates } from './limits.ts';
import type { Operation } from './operation.ts';
import { IDEMPOTENCY_RETENTION } from './orders.ts';
import { REQUEST_LIMITS } from './request-limits.ts';
import { MIN_WITHDRAWAL } from './withdrawals.ts';

interface Page extends PageCost {
  readonly operation: string;
  readonly default: number;
  readonly maximum: number;
}

interface Batch {
  readonly operation: string;
  readonly field: string;
  readonly minimum: number;
  readonly maximum: number;
}

/** The limits that a venue configures. */
export interface VenueLimits {
  readonly rates: Rates;
  /** A request that is not complete after this time is refused. */
  readonly requestTimeoutMs: number;
  /** A client that has not read its response after this time is disconnected. */
  readonly answerTimeoutMs: number;
  /** Connections of one network; further ones are closed at once. */
  readonly maxConnectionsPerNetwork: number;
}

export const DEFAULT_VENUE_LIMITS: VenueLimits = {
  rates: DEFAULT_RATES,
  requestTimeoutMs: 15_000,
  answerTimeoutMs: 30_000,
  maxConnectionsPerNetwork: 2_048,
};

interface LargerBody {
  readonly operation: string;
  readonly maxBytes: number;
}

export interface ContractLimits {
  readonly request: typeof REQUEST_LIMITS;
  /** Bytes of a body that one token of a rate limit covers. */
  readonly bodyBytesPerToken: number;
  /** Operations whose declaration needs bodies larger than `request.bodyBytes`. */
  readonly bodies: readonly LargerBody[];
  readonly idempotency: typeof IDEMPOTENCY_RETENTION;
  /** In USD.E. All cash of an account may be withdrawn also below it. */
  readonly minimumWithdrawal: string;
  /** The configured burst and rate per second of each limit. */
  readonly rates: ReturnType<typeof publishedLimits>;
  readonly requestTimeoutMs: number;
  readonly answerTimeoutMs: number;
  readonly maxConnectionsPerNetwork: number;
  /** The page sizes of each operation, and how many rows cost one token. */
  readonly pages: readonly Page[];
  /** The sizes of each list in a body. */
  readonly batches: readonly Batch[];
}

/** The limits that follow from the declarations alone. */
type DeclaredLimits = Pick<ContractLimits, 'bodies' | 'pages' | 'batches'>;

export function declaredLimits(operations: readonly Operation[]): DeclaredLimits {
  return {
    bodies: operations
      .map((operation) => ({ operation: operation.id, maxBytes: largestBodyOf(operation) }))
      .filter(({ maxBytes }) => maxBytes > REQUEST_LIMITS.bodyBytes),
    pages: operations.flatMap((operation) => pagesOf(operation)),
    batches: operations.flatMap((operation) => batchesOf(operation)),
  };
}

export function contractLimits({ bodies, pages, batches }: DeclaredLimits, limits: VenueLimits): ContractLimits {
  const { rates, requestTimeoutMs, answerTimeoutMs, maxConnectionsPerNetwork } = limits;
  return {
    request: REQUEST_LIMITS,
    bodyBytesPerToken: BODY_BYTES_PER_TOKEN,
    bodies,
    idempotency: IDEMPOTENCY_RETENTION,
    minimumWithdrawal: MIN_WITHDRAWAL,
    rates: publishedLimits(rates),
    requestTimeoutMs,
    answerTimeoutMs,
    maxConnectionsPerNetwork,
    pages,
    batches,
  };
}

function pagesOf({ id, query, page }: Operation): Page[] {
  const sizes = (['limit', 'depth'] as const).filter((parameter) => query?.shape[parameter] !== undefined);
  return sizes.map((parameter) => {
    const { default: usual, maximum } = z.toJSONSchema(query?.shape[parameter] as z.ZodType);
    if (typeof usual !== 'number' || maximum === undefined) throw new Error(`${id}: ${parameter} needs a default and a maximum`);
    if (page?.parameter !== parameter) throw new Error(`${id}: declare the page cost of ${parameter}`);
    return { operation: id, ...page, default: usual, maximum };
  });
}

function batchesOf({ id, body }: Operation): Batch[] {
  if (body === undefined) return [];
  const { $defs = {} } = z.toJSONSchema(z.strictObject({ body }), { io: 'input' });
  const whole = $defs[body.meta()?.id ?? ''] ?? {};
  const lists = whole.type === 'array' ? { body: whole } : (whole.properties ?? {});
  return Object.entries(lists).flatMap(([field, schema]): Batch[] => {
    if (typeof schema === 'boolean' || schema.type !== 'array') return [];
    if (schema.maxItems === undefined) throw new Error(`${id}: the list ${field} needs a maximum length`);
    return [{ operation: id, field, minimum: schema.minItems ?? 0, maximum: schema.maxItems }];
  });
}
