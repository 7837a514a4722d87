/** A list from which the owner removes entries, each after a second click. */
import { type PageServices, Panel } from './panel.ts';

export abstract class RemovableList<Entry> extends Panel {
  /** `undefined` until they were read. */
  entries: readonly Entry[] | undefined;
  /** The id of the entry whose removal the owner is to confirm. */
  confirming: string | undefined;
  readonly #listId: string;

  constructor(page: PageServices, listId: string) {
    super(page);
    this.#listId = listId;
  }

  protected abstract list(): Promise<readonly Entry[]>;
  protected abstract delete(id: string): Promise<void>;

  load(): Promise<void> {
    return this.read('Reading the list…', () => this.reread());
  }

  confirmRemoval(id: string): void {
    this.confirming = id;
    this.page.moveFocus(`confirm-${id}`);
    this.page.changed();
  }

  keep(id: string): void {
    this.confirming = undefined;
    this.page.moveFocus(`remove-${id}`);
    this.page.changed();
  }

  remove(id: string): Promise<void> {
    return this.run('Removing it…', async () => {
      await this.delete(id);
      this.confirming = undefined;
      await this.reread();
      this.page.announce('Removed.');
      this.page.moveFocus(this.#listId);
    });
  }

  protected async reread(): Promise<void> {
    this.entries = await this.list();
  }
}
