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

export interface AttemptStore {
  save(attempt: SavedAttempt): void;
  find(): SavedAttempt | undefined;
  remove(): void;
}

const NAME = 'openperp-sign-in';

export const BROWSER_ATTEMPTS: AttemptStore = {
  save: (attempt) => sessionStorage.setItem(NAME, JSON.stringify(attempt)),
  find: () => {
    const saved = sessionStorage.getItem(NAME);
    return saved === null ? undefined : (JSON.parse(saved) as SavedAttempt);
  },
  remove: () => sessionStorage.removeItem(NAME),
};
