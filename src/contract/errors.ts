/**
 * The closed catalogue of error codes. A code has the same status everywhere. The OpenAPI document publishes the catalogue.
 */
import { ACCESS_ERRORS } from './access-errors.ts';
import { AGENT_ERRORS } from './agent-errors.ts';
import { CONNECT_ERRORS } from './connect-errors.ts';
import type { ErrorEntry } from './error-entry.ts';
import { MONEY_ERRORS } from './money-errors.ts';
import { OWNER_ERRORS } from './owner-errors.ts';
import { REQUEST_ERRORS } from './request-errors.ts';
import { RULE_ERRORS } from './rule-errors.ts';
import { SIGN_IN_ERRORS } from './sign-in-errors.ts';
import { STATE_ERRORS } from './state-errors.ts';
import { UNAVAILABLE_ERRORS } from './unavailable-errors.ts';

export const ERRORS = {
  ...REQUEST_ERRORS,
  ...ACCESS_ERRORS,
  ...CONNECT_ERRORS,
  ...RULE_ERRORS,
  ...STATE_ERRORS,
  ...OWNER_ERRORS,
  ...MONEY_ERRORS,
  ...AGENT_ERRORS,
  ...SIGN_IN_ERRORS,
  ...UNAVAILABLE_ERRORS,
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

/** Codes that any operation can return, whatever it declares. */
export const ALWAYS_POSSIBLE: readonly ErrorCode[] = [
  'invalid_request',
  'malformed_request',
  'request_timeout',
  'headers_too_large',
  'internal_error',
];
