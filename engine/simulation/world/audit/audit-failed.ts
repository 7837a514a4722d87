/** How an auditor says that the venue did not keep its word. */

export class AuditFailed extends Error {
  override readonly name = 'AuditFailed';
}

/** Throws {@link AuditFailed} unless the condition holds. */
export function demand(condition: boolean, what: string): asserts condition {
  if (!condition) throw new AuditFailed(what);
}

export function fail(what: string): never {
  throw new AuditFailed(what);
}
