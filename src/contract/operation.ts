/**
 * The declaration of an operation. Routes, the OpenAPI document and the conformance tests all come from these declarations.
 */
import type * as z from 'zod';
import type { EnvironmentScope } from './environments.ts';
import type { DeclaredDetail } from './error-envelope.ts';
import type { ErrorCode } from './errors.ts';
import type { OperationGroup } from './groups.ts';
import type { PageCost, RateLimitName } from './limits.ts';

/**
 * Who may call. `none`: anyone, a bearer is ignored. `none-or-bearer`: anyone, but a bearer must be valid. `bearer:any`: any valid API key
 * or owner's session. Other `bearer:…`: a key with one of the scopes of `scopesFor`, or any session. `session`: any session, no key.
 * `session:passkey`: a session that a passkey signed in.
 */
export type Access = 'none' | 'none-or-bearer' | 'bearer:any' | `bearer:${KeyScope}` | 'session' | 'session:passkey';

type KeyScope = 'read' | 'trade' | 'funding' | 'agents';

const SCOPES_FOR: Readonly<Record<Access, readonly KeyScope[]>> = {
  none: [],
  'none-or-bearer': [],
  'bearer:any': [],
  // A key that may trade may also read.
  'bearer:read': ['read', 'trade'],
  'bearer:trade': ['trade'],
  'bearer:funding': ['funding'],
  'bearer:agents': ['agents'],
  session: [],
  'session:passkey': [],
};

/** The scopes of a key that give access; any one suffices. */
export function scopesFor(access: Access): readonly KeyScope[] {
  return SCOPES_FOR[access];
}

/** 200 and 202 have a resource, 204 has no body, and 501 has the refusal that such an operation always returns. */
export type Success =
  | { readonly status: 200 | 202 | 501; readonly schema: z.ZodType; readonly description: string }
  | { readonly status: 204; readonly schema?: undefined; readonly description: string };

export interface Operation extends EnvironmentScope {
  readonly id: string;
  readonly group: OperationGroup;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path parameters are `{name}`. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** Not in the interface. */
  readonly isOurs?: true;
  readonly access: Access;
  /** While the operator has the capability off, the operation answers as an unknown path does. */
  readonly hiddenWithout?: 'affiliate';
  /** A probe for monitoring: it has no rate limit. */
  readonly isProbe?: true;
  /** By default `public` for an operation that needs no bearer, else `reads`. Without a bearer, a limit per network. */
  readonly limit?: Exclude<RateLimitName, 'public'>;
  /** A request that starts something on the external ledger also takes a token of `ledgerSteps`. */
  readonly startsLedgerStep?: true;
  /** The tokens of a request with several entries, by its body. */
  readonly weight?: (body: never) => number;
  /** A page costs tokens by the rows that it may return. */
  readonly page?: PageCost;
  /** The `Idempotency-Key` header is required. */
  readonly needsIdempotencyKey?: true;
  /** Repeating it is harmless, so no response is stored for its key, and a new request may use the key again. */
  readonly isRepeatable?: true;
  /** Ignores query and body: it responds before the body is read. */
  readonly acceptsAnyBody?: true;
  /** Returns the message if the raw request uses a feature that the operation does not support. Checked before validation. */
  readonly unsupported?: (request: { readonly query: unknown; readonly body: unknown }) => string | undefined;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** An example body, for schemas whose required fields alone are not a good example. */
  readonly example?: { readonly body: unknown };
  readonly success: Success;
  /** Another status that has a resource of its own instead of the error envelope. */
  readonly alternative?: { readonly status: 503; readonly schema: z.ZodType; readonly description: string };
  /** The response has an ETag; a matching `If-None-Match` gets 304 without a body. */
  readonly hasEtag?: true;
  /** Refusals besides `ALWAYS_POSSIBLE` and those that follow from access, body and idempotency. */
  readonly refusals: readonly ErrorCode[];
  /** Details that its refusals can have, besides those of every operation. */
  readonly refusalDetails?: readonly DeclaredDetail[];
}

