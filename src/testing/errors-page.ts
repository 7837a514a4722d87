/** Of docs/errors.md: the error catalogue as a table. */
import type { ErrorCode } from '#contract/errors.ts';
import { ERROR_CODES, ERRORS } from '#contract/errors.ts';
import type { OpenApiDocument } from '#contract/openapi.ts';
import { tableOf } from './markdown-table.ts';

export function errorCodes(document: OpenApiDocument): string {
  const { paths, components, 'x-openperp-unrouted': unrouted } = document;
  const published = JSON.stringify([paths, (components as { responses: unknown }).responses, unrouted]);
  const isMet = (code: ErrorCode) => published.includes(`"${code}"`);
  return `${tableOf(
    ['code', 'status', 'cause', 'what to do', 'retryable', 'recoveryActions'],
    ERROR_CODES.filter(isMet).map((code) => {
      const { status, cause, whatToDo, retryable, recoveryActions } = ERRORS[code];
      return [
        `\`${code}\``,
        String(status),
        cause,
        whatToDo,
        retryable ? 'yes' : 'no',
        recoveryActions.map((it) => `\`${it}\``).join(', '),
      ];
    }),
  )}

The catalogue has these codes too. They answer the venue's operator, and no operation of the REST service:
${ERROR_CODES.filter((code) => !isMet(code))
  .map((code) => `\`${code}\``)
  .join(', ')}.`;
}
