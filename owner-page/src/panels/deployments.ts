/** The deployments of the owner, newest first. */
import type { AgentOperations } from '../venue/agent-operations.ts';
import type { Deployment } from '../venue/agent-resources.ts';
import { type PageServices, Panel } from './panel.ts';

export class DeploymentsPanel extends Panel {
  readonly #operations: AgentOperations;
  /** `undefined` until they were read. */
  deployments: readonly Deployment[] | undefined;
  /** The names of the drafts that still exist, by id. */
  #names: ReadonlyMap<string, string> = new Map();
  #after: string | null = null;

  constructor(page: PageServices, operations: AgentOperations) {
    super(page);
    this.#operations = operations;
  }

  get hasMore(): boolean {
    return this.#after !== null;
  }

  /** Of the draft that a deployment runs, also if it was removed. */
  nameOf({ draftId }: Deployment): string {
    return this.#names.get(draftId) ?? `Draft ${draftId}`;
  }

  load(): Promise<void> {
    return this.read('Reading your deployments…', async () => {
      const [page, drafts] = await Promise.all([this.#operations.deployments(null), this.#operations.drafts()]);
      this.#names = new Map(drafts.map(({ draftId, name }) => [draftId, name]));
      this.deployments = page.deployments;
      this.#after = page.nextAfterDeploymentId;
    });
  }

  showMore(): Promise<void> {
    return this.run('Reading older deployments…', async () => {
      const page = await this.#operations.deployments(this.#after);
      this.deployments = [...(this.deployments ?? []), ...page.deployments];
      this.#after = page.nextAfterDeploymentId;
    });
  }
}
