/** Generates the table of error codes of docs/errors.md. */
import type { ErrorEntry } from '#contract/error-entry.ts';
import type { OpenApiDocument } from '#contract/openapi.ts';
import { tableOf } from './markdown-table.ts';

export function errorCodes(document: OpenApiDocument): string {
  const rows = Object.entries(document['x-openperp-errors'] as Record<string, ErrorEntry>);
  return tableOf(
    ['code', 'status', 'cause', 'what to do', 'retryable', 'stored', 'recoveryActions'],
    rows.map(([code, { status, cause, whatToDo, retryable, stored, recoveryActions }]) => [
      `\`${code}\``,
      String(status),
      cause,
      whatToDo,
      retryable ? 'yes' : 'no',
      stored ? 'yes' : 'no',
      recoveryActions.map((it) => `\`${it}\``).join(', '),
    ]),
  );
}
