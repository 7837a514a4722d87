/** How a world reports faults that the auditor cannot see: in restarts, responses and the clock. */
import { AuditFailed } from '#simulation/auditor/audit-failed.ts';

/** Throws `AuditFailed` unless the condition holds. */
export function demand(condition: boolean, what: string): asserts condition {
  if (!condition) fail(what);
}

export function fail(what: string): never {
  throw new AuditFailed('world', what);
}
