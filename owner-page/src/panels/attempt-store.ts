/**
 * A sign-in at another provider leaves the page. What finds it again is in sessionStorage until the owner returns: it ends with
 * the tab, and is worth nothing without the provider's answer or a new passkey.
 */
import type { SocialPurpose } from '../venue/sign-in-operations.ts';

export interface SavedAttempt {
  readonly purpose: SocialPurpose;
  readonly provider: string;
  readonly attempt: string;
}

export interface StoredAttempt extends SavedAttempt {
  /** The view that was open, such as a program's request. */
  readonly hash: string;
}

export interface AttemptStore {
  save(attempt: SavedAttempt): void;
  find(): StoredAttempt | undefined;
  remove(): void;
}

const NAME = 'openperp-sign-in';

export const BROWSER_ATTEMPTS: AttemptStore = {
  save: (attempt) => sessionStorage.setItem(NAME, JSON.stringify({ ...attempt, hash: location.hash })),
  find: () => {
    const saved = sessionStorage.getItem(NAME);
    return saved === null ? undefined : (JSON.parse(saved) as StoredAttempt);
  },
  remove: () => sessionStorage.removeItem(NAME),
};
