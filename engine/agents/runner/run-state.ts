/**
 * The saved state of a run: the interpreter's state after a bar, with the position there and the place in the action log. Derived
 * data: whatever is wrong with it, the bars are replayed.
 */
import { createHash } from 'node:crypto';
import type { ScriptPosition, ScriptState } from '#agents/script/run.ts';
import type { AgentDeployment } from '#reads/agent-directory.ts';
import type { AgentActionOrdinal } from '#units/ids.ts';

export interface RunState {
  /** Identifies what ran: another deployment with the same number has another origin. */
  readonly origin: string;
  readonly lastBarEpochMs: number;
  /** The newest action that the position includes; 0 before the first. */
  readonly lastAction: AgentActionOrdinal;
  readonly startedAtEpochMs: number | null;
  readonly position: ScriptPosition;
  readonly script: ScriptState;
}

export function originOf({ deployment, textDigest, createdAtEpochMs, modelId }: AgentDeployment): string {
  return `${deployment} ${textDigest} ${createdAtEpochMs} ${modelId}`;
}

/** A line with the SHA-256 of the rest, then JSON. */
export function encodeRunState(state: RunState): string {
  const body = JSON.stringify(state);
  return `${digestOf(body)}\n${body}`;
}

/** `undefined` if the text is damaged or of another deployment. */
export function decodeRunState(text: string, origin: string): RunState | undefined {
  const end = text.indexOf('\n');
  const body = text.slice(end + 1);
  if (text.slice(0, end) !== digestOf(body)) return undefined;
  const state = JSON.parse(body) as RunState;
  return state.origin === origin ? state : undefined;
}

function digestOf(body: string): string {
  return createHash('sha256').update(body).digest('hex');
}
