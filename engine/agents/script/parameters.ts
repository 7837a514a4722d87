/** Checks the values that a deployment chooses for the parameters of a script. A parameter without a value has its default. */
import type { ConstantValue } from './constant.ts';
import { LIMITS } from './limits.ts';
import type { Parameter } from './program.ts';
import { excerpt } from './refusal.ts';

export type ParameterValues = Readonly<Record<string, number | boolean | string>>;

export interface ParameterFault {
  readonly parameter: string;
  readonly reason: string;
}

/** The values in the order of the parameters, bools as 0 or 1. */
export function resolveParameters(
  parameters: readonly Parameter[],
  chosen: ParameterValues,
): { readonly values: readonly ConstantValue[] } | { readonly faults: readonly ParameterFault[] } {
  const faults: ParameterFault[] = [];
  for (const name of Object.keys(chosen)) {
    if (!parameters.some((parameter) => parameter.name === name))
      faults.push({ parameter: excerpt(name), reason: 'the script has no such parameter' });
  }
  const values = parameters.map((parameter): ConstantValue => {
    const value = Object.hasOwn(chosen, parameter.name) ? chosen[parameter.name]! : parameter.default;
    const reason = checkValue(parameter, value);
    if (reason !== null) faults.push({ parameter: parameter.name, reason });
    return typeof value === 'boolean' ? Number(value) : value;
  });
  return faults.length > 0 ? { faults } : { values };
}

/** Why the value does not fit, or null. */
function checkValue(parameter: Parameter, value: number | boolean | string): string | null {
  const shown = typeof value === 'string' ? `"${excerpt(value)}"` : String(value);
  switch (parameter.kind) {
    case 'bool':
      return typeof value === 'boolean' ? null : `expected true or false, got ${shown}`;
    case 'text':
    case 'source': {
      const { options } = parameter;
      if (typeof value !== 'string') return `expected a text, got ${shown}`;
      if (value.length > LIMITS.textLength) return `expected at most ${LIMITS.textLength} characters, got ${value.length}`;
      return options === null || (options as readonly string[]).includes(value)
        ? null
        : `expected one of ${options.join(', ')}, got ${shown}`;
    }
    case 'int':
    case 'float': {
      const isFitting =
        typeof value === 'number' && (parameter.kind === 'int' ? Number.isSafeInteger(value) : Number.isFinite(value));
      if (!isFitting) return `expected ${parameter.kind === 'int' ? 'an integer' : 'a number'}, got ${shown}`;
      if (parameter.options !== null && !parameter.options.includes(value))
        return `expected one of ${parameter.options.join(', ')}, got ${shown}`;
      if (parameter.min !== null && value < parameter.min) return `expected at least ${parameter.min}, got ${shown}`;
      return parameter.max !== null && value > parameter.max ? `expected at most ${parameter.max}, got ${shown}` : null;
    }
  }
}
