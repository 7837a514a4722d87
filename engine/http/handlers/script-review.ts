/** Reviews of scripts for drafts, and the values that a deployment chooses for their inputs. The interpreter decides both. */
import { hash } from 'node:crypto';
import { resolveParameters } from '#agents/script/parameters.ts';
import type { Program } from '#agents/script/program.ts';
import { reviewScript } from '#agents/script/review.ts';
import { ScriptRun } from '#agents/script/run.ts';
import type { ScriptInput } from '#contract/agent-deployments.ts';
import type { AgentDraftResource, ScriptReviewResource } from '#contract/agent-drafts.ts';
import { Refused } from '#contract/refused.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';

/** As a response shows it: `program` is absent if the script is refused. */
export interface ScriptJudgement {
  readonly shown: Pick<AgentDraftResource, 'review' | 'reviewDigest' | 'scriptRefusals'>;
  readonly program?: Program;
}

export function judgeScript(text: string): ScriptJudgement {
  const reviewed = reviewScript(text);
  if ('refusals' in reviewed)
    return { shown: { review: null, reviewDigest: null, scriptRefusals: reviewed.refusals.map((it) => ({ ...it })) } };
  const review = reviewed.review as ScriptReviewResource;
  return {
    shown: { review, reviewDigest: sha256(JSON.stringify(review)), scriptRefusals: [] },
    program: reviewed.program,
  };
}

/** Throws {@link Refused} for a script that is refused. */
export function demandFitting(text: string): void {
  const { scriptRefusals } = judgeScript(text).shown;
  const [first] = scriptRefusals;
  if (first === undefined) return;
  const message = `Line ${first.line}, column ${first.column}: ${first.reason}. ${first.remedy} Nothing was stored.`;
  throw new Refused('agent_script_refused', message, { scriptRefusals });
}

/** Canonical JSON of the values of all inputs, sorted by name. Throws {@link Refused} for a value that does not fit. */
export function chosenInputs(program: Program, inputs: readonly ScriptInput[], market: MarketSpecification): string {
  const chosen = new Map(inputs.map(({ name, value }) => [name, value]));
  if (chosen.size < inputs.length) throw invalid('An input is named twice.');
  const resolved = resolveParameters(program.parameters, Object.fromEntries(chosen));
  if ('faults' in resolved) throw invalid(resolved.faults.map(({ parameter, reason }) => `${parameter}: ${reason}.`).join(' '));
  const { priceScale, quantityScale } = market;
  // The tick of every market is one atom.
  const opened = ScriptRun.open(program, resolved.values, { priceScale, quantityScale, tickSizeAtoms: 1 });
  if ('refusals' in opened) throw invalid(opened.refusals.map(({ line, reason }) => `Line ${line}: ${reason}.`).join(' '));
  const values = program.parameters.map(({ name, default: otherwise }) => [name, chosen.get(name) ?? otherwise] as const);
  return JSON.stringify(Object.fromEntries(values.sort(([left], [right]) => (left < right ? -1 : 1))));
}

function invalid(reason: string): Refused {
  return new Refused('agent_deployment_invalid', `${reason} Send values that the review of the draft permits.`);
}

export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}
