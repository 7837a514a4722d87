/**
 * What an operation declares about itself. Routes, the OpenAPI document and the conformance tests are read from these
 * declarations and from nothing else.
 */
import type * as z from 'zod';
import type { ErrorCode } from './errors.ts';
import type { OperationGroup } from './groups.ts';
import type { PageCost, RateLimitName } from './limits.ts';

/**
 * Who may call: anyone, whatever bearer comes along (`none`); anyone, but a bearer has to be valid (`none-or-bearer`); any accepted API
 * key; or a key with a scope that suffices (`scopesFor`).
 */
export type Access = 'none' | 'none-or-bearer' | 'bearer:any' | 'bearer:read' | 'bearer:trade';

/** The scopes of which each alone suffices: a key that trades for an account may read it. */
export function scopesFor(access: Access): readonly ('read' | 'trade')[] {
  if (access === 'bearer:read') return ['read', 'trade'];
  return access === 'bearer:trade' ? ['trade'] : [];
}

/** With a resource; or, as 204, with nothing; or, as 501, with nothing but the refusal that is all the operation is there for. */
export type Success =
  | { readonly status: 200 | 202 | 501; readonly schema: z.ZodType; readonly description: string }
  | { readonly status: 204; readonly schema?: undefined; readonly description: string };

export interface Operation {
  readonly id: string;
  readonly group: OperationGroup;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With `{name}` for each path parameter. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** The interface does not have this operation. */
  readonly isOurs?: true;
  readonly access: Access;
  /** A probe by whoever watches over the venue: it is answered however often it comes. */
  readonly isProbe?: true;
  /** What a request with a bearer counts against; `reads` where nothing is said. */
  readonly limit?: Exclude<RateLimitName, 'public'>;
  /** For how many a request counts that may be for several, by its body. */
  readonly weight?: (body: never) => number;
  /** A request for a page counts by the rows that it may return. */
  readonly page?: PageCost;
  /** The `Idempotency-Key` header is required. */
  readonly needsIdempotencyKey?: true;
  /** Repeating it is harmless, so that no answer is kept for its key, and none is held against another body. */
  readonly isRepeatable?: true;
  /** Takes any query and any body, for it looks at neither: it is answered before a body is read. */
  readonly takesAnything?: true;
  /** Of a request as it came, what its operation cannot represent: that is refused before its form is judged. */
  readonly unsupported?: (request: { readonly query: unknown; readonly body: unknown }) => string | undefined;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** A body as a client would write it, where the required fields of the schema alone would not show it well. */
  readonly example?: { readonly body: unknown };
  readonly success: Success;
  /** Another status that answers with a resource of its own instead of the error envelope. */
  readonly alternative?: { readonly status: 503; readonly schema: z.ZodType; readonly description: string };
  /** It comes with an ETag: whoever names it in `If-None-Match` is answered 304, and nothing else. */
  readonly hasEtag?: true;
  /** The refusals beyond `ALWAYS_POSSIBLE` and those that follow from access, body and idempotency. */
  readonly refusals: readonly ErrorCode[];
}

/** Every refusal that an operation can answer with. */
export function refusalsOf(operation: Operation, alwaysPossible: readonly ErrorCode[]): readonly ErrorCode[] {
  const implied: ErrorCode[] = [...alwaysPossible];
  if (rateLimitOf(operation) !== undefined) implied.push('rate_limited');
  if (operation.access !== 'none') implied.push('unauthorized');
  if (scopesFor(operation.access).length > 0) implied.push('insufficient_scope');
  if (operation.method !== 'GET' && !operation.takesAnything)
    implied.push('malformed_json', 'payload_too_large', 'unsupported_media_type');
  if (operation.needsIdempotencyKey) implied.push('idempotency_key_required', 'idempotency_key_invalid');
  if (keepsAnswers(operation)) implied.push('idempotency_conflict');
  if (operation.unsupported !== undefined) implied.push('not_supported');
  if (isUnified(operation) && !operation.takesAnything) implied.push('upstream_unavailable');
  const all = new Set([...implied, ...operation.refusals]);
  if (operation.takesAnything) all.delete('invalid_request');
  return [...all];
}

/** The answer to an idempotency key is kept, and told again. */
export function keepsAnswers({ needsIdempotencyKey, isRepeatable }: Operation): boolean {
  return needsIdempotencyKey === true && isRepeatable !== true;
}

/** Whether it is refused in the shape of the unified library (7.2). */
export function isUnified({ group }: Operation): boolean {
  return group === 'Unified-library v2';
}

/** The limit that requests for an operation count against; `undefined` for a probe. */
export function rateLimitOf({ access, isProbe, limit }: Operation): RateLimitName | undefined {
  if (isProbe) return undefined;
  return isPublic(access) ? 'public' : (limit ?? 'reads');
}

/** The tokens that a parsed request costs. */
export function tokensOf(operation: Operation, { query, body }: { readonly query: unknown; readonly body: unknown }): number {
  return operation.weight?.(body as never) ?? tokensOfPage(operation, query);
}

/** By the rows that a page may return; 1 for what is no page. */
export function tokensOfPage({ page }: Operation, query: unknown): number {
  if (page === undefined) return 1;
  const rows = (query as Readonly<Record<PageCost['parameter'], number>>)[page.parameter];
  return Math.max(1, Math.ceil(rows / page.rowsPerToken));
}

/** Whether what a request costs depends on what it asks for. */
export function hasVaryingCost({ weight, page }: Operation): boolean {
  return weight !== undefined || page !== undefined;
}

/** Anybody may ask, and how often depends on the address. */
export function isPublic(access: Access): boolean {
  return access === 'none' || access === 'none-or-bearer';
}

/** What a declaration's params, query or body come to once parsed; `undefined` where it declares none. */
export type Part<Declared, Name extends 'params' | 'query' | 'body'> = Declared extends {
  readonly [Key in Name]: infer Schema extends z.ZodType;
}
  ? z.output<Schema>
  : undefined;

declare const renderedBody: unique symbol;
/** A body that is written out already, as JSON; a long one as its bytes in UTF-8. */
export type Rendered<Body> = (string | Uint8Array) & { readonly [renderedBody]: Body };

/** What a declaration answers with: its success, or its alternative with the status that comes with it. */
export type Outcome<Declared extends Operation> =
  | { readonly body: SuccessBody<Declared['success']>; readonly headers?: Readonly<Record<string, string>> }
  | (Declared extends { readonly alternative: { readonly status: infer Status; readonly schema: infer Schema extends z.ZodType } }
      ? { readonly status: Status; readonly body: z.output<Schema> }
      : never);

type SuccessBody<Declared> = Declared extends { readonly schema: infer Schema extends z.ZodType }
  ? z.output<Schema> | Rendered<z.output<Schema>>
  : undefined;
