/** Assigns the arguments of a call to the names of a signature: first by position, then by name. */
import type { CheckContext } from './check-context.ts';
import { excerpt } from './refusal.ts';
import type { SyntaxExpression } from './syntax.ts';

export type SyntaxCall = SyntaxExpression & { readonly kind: 'call' };

/** By name. Returns null after a refusal. */
export function matchArguments(
  context: CheckContext,
  call: SyntaxCall,
  names: readonly string[],
): ReadonlyMap<string, SyntaxExpression> | null {
  const found = new Map<string, SyntaxExpression>();
  let hasNamed = false;
  for (const [index, { name, value }] of call.arguments.entries()) {
    if (name === null && hasNamed) {
      return context.refuse(value, 'an argument without a name follows one with a name', 'Name it too.');
    }
    hasNamed ||= name !== null;
    const target = name ?? names[index];
    if (target === undefined) {
      return context.refuse(
        value,
        `${call.name} takes ${names.length} arguments, got ${call.arguments.length}`,
        `Its arguments are: ${names.join(', ')}.`,
      );
    }
    if (!names.includes(target)) {
      return context.refuse(
        value,
        `${call.name} has no argument "${excerpt(target)}"`,
        `Its arguments are: ${names.join(', ')}.`,
      );
    }
    if (found.has(target)) return context.refuse(value, `the argument "${target}" is given twice`, 'Remove one of them.');
    found.set(target, value);
  }
  return found;
}
