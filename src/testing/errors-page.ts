/** docs/errors.md: the error catalogue as a page. */
import type { ErrorCode } from '#contract/errors.ts';
import { API_KEY_REJECTIONS, ERROR_CODES, ERRORS } from '#contract/errors.ts';
import type { OpenApiDocument } from '#contract/openapi.ts';
import { GENERATED, tableOf } from './markdown-table.ts';

export function errorsPage(document: OpenApiDocument): string {
  const { paths, components, 'x-openperp-unrouted': unrouted } = document;
  const published = JSON.stringify([paths, (components as { responses: unknown }).responses, unrouted]);
  const isMet = (code: ErrorCode) => published.includes(`"${code}"`);
  return `# Errors

${GENERATED}

Every request that is refused is answered with one envelope, \`external-rest-error/v1\`: \`version\`, \`requestId\` (the \`x-request-id\`
of the answer), \`code\`, \`safeMessage\` (for a person: it may change), \`retryable\`, \`recoveryActions\` and \`occurredAtEpochMs\`; with 401
also \`apiKeyRejection\` (${API_KEY_REJECTIONS.map((it) => `\`${it}\``).join(', ')}). Decide by \`code\`: the list is closed, and a code has one
status everywhere. Which codes an operation answers with is in its responses in [openapi.json](openapi.json).

\`retryable\` says that the same request can succeed later. Retry with the same \`Idempotency-Key\`, but where \`recoveryActions\` has
\`retry_with_new_idempotency_key\`: the answer to the old key is kept. Where an answer has \`Retry-After\`, wait that many seconds first.

${tableOf(
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
  .join(', ')}.
`;
}
