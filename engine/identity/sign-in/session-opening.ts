/** Opens the session of an owner who has proven who they are. */
import { Refused } from '#contract/refused.ts';
import type { Session, Sessions, SignIn } from '#identity/sessions.ts';
import type { AccountOrdinal } from '#units/ids.ts';

export interface OpenedSession {
  /** The access token: shown once. */
  readonly bearer: string;
  readonly session: Session;
}

/** Throws {@link Refused} `venue_busy` if all accounts together have the maximum of sessions. */
export async function openSession(sessions: Sessions, account: AccountOrdinal, signIn: SignIn): Promise<OpenedSession> {
  const opened = await sessions.open(account, signIn);
  if (opened !== 'full') return opened;
  const message = 'The venue has the maximum number of sessions. Sign in again in some minutes.';
  throw new Refused('venue_busy', message, { headers: { 'retry-after': '60' } });
}
