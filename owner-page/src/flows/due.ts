/** What is due next in something that takes several steps: setting up, a deposit, a withdrawal. */
import type { Challenge } from '../venue/resources.ts';

export type Due =
  /** The owner signs. */
  | { readonly by: 'owner'; readonly step: string; readonly challenge: Challenge }
  /** The venue or the external ledger works: the page polls. */
  | { readonly by: 'venue'; readonly waitsFor: string }
  /** Nothing. */
  | { readonly by: 'none'; readonly result: 'done' | 'stopped'; readonly message: string };

export function isOwnersTurn(due: Due | undefined): due is Due & { readonly by: 'owner' } {
  return due?.by === 'owner';
}
