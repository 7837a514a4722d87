/** The tree of a script as it is written, before names and types have a meaning. Every node has its place and its piece of the source. */
import type { SourcePlace } from './refusal.ts';

interface Node extends SourcePlace {
  /** Offsets in the source. */
  readonly start: number;
  readonly end: number;
}

interface ExpressionNode extends Node {
  /** Levels of expressions below this one, itself included. Bounded, so that a walk of the tree needs little stack. */
  readonly depth: number;
}

export interface SyntaxArgument {
  readonly name: string | null;
  readonly value: SyntaxExpression;
}

export type SyntaxExpression = ExpressionNode &
  (
    | { readonly kind: 'number'; readonly digits: string }
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'color' }
    /** A name with its namespace, such as `ta.tr` or `close`. */
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'unary'; readonly operator: '-' | '+' | 'not'; readonly operand: SyntaxExpression }
    | {
        readonly kind: 'binary';
        readonly operator: BinaryOperator;
        readonly left: SyntaxExpression;
        readonly right: SyntaxExpression;
      }
    | {
        readonly kind: 'choice';
        readonly condition: SyntaxExpression;
        readonly yes: SyntaxExpression;
        readonly no: SyntaxExpression;
      }
    | { readonly kind: 'call'; readonly name: string; readonly arguments: readonly SyntaxArgument[] }
    /** Only the options of an input are a list. */
    | { readonly kind: 'list'; readonly elements: readonly SyntaxExpression[] }
    | { readonly kind: 'history'; readonly of: SyntaxExpression; readonly age: SyntaxExpression }
    | SyntaxChain
  );

/** `if` and `switch`: the first branch whose condition is true. */
export interface SyntaxChain {
  readonly kind: 'chain';
  readonly branches: readonly SyntaxBranch[];
  readonly otherwise: readonly SyntaxStatement[] | null;
}

export interface SyntaxBranch {
  readonly condition: SyntaxExpression;
  readonly body: readonly SyntaxStatement[];
}

export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '<' | '<=' | '>' | '>=' | '==' | '!=' | 'and' | 'or';

export type SyntaxStatement = Node &
  (
    | {
        readonly kind: 'declaration';
        readonly name: string;
        readonly isPersistent: boolean;
        readonly type: string | null;
        readonly value: SyntaxExpression;
      }
    | { readonly kind: 'tuple'; readonly names: readonly string[]; readonly value: SyntaxExpression }
    | { readonly kind: 'assignment'; readonly name: string; readonly value: SyntaxExpression }
    | { readonly kind: 'expression'; readonly expression: SyntaxExpression }
    | {
        readonly kind: 'for';
        readonly name: string;
        readonly from: SyntaxExpression;
        readonly to: SyntaxExpression;
        readonly by: SyntaxExpression | null;
        readonly body: readonly SyntaxStatement[];
      }
    | { readonly kind: 'break' }
    | { readonly kind: 'continue' }
  );
