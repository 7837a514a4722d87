/** The entry of the action log that the projection makes of an event, for tests and the bench. */

import type { LoggedAction } from '#reads/agent-log.ts';
import type { AgentDeploymentOrdinal } from '#units/ids.ts';
import { type EpochMs, ZERO_BASE } from '#units/money.ts';
import type { AgentDeploymentChanged, PaperOrderPlaced } from '#venue/event/agent-events.ts';

export type LoggedActionEvent = PaperOrderPlaced | AgentDeploymentChanged;

const CHANGES = { running: 'deployment_started', stopped: 'deployment_stopped', failed: 'deployment_failed' } as const;
const NO_ORDER = {
  barEpochMs: null,
  barIndex: null,
  filledBaseAtoms: null,
  filledNotionalAtoms: null,
  positionBaseAtoms: ZERO_BASE,
};

export function loggedAction(
  event: LoggedActionEvent,
  recordedAtEpochMs: EpochMs,
): LoggedAction & { readonly deployment: AgentDeploymentOrdinal } {
  const { action, deployment } = event;
  if (event.type === 'AgentDeploymentChanged')
    return { action, deployment, kind: CHANGES[event.state], recordedAtEpochMs, ...NO_ORDER };
  const { kind, barEpochMs, index: barIndex, filledBaseAtoms, filledNotionalAtoms, ledger } = event;
  const fills = { filledBaseAtoms, filledNotionalAtoms, positionBaseAtoms: ledger.positionBaseAtoms };
  return { action, deployment, kind, recordedAtEpochMs, barEpochMs, barIndex, ...fills };
}
