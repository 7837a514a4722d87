/** What an owner reads when an action fails. */
import { ceremonyFailure } from '../ceremonies/passkey.ts';
import { hasCode, VenueError } from '../venue/venue-error.ts';

export function failureText(error: unknown): string {
  if (hasCode(error, 'passkey_required'))
    return 'This needs a session that was opened with a passkey. Sign out, and sign in with your passkey.';
  if (hasCode(error, 'unreachable')) return `${(error as VenueError).message} Then try again.`;
  if (error instanceof VenueError) return `${error.message}${reference(error)}`;
  return ceremonyFailure(error) ?? 'Something went wrong in this page. Load it again.';
}

/** What the operator finds the request by, if the venue failed. */
function reference({ status, requestId }: VenueError): string {
  return status >= 500 && requestId !== undefined ? ` (request ${requestId})` : '';
}
