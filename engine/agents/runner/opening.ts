/**
 * Opens the run of a deployment from its draft, and continues from its saved state if that is usable. A script that cannot run is the
 * deployment's failure, with a reason for its owner.
 */
import { type ParameterValues, resolveParameters } from '#agents/script/parameters.ts';
import { reviewScript } from '#agents/script/review.ts';
import { INTERPRETER_VERSION, ScriptRun } from '#agents/script/run.ts';
import type { AgentDeployment, AgentDraft } from '#reads/agent-directory.ts';
import type { AgentActionOrdinal } from '#units/ids.ts';
import { DeploymentRun } from './deployment-run.ts';
import type { RunMarket, RunnerParts } from './ports.ts';
import { decodeRunState, originOf, type RunState } from './run-state.ts';

type OpeningParts = Pick<RunnerParts, 'directory' | 'bars' | 'log' | 'states' | 'runMarket' | 'clock' | 'logLine'>;

export type Opening = { readonly run: DeploymentRun } | { readonly failure: string };

/** Runs a piece of work when it does not delay others. */
type InSlice = <Result>(work: () => Result) => Promise<Result>;

export async function openDeployment(deployment: AgentDeployment, parts: OpeningParts, inSlice: InSlice): Promise<Opening> {
  const { deployment: number, timeframeMs } = deployment;
  if (!parts.bars.hasTimeframe(timeframeMs)) return { failure: `the venue records no candles of ${timeframeMs} ms` };
  const market = await parts.runMarket(deployment.market);
  const opened = await inSlice(() => openScript(deployment, parts.directory.draft(deployment.draft), market));
  if ('failure' in opened) return opened;
  const state = await usableState(deployment, parts);
  if (state !== undefined) {
    if (opened.script.restore(state.script))
      return { run: new DeploymentRun(deployment, opened.script, market, parts.log, state) };
    parts.logLine(`agents: the state of deployment ${number} is of another interpreter and ignored: its candles are replayed`);
  }
  return { run: new DeploymentRun(deployment, opened.script, market, parts.log) };
}

function openScript(
  deployment: AgentDeployment,
  draft: AgentDraft | undefined,
  { priceScale, quantityScale }: RunMarket,
): { readonly script: ScriptRun } | { readonly failure: string } {
  if (deployment.modelId !== INTERPRETER_VERSION)
    return { failure: `the interpreter is ${INTERPRETER_VERSION}, the deployment needs ${deployment.modelId}` };
  if (draft === undefined || draft.textDigest !== deployment.textDigest)
    return { failure: 'the script of the deployment is missing' };
  const reviewed = reviewScript(draft.text);
  if ('refusals' in reviewed) return { failure: refusalOf(reviewed.refusals) };
  const chosen = parametersOf(deployment.parameters);
  if (chosen === undefined) return { failure: 'the parameters are not a JSON object of numbers, booleans and texts' };
  const resolved = resolveParameters(reviewed.program.parameters, chosen);
  if ('faults' in resolved)
    return { failure: resolved.faults.map(({ parameter, reason }) => `${parameter}: ${reason}`).join('; ') };
  // A tick is one price atom.
  const opened = ScriptRun.open(reviewed.program, resolved.values, { priceScale, quantityScale, tickSizeAtoms: 1 });
  return 'refusals' in opened ? { failure: refusalOf(opened.refusals) } : { script: opened.run };
}

function refusalOf(refusals: readonly { readonly line: number; readonly reason: string }[]): string {
  return `line ${refusals[0]!.line}: ${refusals[0]!.reason}`;
}

function parametersOf(json: string): ParameterValues | undefined {
  try {
    const values: unknown = JSON.parse(json);
    if (typeof values !== 'object' || values === null || Array.isArray(values)) return undefined;
    const isValue = (value: unknown) => ['number', 'boolean', 'string'].includes(typeof value);
    return Object.values(values).every(isValue) ? (values as ParameterValues) : undefined;
  } catch {
    return undefined;
  }
}

/** The saved state if it belongs to this deployment and to this journal, which may be older, restored from a backup. */
async function usableState(
  deployment: AgentDeployment,
  { states, log, clock, logLine }: OpeningParts,
): Promise<RunState | undefined> {
  const number = deployment.deployment;
  const text = await states.read(number).catch((error) => {
    logLine(`agents: the state of deployment ${number} cannot be read and is ignored: ${String(error)}`);
    return undefined;
  });
  if (text === undefined) return undefined;
  const state = decodeRunState(text, originOf(deployment));
  const isUsable = state !== undefined && state.lastBarEpochMs <= clock.now() && (await isInLog(deployment, state, log));
  if (isUsable) return state;
  logLine(`agents: the state of deployment ${number} is damaged or of another journal and ignored: its candles are replayed`);
  return undefined;
}

async function isInLog({ deployment }: AgentDeployment, state: RunState, log: OpeningParts['log']): Promise<boolean> {
  if (state.lastAction === 0) return state.position.quantityAtoms === 0;
  const after = (state.lastAction - 1) as AgentActionOrdinal;
  const [action] = await log.actions({ deployment, after, limit: 1 });
  return action?.action === state.lastAction && action.positionBaseAtoms === state.position.quantityAtoms;
}
