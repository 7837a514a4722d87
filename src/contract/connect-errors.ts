/** Refusals of device grants. The first five have the names of RFC 8628, section 3.5. */
import { type ErrorEntry, entry } from './error-entry.ts';

export const CONNECT_ERRORS = {
  authorization_pending: entry(
    409,
    'The owner has not decided about the device grant yet.',
    'Poll again after intervalMs of the started grant.',
    'retry_later',
  ),
  slow_down: entry(
    429,
    'The device grant was polled too early; each early poll makes the interval longer.',
    'Retry after the seconds in the Retry-After header, and wait as long between all later polls.',
    'retry_later',
  ),
  access_denied: entry(403, 'The owner denied the device grant.', 'Ask the owner before you start another one.', 'none'),
  expired_token: entry(409, 'The device grant has expired.', 'Start another one.', 'none'),
  invalid_grant: entry(
    404,
    'The venue does not know this device code, or its API key was delivered before.',
    'Start another device grant.',
    'none',
  ),
  user_code_not_found: entry(
    404,
    'No device grant has this user code.',
    'Check it on the screen of the program that shows it.',
    'fix_request',
  ),
  device_grant_decided: entry(
    409,
    'The device grant was approved or denied before.',
    'To end the access, revoke the API key; to grant it again, start another device grant.',
    'none',
  ),
  too_many_device_grants: entry(
    429,
    'The network of the client, its site, or all together have the maximum number of open device grants.',
    'Retry later: a device grant ends with its decision or delivery, and 10 minutes after its start.',
    'retry_later',
  ),
} as const satisfies Record<string, ErrorEntry>;
