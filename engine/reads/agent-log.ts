/** The action log of a deployment as its run needs it, in numbers: which orders were placed for which bar, and what they filled. */
import type { AgentActionOrdinal, AgentDeploymentOrdinal } from '#units/ids.ts';
import type { BaseAtoms, EpochMs, QuoteAtoms } from '#units/money.ts';
import type { PaperOrderKind } from '#venue/agent/paper-outcome.ts';

export interface AgentLogQuery {
  readonly deployment: AgentDeploymentOrdinal;
  /** The actions after this number, oldest first. */
  readonly after: AgentActionOrdinal;
  readonly limit: number;
}

export interface LoggedAction {
  readonly action: AgentActionOrdinal;
  readonly kind: 'deployment_started' | 'deployment_stopped' | 'deployment_failed' | PaperOrderKind;
  readonly recordedAtEpochMs: EpochMs;
  /** `null` if it is no order, as the fields below. */
  readonly barEpochMs: EpochMs | null;
  readonly barIndex: number | null;
  readonly filledBaseAtoms: BaseAtoms | null;
  readonly filledNotionalAtoms: QuoteAtoms | null;
  /** The paper position after it. */
  readonly positionBaseAtoms: BaseAtoms;
}
