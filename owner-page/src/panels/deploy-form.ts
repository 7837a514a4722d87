/** The terms of a deployment as the owner typed them: checked, and as the venue takes them. */
import { atomsOfInput } from '../money.ts';
import type { DeploymentTerms } from '../venue/agent-operations.ts';
import type { Draft, Market, ScriptInput, ScriptParameter } from '../venue/agent-resources.ts';

/** Of the venue, which decides. */
export const MAX_HISTORY_BARS = 5_000;

/** Reads a field of the form by its name. */
export type Fields = (name: string) => string;

/** What is wrong, by the name of the field. */
export type Faults = ReadonlyMap<string, string>;

/** @returns terms if there are no faults */
export function termsOf(
  fields: Fields,
  { draftId, review }: Draft,
  market: Market | undefined,
): { readonly terms: DeploymentTerms; readonly faults: Faults } {
  const faults = new Map<string, string>();
  const orderSizeAtoms = atomsOfInput(fields('size'), market?.quantityScale);
  const historyBars = wholeNumberOf(fields('history'));
  if (fields('account') === '') faults.set('account', 'Open an agent account first: it is on the page Agents.');
  if (market === undefined) faults.set('market', 'Choose a market.');
  else if (orderSizeAtoms === undefined || !isWithin(orderSizeAtoms, market)) faults.set('size', sizeFault(market));
  if (historyBars === undefined || historyBars < 1 || historyBars > MAX_HISTORY_BARS)
    faults.set('history', `Enter a whole number from 1 to ${MAX_HISTORY_BARS}.`);
  const inputs: ScriptInput[] = [];
  for (const parameter of review?.parameters ?? []) {
    const value = inputValueOf(parameter, fields(fieldOf(parameter)));
    if (value === undefined) faults.set(fieldOf(parameter), inputFault(parameter));
    else inputs.push({ name: parameter.name, value });
  }
  const terms = {
    agentAccountId: fields('account'),
    draftId,
    marketId: market?.marketId ?? '',
    timeframe: fields('timeframe'),
    historyBars: historyBars ?? 1,
    orderSizeAtoms: String(orderSizeAtoms ?? 0n),
    inputs,
  };
  return { terms, faults };
}

/** The name of the field of an input of the script. */
export function fieldOf({ name }: ScriptParameter): string {
  return `input-${name}`;
}

function isWithin(atoms: bigint, { minQuantity, maxQuantity, quantityScale }: Market): boolean {
  const [least = 1n, most = atoms] = [minQuantity, maxQuantity].map((quantity) => atomsOfInput(quantity, quantityScale));
  return atoms >= least && atoms <= most;
}

function sizeFault({ minQuantity, maxQuantity, baseAsset, quantityScale }: Market): string {
  return `Enter ${minQuantity} to ${maxQuantity} ${baseAsset}, with at most ${quantityScale} decimals.`;
}

const NUMBER = /^-?[0-9]{1,12}(?:\.[0-9]{1,12})?$/;

function numberOf(typed: string): number | undefined {
  // biome-ignore lint/style/noRestrictedGlobals: an input of a script, which sees doubles; not money.
  return NUMBER.test(typed.trim()) ? Number(typed) : undefined;
}

function wholeNumberOf(typed: string): number | undefined {
  const value = numberOf(typed);
  return value !== undefined && value % 1 === 0 ? value : undefined;
}

function inputValueOf(parameter: ScriptParameter, typed: string): number | boolean | string | undefined {
  if (parameter.kind === 'bool') return typed === 'on';
  if (parameter.kind === 'text' || parameter.kind === 'source') return typed;
  const { kind, min, max } = parameter;
  const value = kind === 'int' ? wholeNumberOf(typed) : numberOf(typed);
  const isInBounds = value !== undefined && value >= (min ?? value) && value <= (max ?? value);
  return isInBounds ? value : undefined;
}

function inputFault(parameter: ScriptParameter): string {
  return `Enter ${boundsOf(parameter)}.`;
}

/** The values that an input can have, in words. */
export function boundsOf(parameter: ScriptParameter): string {
  if (parameter.kind === 'bool') return 'on or off';
  if (parameter.kind === 'text' || parameter.kind === 'source') return parameter.options?.join(', ') ?? 'a text';
  const { kind, min, max, options } = parameter;
  if (options !== null) return options.join(', ');
  const number = kind === 'int' ? 'a whole number' : 'a number';
  if (min !== null && max !== null) return `${number} from ${min} to ${max}`;
  if (min !== null) return `${number} of at least ${min}`;
  return max === null ? number : `${number} of at most ${max}`;
}
