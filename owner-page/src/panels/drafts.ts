/** The drafts of the owner, and the form of a new one: a script that the venue reviews, or refuses with the places that do not fit. */
import type { AgentOperations } from '../venue/agent-operations.ts';
import type { ListedDraft, ScriptRefusal, Strategy } from '../venue/agent-resources.ts';
import { VenueError } from '../venue/venue-error.ts';
import type { PageServices } from './panel.ts';
import { RemovableList } from './removable-list.ts';
import { RequestKey } from './request-key.ts';

/** Of the venue, which decides. */
export const MAX_SCRIPT_LENGTH = 16_384;
const MAX_NAME_LENGTH = 64;

/** A refused script, with the places that do not fit. */
export interface RefusedScript {
  readonly text: string;
  readonly refusals: readonly ScriptRefusal[];
}

export class DraftsPanel extends RemovableList<ListedDraft> {
  readonly #operations: AgentOperations;
  readonly #key = new RequestKey();
  /** As typed or pasted, or from a strategy. */
  name = '';
  text = '';
  nameFailure: string | undefined;
  textFailure: string | undefined;
  refused: RefusedScript | undefined;
  /** Called with the id of a new draft. */
  onDrafted: (draftId: string) => void = () => {};

  constructor(page: PageServices, operations: AgentOperations) {
    super(page, 'drafts');
    this.#operations = operations;
  }

  /** Fills the form in. Nothing is stored. */
  startFrom({ name, script }: Pick<Strategy, 'name' | 'script'>): void {
    this.name = name.slice(0, MAX_NAME_LENGTH);
    this.text = script ?? '';
    this.#clearFailures();
    this.page.announce('The form has the script now. Nothing is stored yet.');
    this.page.moveFocus('draft-name');
    this.page.changed();
  }

  create(): Promise<void> {
    this.#clearFailures();
    const script = { name: this.name.trim(), text: this.text };
    if (script.name === '') this.nameFailure = 'Enter a name, such as that of the strategy.';
    if (script.text.trim() === '') this.textFailure = 'Paste a script, or start from a strategy below.';
    if (this.nameFailure !== undefined || this.textFailure !== undefined) {
      this.page.moveFocus(this.nameFailure === undefined ? 'draft-text' : 'draft-name');
      this.page.changed();
      return Promise.resolve();
    }
    return this.run('The venue reviews the script…', async () => {
      try {
        const { draftId } = await this.#key.send(script, (key) => this.#operations.createDraft(script, key));
        this.name = '';
        this.text = '';
        await this.reread();
        this.onDrafted(draftId);
      } catch (error) {
        if (!(error instanceof VenueError) || error.scriptRefusals.length === 0) throw error;
        this.refused = { text: script.text, refusals: error.scriptRefusals };
        this.page.announce('The script does not fit. Nothing was stored.');
        this.page.moveFocus('script-refusals');
      }
    });
  }

  #clearFailures(): void {
    this.nameFailure = undefined;
    this.textFailure = undefined;
    this.refused = undefined;
    this.failure = undefined;
  }

  protected list(): Promise<readonly ListedDraft[]> {
    return this.#operations.drafts();
  }

  protected delete(draftId: string): Promise<void> {
    return this.#operations.removeDraft(draftId);
  }
}
