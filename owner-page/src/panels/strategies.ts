/** The catalogue of strategies, which changes only with a release of the venue. */
import type { AgentOperations } from '../venue/agent-operations.ts';
import type { Strategy } from '../venue/agent-resources.ts';
import { type PageServices, Panel } from './panel.ts';

export class StrategiesPanel extends Panel {
  readonly #operations: AgentOperations;
  /** `undefined` until they were read. */
  strategies: readonly Strategy[] | undefined;

  constructor(page: PageServices, operations: AgentOperations) {
    super(page);
    this.#operations = operations;
  }

  load(): Promise<void> {
    if (this.strategies !== undefined) return Promise.resolve();
    return this.read('Reading the catalogue…', async () => {
      this.strategies = await this.#operations.strategies();
    });
  }
}
