/** One draft with its review, which the owner confirms by its digest before it can be deployed. */
import type { AgentOperations } from '../venue/agent-operations.ts';
import type { Draft } from '../venue/agent-resources.ts';
import { hasCode } from '../venue/venue-error.ts';
import { type PageServices, Panel } from './panel.ts';

export class DraftPanel extends Panel {
  readonly #operations: AgentOperations;
  readonly #draftId: string;
  /** `undefined` until it was read. */
  draft: Draft | undefined;
  /** Called with a draft that can be deployed. */
  onReady: (draft: Draft) => void = () => {};

  constructor(page: PageServices, operations: AgentOperations, draftId: string) {
    super(page);
    this.#operations = operations;
    this.#draftId = draftId;
  }

  /** Whether the owner has confirmed the review that the venue makes of the script now. */
  get isConfirmed(): boolean {
    const { draft } = this;
    return draft !== undefined && draft.reviewDigest !== null && draft.confirmedReviewDigest === draft.reviewDigest;
  }

  load(): Promise<void> {
    return this.read('Reading the draft…', async () => this.#show(await this.#operations.draft(this.#draftId)));
  }

  confirm(): Promise<void> {
    const { draft } = this;
    if (draft?.reviewDigest == null) return Promise.resolve();
    const { reviewDigest } = draft;
    return this.run('Confirming the review…', async () => {
      try {
        this.#show(await this.#operations.confirmReview(this.#draftId, reviewDigest));
        this.page.announce('The review is confirmed. The draft can be deployed.');
        this.page.moveFocus('deploy');
      } catch (error) {
        // The venue was updated meanwhile: the owner reads what it says now.
        if (hasCode(error, 'agent_review_changed')) this.#show(await this.#operations.draft(this.#draftId));
        throw error;
      }
    });
  }

  #show(draft: Draft): void {
    this.draft = draft;
    if (this.isConfirmed) this.onReady(draft);
  }
}