/** Every refusal that an operation can return. */
export function refusalsOf(operation: Operation, alwaysPossible: readonly ErrorCode[]): readonly ErrorCode[] {
  const implied: ErrorCode[] = [...alwaysPossible];
  if (rateLimitOf(operation) !== undefined) implied.push('rate_limited');
  // A session may be stored where several processes share it.
  if (operation.access !== 'none') implied.push('unauthorized', 'dependency_unavailable');
  if (operation.hiddenWithout !== undefined) implied.push('path_not_found');
  if (operation.access === 'session') implied.push('session_required');
  if (operation.access === 'session:passkey') implied.push('passkey_required');
  if (scopesFor(operation.access).length > 0) implied.push('insufficient_scope');
  if (operation.method !== 'GET' && !operation.acceptsAnyBody)
    implied.push('malformed_json', 'payload_too_large', 'unsupported_media_type');
  if (operation.needsIdempotencyKey) implied.push('idempotency_key_required', 'idempotency_key_invalid');
  if (storesResponses(operation)) implied.push('idempotency_conflict');
  if (operation.unsupported !== undefined) implied.push('not_supported');
  if (isUnified(operation) && !operation.acceptsAnyBody) implied.push('upstream_unavailable');
  const all = new Set([...implied, ...operation.refusals]);
  if (operation.acceptsAnyBody) all.delete('invalid_request');
  return [...all];
}

/** Whether the response is stored under its idempotency key and returned again. */
export function storesResponses({ needsIdempotencyKey, isRepeatable }: Operation): boolean {
  return needsIdempotencyKey === true && isRepeatable !== true;
}

/** Whether refusals have the shape of the unified library (7.2). */
export function isUnified({ group }: Operation): boolean {
  return group === 'Unified-library v2';
}

/** The rate limit of an operation; `undefined` for a probe. */
export function rateLimitOf({ access, isProbe, limit }: Operation): RateLimitName | undefined {
  if (isProbe) return undefined;
  return limit ?? (isPublic(access) ? 'public' : 'reads');
}

/** The tokens that a parsed request costs. */
export function tokensOf(operation: Operation, { query, body }: { readonly query: unknown; readonly body: unknown }): number {
  return operation.weight?.(body as never) ?? tokensOfPage(operation, query);
}

/** The tokens of a page, by the rows that it may return; 1 if the operation has no pages. */
export function tokensOfPage({ page }: Operation, query: unknown): number {
  if (page === undefined) return 1;
  const rows = (query as Readonly<Record<PageCost['parameter'], number>>)[page.parameter];
  return Math.max(1, Math.ceil(rows / page.rowsPerToken));
}

/** Whether the cost depends on the request. */
export function hasVaryingCost({ weight, page }: Operation): boolean {
  return weight !== undefined || page !== undefined;
}

/** Whether the operation needs no bearer and is limited by network. */
export function isPublic(access: Access): boolean {
  return access === 'none' || access === 'none-or-bearer';
}

/** The parsed type of the declared params, query or body; `undefined` if it is not declared. */
export type Part<Declared, Name extends 'params' | 'query' | 'body'> = Declared extends {
  readonly [Key in Name]: infer Schema extends z.ZodType;
}
  ? z.output<Schema>
  : undefined;

declare const renderedBody: unique symbol;
/** A body that is already rendered as JSON; a long one as its bytes in UTF-8. */
export type RenderedBody<Body> = (string | Uint8Array) & { readonly [renderedBody]: Body };

/** The result of an operation: its success, or its alternative with its status. */
export type Outcome<Declared extends Operation> =
  | { readonly body: SuccessBody<Declared['success']>; readonly headers?: Readonly<Record<string, string>> }
  | (Declared extends { readonly alternative: { readonly status: infer Status; readonly schema: infer Schema extends z.ZodType } }
      ? { readonly status: Status; readonly body: z.output<Schema> }
      : never);

type SuccessBody<Declared> = Declared extends { readonly schema: infer Schema extends z.ZodType }
  ? z.output<Schema> | RenderedBody<z.output<Schema>>
  : undefined;
