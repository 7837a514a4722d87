/** A part of the page with its own state: what it does now and what failed. One action runs at a time. */
import type { Wait } from '../flows/polling.ts';
import { failureText } from './failure-text.ts';

/** What the page does for its panels. */
export interface PageServices {
  /** Renders again. */
  readonly changed: () => void;
  /** For screen readers, in the status line. */
  readonly announce: (text: string) => void;
  /** Moves the focus to the element with the id, after the next rendering. */
  readonly moveFocus: (id: string) => void;
  readonly wait: Wait;
  /** Aborts when the owner signs out. */
  readonly signal: AbortSignal;
}

export class Panel {
  /** What is being done now, for people. */
  doing: string | undefined;
  failure: string | undefined;
  protected readonly page: PageServices;

  constructor(page: PageServices) {
    this.page = page;
  }

  get isBusy(): boolean {
    return this.doing !== undefined;
  }

  /** Runs an action of the owner, unless one runs already. Its error becomes the panel's failure. */
  protected async run(doing: string, action: () => Promise<void>): Promise<void> {
    if (this.isBusy) return;
    this.page.announce(doing);
    await this.read(doing, action);
  }

  /** As {@link run}, without an announcement: it would replace that of the action before. */
  protected async read(doing: string, action: () => Promise<void>): Promise<void> {
    if (this.isBusy) return;
    this.failure = undefined;
    this.doing = doing;
    this.page.changed();
    try {
      await action();
    } catch (error) {
      if (this.page.signal.aborted) return;
      this.failure = failureText(error);
    } finally {
      this.doing = undefined;
      this.page.changed();
    }
  }

  protected progress(doing: string): void {
    if (this.doing !== doing) this.page.announce(doing);
    this.doing = doing;
    this.page.changed();
  }
}
